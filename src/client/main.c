/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tyrum-oci as people execute it: static and small, so that it is there at once.
 *
 * A daemon that stays (src/daemon) does all of a run; its caller only hands itself over and waits. For
 * that a program with libraries takes longer to start than to do it: in a prewarmed sandbox a run takes 10 %
 * less with this one (p25 of 60 launches by turns). So this one tries just that, at the usual place, and
 * becomes tyrum-oci-cli, with the same words and environment, for everything else: other verbs, no daemon
 * there, one that declines or does not answer.
 *
 * It reads no configuration: that is the daemon's to do, before it takes a run (delegate_leads_to).
 *
 * Must never: decide anything that tyrum-oci-cli would decide otherwise. Whatever is not plain is left to it.
 */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "client-ask-daemon.h"
#include "wire-daemon.h"

#define FAILED 125

/* As the other programs of ours are found (session/paths.c). */
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

/* For the program that we become, and for no process after it: that has another number. */
static void say_asked (void)
{
  char number[16];

  snprintf (number, sizeof (number), "%d", (int) getpid ());
  setenv (DAEMON_ASKED, number, 1);
}

/* And who we are: it must not be writable for what is run. Without it only the installed one is known. */
static void say_self (void)
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

  /* Nobody may be left waiting for a reader that takes nothing. */
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  dprintf (STDERR_FILENO, "%s: %s\n", prefix, error_text (err));
  return status;
}

int main (int argc, char **argv)
{
  cleanup_error struct error err = { 0 };
  char *const *words = argv + (argc > 0);
  const struct client_verb *verb = ask_verb (words);
  bool asked = false;
  int status = FAILED, r = verb ? ask_daemon (words, &status, &asked, &err) : 0;

  if (r > 0)
    return status;
  if (r < 0)
    return fail (verb->prefix, &err, verb->failed);
  if (asked)
    say_asked ();
  say_self ();
  become_cli (argv, &err);
  return fail ("tyrum-oci", &err, FAILED);
}
