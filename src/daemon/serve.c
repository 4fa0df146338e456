/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "daemon-serve.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli-program.h"
#include "cli-verbs.h"
#include "session-delegate.h"

void serve_default_signals (void)
{
  sigset_t none;

  for (int number = 1; number < NSIG; number++)
    signal (number, SIG_DFL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}

void serve_close_others (int fd)
{
  if (fd > STDERR_FILENO + 1)
    syscall (SYS_close_range, (unsigned) STDERR_FILENO + 1, (unsigned) fd - 1, 0);
  syscall (SYS_close_range, (unsigned) fd + 1, ~0u, 0);
}

/* Has the kernel send SIGTERM when the caller closes the connection, as PDEATHSIG does for a parent. The
 * caller sends nothing else on it. */
static bool follow (int connection)
{
  struct pollfd gone = { connection, POLLIN, 0 };

  if (fcntl (connection, F_SETOWN, getpid ()) < 0 || fcntl (connection, F_SETSIG, SIGTERM) < 0
      || fcntl (connection, F_SETFL, O_ASYNC) < 0)
    return false;
  return poll (&gone, 1, 0) == 0;
}

/* The client has not read the configuration, so it is checked here whether this run may be taken. */
static bool is_meant (const struct handed *handed, struct session_process *process)
{
  struct sockaddr_un address = { 0 };
  socklen_t size = sizeof (address) - 1; /* so that it ends with a NUL */

  return getsockname (handed->connection, (struct sockaddr *) &address, &size) == 0
         && address.sun_family == AF_UNIX && verb_is_handed_on (handed->argv)
         && delegate_leads_to (process, address.sun_path);
}

bool serve_take (struct handed *handed, struct session_process *process)
{
  if (handed_become (handed) < 0 || !is_meant (handed, process)) {
    handed_tell (handed->connection, DAEMON_DECLINED, 0);
    return false;
  }
  session_process_from_caller (process, handed->caller);
  return handed_tell (handed->connection, DAEMON_TAKEN, getpid ()) && follow (handed->connection);
}

__attribute__ ((noreturn)) void serve_end (const struct handed *handed, int status)
{
  handed_tell (handed->connection, DAEMON_ENDED, status);
  _exit (status);
}

char **serve_line (const struct handed *handed)
{
  static char name[] = "tyrum-oci";
  char **line = calloc (handed->request.argv + (size_t) 2, sizeof (*line));

  if (line == NULL)
    return NULL;
  line[0] = name;
  for (size_t i = 0; i < handed->request.argv; i++)
    line[i + 1] = handed->argv[i];
  return line;
}

__attribute__ ((noreturn)) void serve (struct handed *handed, struct session_process *process)
{
  char **line;

  prctl (PR_SET_NAME, "tyrum-oci");
  line = serve_line (handed);
  serve_default_signals ();
  if (line == NULL) {
    handed_tell (handed->connection, DAEMON_DECLINED, 0);
    _exit (EXIT_FAILURE);
  }
  if (!serve_take (handed, process))
    _exit (EXIT_FAILURE);
  serve_close_others (handed->connection);
  serve_end (handed, program_run (process, (int) handed->request.argv + 1, line));
}
