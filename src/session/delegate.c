/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "session-delegate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-exit-code.h"
#include "base-places.h"
#include "base-str.h"
#include "session-paths.h"
#include "wire-daemon-client.h"

int delegate_socket (const struct configuration *configuration, char **ret_path, struct error *err)
{
  *ret_path = configuration->daemon_socket ? strdup (configuration->daemon_socket) : places_daemon_socket ();
  return *ret_path ? 0 : error_oom (err);
}

/* A daemon that is started by a restricted process could only serve equally restricted callers. */
static bool is_unrestricted (void)
{
  return prctl (PR_GET_SECCOMP, 0, 0, 0, 0) == 0 && prctl (PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
}

/* Starts a daemon for later runs. This run neither waits for it nor reports its failure. */
static void start_one (char *socket_path)
{
  cleanup_free char *program = paths_program ("tyrum-oci-daemon");
  char *const argv[] = { program, (char[]){ "--socket" }, socket_path, (char[]){ "--background" }, NULL };
  pid_t pid = program != NULL && access (program, X_OK) == 0 ? fork () : -1;
  int nothing;

  if (pid > 0)
    while (waitpid (pid, NULL, 0) < 0 && errno == EINTR) {
    }
  if (pid != 0)
    return;
  /* The second fork gives it to init; it keeps neither the caller's session nor its streams. */
  if (fork () != 0)
    _exit (0);
  nothing = open ("/dev/null", O_RDWR | O_CLOEXEC);
  if (setsid () < 0 || chdir ("/") < 0 || dup2 (nothing, 0) < 0 || dup2 (nothing, 1) < 0
      || dup2 (nothing, 2) < 0 || syscall (SYS_close_range, 3u, ~0u, 0) < 0)
    _exit (EXIT_NOT_RUN);
  execv (program, argv);
  _exit (127);
}

/* A connection to the daemon at PATH, or a negative errno. What the client was told there is not asked again:
 * it may have waited for an answer already. */
static int connect_once (const struct session_process *process, const char *path)
{
  cleanup_free char *asked = process->daemon_asked != DAEMON_NOT_ASKED ? places_daemon_socket () : NULL;

  if (asked == NULL || strcmp (path, asked) != 0)
    return hand_over_connect (path);
  return process->daemon_asked == DAEMON_NOT_THERE ? -ENOENT : -EBUSY;
}

int delegate_to_daemon (struct session_process *process, char *const *argv, int *ret_status,
                        struct error *err)
{
  const struct configuration *configuration;
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *path = NULL;
  cleanup_close int connection = -1;

  /* A terminal's keys go to its foreground process group, of which no process of the daemon is a member. An
   * error in the configuration is reported by the run itself. */
  if (process->helper != NULL || isatty (STDIN_FILENO)
      || session_process_configuration (process, &configuration, &ignored) < 0 || !configuration->daemon_use
      || delegate_socket (configuration, &path, &ignored) < 0)
    return 0;
  connection = connect_once (process, path);
  if (connection >= 0)
    return hand_over (connection, argv, ret_status, err);
  if (configuration->daemon_start && (connection == -ENOENT || connection == -ECONNREFUSED)
      && is_unrestricted ())
    start_one (path);
  return 0;
}

/* Also true for two names of one socket. */
static bool is_same_socket (const char *path, const char *other)
{
  struct stat a, b;

  return strcmp (path, other) == 0
         || (stat (path, &a) == 0 && stat (other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

bool delegate_leads_to (struct session_process *process, const char *socket_path)
{
  const struct configuration *configuration;
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *path = NULL;

  return session_process_configuration (process, &configuration, &ignored) == 0 && configuration->daemon_use
         && delegate_socket (configuration, &path, &ignored) == 0 && is_same_socket (path, socket_path);
}
