/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A caller's request, taken off the socket, and how a process becomes the caller's stand-in by it.
 *
 * Nothing in it is believed that the kernel did not say; it only says what the caller could do by itself.
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
  char *text;  /* all words and variables */
  char **argv; /* NULL-terminated, as the next one; both point into TEXT */
  char **variables;
};

#define HANDED_NONE                                                                                          \
  {                                                                                                          \
    .connection = -1, .fds = { -1, -1, -1, -1, -1 }                                                          \
  }

/* Takes over CONNECTION, whatever comes. 0, or a negative errno: who calls is somebody else, has said nothing
 * yet, or what was said is no request. */
int handed_receive (int connection, struct handed *ret_handed);

/* Sent on to another process of ours, and received there. */
int handed_pass (const struct handed *handed, int to);
int handed_take (int from, struct handed *ret_handed);

void handed_clear (struct handed *handed);
#define cleanup_handed cleanup (handed_clear)

/* This process gets the caller's streams, directory, environment, mask and limits. A negative errno where it
 * cannot.
 */
int handed_become (struct handed *handed);

/* Whether the caller may run where we may. */
bool handed_has_our_processors (const struct handed *handed);

/* Says TYPE; false where nobody hears it. */
bool handed_tell (int connection, enum daemon_type type, int value);
