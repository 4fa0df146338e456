/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The third point: a socket that listens on the host cannot be reached from inside; from outside, with
 * the same script, it can.
 */
#include <config.h>

#include "doctor-operator-internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Uses the first tool that is installed. */
static const char connect_script[] =
    "if command -v bash >/dev/null 2>&1; then bash -c 'exec 3<>/dev/tcp/127.0.0.1/'\"$1\" 2>/dev/null; "
    "elif command -v python3 >/dev/null 2>&1; then python3 -c 'import socket, sys; "
    "socket.create_connection((\"127.0.0.1\", int(sys.argv[1])), 5)' \"$1\" 2>/dev/null; "
    "elif command -v nc >/dev/null 2>&1; then nc -w 5 127.0.0.1 \"$1\" </dev/null >/dev/null 2>&1; "
    "else echo no tool; exit 0; fi && echo connected || echo refused";

static int listen_somewhere (char port[8], struct error *err)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { .s_addr = htonl (INADDR_LOOPBACK) } };
  socklen_t length = sizeof (address);
  cleanup_close int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  if (fd < 0 || bind (fd, (const struct sockaddr *) &address, sizeof (address)) < 0 || listen (fd, 8) < 0
      || getsockname (fd, (struct sockaddr *) &address, &length) < 0)
    return error_set_errno (err, errno, "cannot listen on this host");
  snprintf (port, 8, "%u", ntohs (address.sin_port));
  return take_fd (&fd);
}

/* Runs the script outside. */
static bool connects_outside (const char *port)
{
  int status = 0;
  pid_t pid = fork ();

  if (pid == 0) {
    cleanup_free char *script = str_format ("test \"$(%s)\" = connected", connect_script);

    if (script != NULL)
      execl ("/bin/sh", "sh", "-c", script, "sh", port, (char *) NULL);
    _exit (127);
  }
  return pid > 0 && waitpid (pid, &status, 0) == pid && WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

int checklist_network (struct checklist *list, struct error *err)
{
  static const char what[] = "connect to a socket on the host's loopback";
  cleanup_trial struct trial trial = { 0 };
  char port[8];
  cleanup_close int listener = -1;
  bool outside;
  int r;

  if (list->first.plan->settings.values[SETTING_NETWORK_MODE].level != NETWORK_NONE) {
    checklist_add (list, POINT_NETWORK, what, false, OUTCOME_OPEN,
                   strdup ("the profile grants a network, so none is blocked"));
    return 0;
  }
  listener = listen_somewhere (port, err);
  if (listener < 0)
    return listener;
  outside = connects_outside (port);
  checklist_add (list, POINT_NETWORK, "connect to it from the host, by the same script", true,
                 outside ? OUTCOME_RIGHT : OUTCOME_OPEN,
                 strdup (outside ? "connected" : "it has no tool to connect"));
  r = checklist_try (list, connect_script, (const char *const[]){ port, NULL }, &trial, err);
  if (r < 0)
    return r;
  if (!trial.started || strstr (trial.text, "no tool") != NULL)
    checklist_add (list, POINT_NETWORK, what, false, OUTCOME_OPEN, trial_text (&trial));
  else
    checklist_add (list, POINT_NETWORK, what, false,
                   strstr (trial.text, "refused") != NULL ? OUTCOME_RIGHT : OUTCOME_WRONG,
                   trial_text (&trial));
  return 0;
}
