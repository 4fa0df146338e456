/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a refused container's owner gets to read.
 *
 * runc shows a hook's standard error; crun points it at /dev/null, so that Podman has only a path and an exit
 * code to show. But crun itself is our parent, with the log and the standard error that its engine reads
 * after a failure. So where our own leads nowhere, the reason goes to these two: a line of JSON to the log,
 * as runtimes write it, and the text to the parent's standard error. Podman shows the latter when the log has
 * more than one line.
 *
 * The parent is used only if its command line is a runtime's, about the same container; at precreate,
 * where the parent is Podman itself, which throws our standard error away as well, if its program is Podman.
 * Nothing is made and nothing is opened that the parent could not write: the log must be there, a plain file
 * of our own user's, and of the standard error we take the very descriptor. Nothing is waited for.
 */
#include <config.h>

#include "hook-hook.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "base-namespace.h"
#include "base-str.h"
#include "shim-command.h"
#include "shim-log.h"

/* A pipe takes this much at once, or nothing. */
#define SAY_BYTES ((size_t) 4096)

/* Another process may fill the pipe between poll and write. */
#define SAY_SECONDS 2

static bool leads_nowhere (int fd)
{
  struct stat st;

  return fstat (fd, &st) < 0 || (S_ISCHR (st.st_mode) && st.st_rdev == makedev (1, 3));
}

/* The parent's arguments; TEXT owns them. */
static char **parents_argv (pid_t parent, char **ret_text)
{
  cleanup_free char *path = str_format ("/proc/%d/cmdline", (int) parent);
  cleanup_error struct error ignored = { 0 };
  char **argv = calloc (LIMIT_ARGUMENTS + 1, sizeof (*argv));
  size_t len = 0, count = 0;

  if (path == NULL || argv == NULL
      || file_read (AT_FDCWD, path, LIMIT_STATE_BYTES, ret_text, &len, &ignored) < 0) {
    free (argv);
    return NULL;
  }
  for (size_t at = 0; at < len && count < LIMIT_ARGUMENTS; at += strlen (*ret_text + at) + 1)
    argv[count++] = *ret_text + at;
  return argv;
}

static void write_log (const struct command *command, const char *text)
{
  const char *path = command->log.text;
  cleanup_close int fd =
      path && path[0] == '/' ? open (path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
  struct stat st;

  if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && st.st_uid == geteuid ())
    log_write_to (fd, command, LOG_LEVEL_ERROR, text);
}

/* Opening /proc/PID/fd/2 would be a new opening, by our rights: a file that the parent may only read could be
 * written. A copy of the descriptor can do what the parent's can. */
static int parents_error (pid_t parent)
{
  cleanup_close int pidfd = pidfd_open (parent, 0);
  /* The pidfd is our parent's if the parent has the same pid afterwards. */
  cleanup_close int fd = pidfd >= 0 && getppid () == parent ? pidfd_getfd (pidfd, STDERR_FILENO, 0) : -1;
  int flags = fd >= 0 ? fcntl (fd, F_GETFL) : -1;

  if (flags < 0 || (flags & O_PATH) != 0 || (flags & O_ACCMODE) == O_RDONLY || leads_nowhere (fd))
    return -1;
  return take_fd (&fd);
}

/* The descriptor is the parent's as well, so its flags are left alone. */
static void write_error (pid_t parent, const char *text)
{
  cleanup_free char *line = str_format ("tyrum-oci-hook: %.*s\n", (int) SAY_BYTES - 32, text);
  cleanup_close int fd = line ? parents_error (parent) : -1;
  struct pollfd ready = { .fd = fd, .events = POLLOUT };

  if (fd < 0 || poll (&ready, 1, 0) <= 0 || (ready.revents & POLLOUT) == 0)
    return;
  if (send (fd, line, strlen (line), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
    return;
  signal (SIGPIPE, SIG_IGN);
  signal (SIGTTOU, SIG_IGN);
  alarm (SAY_SECONDS);
  if (write (fd, line, strlen (line)) < 0)
    return;
  alarm (0);
}

/* Its program is called so, and is root's or our own user's: nothing better is known of a parent. */
static bool is_podman (pid_t parent)
{
  cleanup_free char *path = str_format ("/proc/%d/exe", (int) parent);
  char program[LIMIT_PATH_BYTES + 1];
  ssize_t n = path ? readlink (path, program, sizeof (program) - 1) : -1;
  cleanup_close int fd = n > 0 ? open (path, O_PATH | O_CLOEXEC) : -1;
  struct stat st;

  if (fd < 0 || fstat (fd, &st) < 0)
    return false;
  program[n] = '\0';
  return str_has_suffix (program, "/podman")
         && (st.st_uid == 0 || st.st_uid == geteuid ()
             || (namespace_is_users (NULL) && st.st_uid == NAMESPACE_NOBODY
                 && namespace_owner_is_outside (fd)));
}

/* Whether the parent is a runtime that makes container ID. */
static bool is_runtime (char *const *argv, const char *id, struct command *ret_command)
{
  cleanup_error struct error ignored = { 0 };

  return argv != NULL && argv[0] != NULL && command_parse (argv + 1, ret_command, &ignored) == 0
         && (ret_command->verb == VERB_CREATE || ret_command->verb == VERB_RUN) && ret_command->id != NULL
         && strcmp (ret_command->id, id) == 0;
}

void hook_say (const struct hook *hook, const char *text)
{
  cleanup_free char *held = NULL;
  cleanup_free char **argv = NULL;
  struct command command = { 0 };
  pid_t parent = getppid ();

  fprintf (stderr, "tyrum-oci-hook: %s\n", text);
  if (parent <= 1 || !leads_nowhere (STDERR_FILENO))
    return;
  argv = hook->id && !hook->early ? parents_argv (parent, &held) : NULL;
  if (hook->early ? !is_podman (parent) : !is_runtime (argv, hook->id, &command))
    return;
  if (!hook->early)
    write_log (&command, text);
  write_error (parent, text);
}
