/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tyrum-oci, the program that users execute: static and small, because it only has to start fast.
 *
 * It asks the daemon (src/daemon) at the default socket to make the run, and waits. If there is no daemon, or
 * it declines or does not answer, and for every other verb, it executes tyrum-oci-cli with the same argv and
 * env. Starting a program with libraries takes longer than handing a run over: with a static client a launch
 * takes 7 % less through the daemon and 10 % less in a prewarmed sandbox (docs/benchmarks.md). In a build
 * without a daemon it always executes tyrum-oci-cli.
 *
 * It reads no configuration: the daemon reads the caller's before it takes a run (delegate_leads_to).
 *
 * Must never: decide anything differently from tyrum-oci-cli. In doubt it leaves the decision to that.
 */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-exit-code.h"
#include "base-str.h"
#include "client-ask-daemon.h"

/* session/paths.c finds the other programs in the same way. */
static int become_cli (char *const *argv, struct error *err)
{
  const char *told = secure_getenv ("TYRUM_OCI_LIBEXECDIR");
  cleanup_free char *program =
      str_format ("%s/tyrum-oci-cli", told != NULL && told[0] != '\0' ? told : TYRUM_OCI_LIBEXECDIR);

  if (program == NULL)
    return error_oom (err);
  execv (program, argv);
  return error_set_errno (
      err, errno,
      "execute '%s', which is most of this program (TYRUM_OCI_LIBEXECDIR names its directory where it is "
      "not installed)",
      program);
}

/* The process id, which execve keeps, makes it a message to tyrum-oci-cli and not to a process started later.
 */
static void pass_asked (enum daemon_asked asked)
{
  char text[32];

  if (asked == DAEMON_NOT_ASKED)
    return;
  snprintf (text, sizeof (text), "%d%s", (int) getpid (), asked == DAEMON_NOT_THERE ? DAEMON_ASKED_NONE : "");
  setenv (DAEMON_ASKED, text, 1);
}

/* The client's own path: the command must not be able to write this file. If it cannot be found, only the
 * installed path is protected. */
static void pass_path (void)
{
  char path[PATH_MAX], text[PATH_MAX + 16];
  ssize_t len = readlink ("/proc/self/exe", path, sizeof (path) - 1);

  if (len <= 0)
    return;
  path[len] = '\0';
  snprintf (text, sizeof (text), "%d:%s", (int) getpid (), path);
  setenv (DAEMON_CLIENT, text, 1);
}

static int fail (const char *prefix, const struct error *err, int status)
{
  sigset_t none;

  /* hand_over leaves signals blocked; a write to a pipe that is not read must stay interruptible. */
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  dprintf (STDERR_FILENO, "%s: %s\n", prefix, error_text (err));
  return status;
}

int main (int argc, char **argv)
{
  cleanup_error struct error err = { 0 };
  char *const *arguments = argv + (argc > 0);
  const struct client_verb *verb = ask_verb (arguments);
  enum daemon_asked asked = DAEMON_NOT_ASKED;
  int status = EXIT_NOT_RUN, r = verb ? ask_daemon (arguments, &status, &asked, &err) : 0;

  if (r > 0)
    return status;
  if (r < 0)
    return fail (verb->prefix, &err, verb->failed);
  pass_asked (asked);
  pass_path ();
  become_cli (argv, &err);
  return fail ("tyrum-oci", &err, EXIT_NOT_RUN);
}
