/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A caller's request, received from the socket, and making this process run in place of the caller.
 *
 * Only the kernel's credentials are trusted. The request itself asks for nothing that the caller could not do
 * by itself.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base-cleanup.h"
#include "wire-daemon.h"

struct handed {
  int connection;
  pid_t caller;
  int fds[DAEMON_FDS];
  struct daemon_request request;
  char *text;  /* the strings of argv and env */
  char **argv; /* this and the next are NULL-terminated and point into TEXT */
  char **env;
};

#define HANDED_NONE                                                                                          \
  {                                                                                                          \
    .connection = -1, .fds = { -1, -1, -1, -1, -1 }                                                          \
  }

/* Takes over CONNECTION, also on failure. A negative errno: the caller is another user or has other
 * privileges, has sent nothing yet, or has sent no valid request. */
int handed_receive (int connection, struct handed *ret_handed);

/* Sends the request to another process of the daemon, and receives it there. */
int handed_pass (const struct handed *handed, int to);
int handed_take (int from, struct handed *ret_handed);

void handed_clear (struct handed *handed);
#define cleanup_handed cleanup (handed_clear)

/* This process takes over the caller's streams, directory, environment, umask, resource limits, priority and
 * processors. 0 or a negative errno. */
int handed_become (struct handed *handed);

/* Whether the caller may use the same processors as this process. */
bool handed_has_our_processors (const struct handed *handed);

/* Sends a reply; false if the caller is gone. */
bool handed_tell (int connection, enum daemon_type type, int value);
