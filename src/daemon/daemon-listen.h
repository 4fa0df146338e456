/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The socket: made here, or handed over by systemd. One daemon for each. */
#pragma once

#include <stdbool.h>

#include "base-error.h"

struct listening {
  int fd;
  int lock;   /* held as long as the socket is ours; -1: somebody else's */
  char *path; /* that goes when we go; NULL: somebody else's */
};

#define LISTENING_NONE                                                                                       \
  {                                                                                                          \
    .fd = -1, .lock = -1                                                                                     \
  }

/* -EADDRINUSE: there is one already. Nobody but us can make names in the socket's directory, or it is
 * refused.
 */
int listening_open (const char *path, struct listening *ret_listening, struct error *err);

/* Nobody else comes from here on; who has come already still waits to be accepted. */
void listening_withdraw (struct listening *listening);

void listening_clear (struct listening *listening);
#define cleanup_listening cleanup (listening_clear)
