/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "client-ask-daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-exit-code.h"
#include "base-places.h"
#include "base-str.h"
#include "wire-daemon-client.h"

static const struct client_verb verbs[] = {
  { "run", "tyrum-oci", EXIT_NOT_RUN },
  { "toolrunner", "toolrunner error", 1 },
};

/* Looks up to "--", where the command begins. The value of an option never looks like an option. A command
 * without "--" may contain such words; then no daemon is asked here, and the run takes longer to start. */
static bool have_option (char *const *argv, const char *option)
{
  size_t len = strlen (option);

  for (; *argv != NULL && strcmp (*argv, "--") != 0; argv++)
    if (strncmp (*argv, option, len) == 0 && ((*argv)[len] == '\0' || (*argv)[len] == '='))
      return true;
  return false;
}

/* Options that need the caller's own process, or with which nothing is launched. With --die-with-parent
 * or a file for --events tyrum-oci-cli asks the daemon: it knows whether that is an option of run or an
 * argument of the command. */
static bool is_done_here (char *const *argv)
{
  static const char *const here[] = { "--tty",    "--dry-run", "--host-facts", "--rawdog-no-sandbox-at-all",
                                      "--events", "--help" };

  for (size_t i = 0; i < ARRAY_LEN (here); i++)
    if (have_option (argv + 1, here[i]))
      return true;
  return strcmp (argv[0], "run") == 0 && have_option (argv + 1, "--die-with-parent");
}

/* Where a standard stream is closed, the next descriptor to be opened would take its number. */
static bool have_streams (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0)
      return false;
  return true;
}

const struct client_verb *ask_verb (char *const *argv)
{
  for (size_t i = 0; argv[0] != NULL && i < ARRAY_LEN (verbs); i++)
    if (strcmp (argv[0], verbs[i].name) == 0)
      return is_done_here (argv) || !have_streams () || isatty (STDIN_FILENO) ? NULL : &verbs[i];
  return NULL;
}

/* tyrum-oci-cli does the same before anything else. */
static int follow_parent (char *const *argv, struct error *err)
{
  pid_t parent = getppid ();

  if (strcmp (argv[0], "toolrunner") != 0 || !have_option (argv, "--die-with-parent"))
    return 0;
  if (prctl (PR_SET_PDEATHSIG, SIGTERM) < 0)
    return error_set_errno (err, errno, "ask to be told of the parent's end");
  return parent == getppid () ? 0 : error_set (err, -ESRCH, "the process that started this one is gone");
}

static void on_file_limit (int signal_number)
{
  (void) signal_number;
}

int ask_daemon (char *const *argv, int *ret_status, enum daemon_asked *ret_asked, struct error *err)
{
  /* argv and env are written to a memory file: RLIMIT_FSIZE must fail the write, not end the process. */
  const struct sigaction action = { .sa_handler = on_file_limit, .sa_flags = SA_RESTART };
  cleanup_free char *path = places_daemon_socket ();
  cleanup_close int connection = path ? hand_over_connect (path) : -1;
  int r;

  if (path == NULL)
    return 0;
  *ret_asked = connection == -ENOENT || connection == -ECONNREFUSED ? DAEMON_NOT_THERE : DAEMON_NOT_TAKEN;
  if (connection < 0)
    return 0;
  sigaction (SIGXFSZ, &action, NULL);
  r = follow_parent (argv, err);
  return r < 0 ? r : hand_over (connection, argv, ret_status, err);
}
