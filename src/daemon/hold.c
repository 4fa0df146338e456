/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "daemon-hold.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli-program.h"
#include "daemon-prewarmed.h"
#include "daemon-serve.h"

/* How often to check whether profile or host have changed. The hand-over checks as well; this replaces an
 * outdated sandbox before a caller needs one. */
#define LOOK_MS 5000

static uint64_t now_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_BOOTTIME, &now);
  return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

/* Keeps only the socket of what the daemon had open. */
static void leave_daemon (int control)
{
  int nothing = open ("/dev/null", O_RDWR | O_CLOEXEC);

  prctl (PR_SET_NAME, "tyrum-oci-ready");
  serve_default_signals ();
  umask (022);
  if (nothing < 0 || chdir ("/") < 0 || dup2 (nothing, 0) < 0 || dup2 (nothing, 1) < 0
      || dup2 (nothing, 2) < 0)
    _exit (EXIT_FAILURE);
  serve_close_others (control);
}

static void tell_failed (int control, const struct error *err)
{
  char text[1 + HOLD_TEXT_BYTES];
  int n = snprintf (text, sizeof (text), "%c%s", HOLD_FAILED, error_text (err));

  (void) send (control, text, n < (int) sizeof (text) ? (size_t) n : sizeof (text) - 1, MSG_NOSIGNAL);
}

/* True when a caller comes; false when the sandbox is too old, outdated, or to be ended. */
static bool await_caller (int control, struct prewarmed *prewarmed, uint64_t until)
{
  struct pollfd wait[] = { { control, POLLIN, 0 }, { prewarmed_signals (prewarmed), POLLIN, 0 } };

  for (;;) {
    uint64_t now = now_ms ();
    int r = now >= until ? 0 : poll (wait, 2, (int) (until - now < LOOK_MS ? until - now : LOOK_MS));

    if (r > 0)
      return wait[1].revents == 0 && (wait[0].revents & POLLIN) != 0;
    if (now_ms () >= until || (r < 0 && errno != EINTR) || !prewarmed_is_current (prewarmed))
      return false;
  }
}

/* A container inherits limits that its profile does not set, and this one exists already. */
static bool has_our_limits (const struct handed *handed)
{
  const struct daemon_request *request = &handed->request;

  for (unsigned i = 0; i < RLIM_NLIMITS; i++) {
    struct rlimit limit;

    if (getrlimit (i, &limit) < 0 || limit.rlim_cur != request->limits[i].soft
        || limit.rlim_max != request->limits[i].hard)
      return false;
  }
  return getpriority (PRIO_PROCESS, 0) == request->nice && handed_has_our_processors (handed);
}

__attribute__ ((noreturn)) void hold (int control, struct session_process *process,
                                      const struct strlist *template, const struct prewarmed_owner *owner,
                                      char **env, uint64_t age_ms)
{
  struct handed handed = HANDED_NONE;
  struct error err = { 0 };
  struct prewarmed *prewarmed = NULL;
  char **line;
  int status;

  leave_daemon (control);
  environ = env;
  if (prewarmed_make (process, template, owner, &prewarmed, &err) < 0) {
    tell_failed (control, &err);
    _exit (EXIT_FAILURE);
  }
  if (send (control, (char[]){ HOLD_READY }, 1, MSG_NOSIGNAL) != 1
      || !await_caller (control, prewarmed, now_ms () + age_ms) || handed_take (control, &handed) < 0) {
    prewarmed_discard (prewarmed);
    _exit (EXIT_SUCCESS);
  }
  close (control);
  if (!has_our_limits (&handed)) {
    prewarmed_discard (prewarmed);
    serve (&handed, process);
  }
  line = serve_line (&handed);
  if (line == NULL || !serve_take (&handed, process)) {
    prewarmed_discard (prewarmed);
    _exit (EXIT_FAILURE);
  }
  prewarmed_offer (prewarmed);
  status = program_run (process, (int) handed.request.argv + 1, line);
  prewarmed_discard (prewarmed);
  serve_end (&handed, status);
}
