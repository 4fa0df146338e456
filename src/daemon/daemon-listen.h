/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The daemon's socket: made here, or passed by systemd. There is one daemon for each socket. */
#pragma once

#include <stdbool.h>

#include "base-error.h"

struct listening {
  int fd;
  int lock;   /* held while the socket exists; -1: systemd made it */
  char *path; /* removed at the end; NULL: systemd made it */
};

#define LISTENING_NONE                                                                                       \
  {                                                                                                          \
    .fd = -1, .lock = -1                                                                                     \
  }

/* -EADDRINUSE: another daemon listens there. -EPERM: other users can write in the socket's directory. */
int listening_open (const char *path, struct listening *ret_listening, struct error *err);

/* Removes the socket's name: there are no further connections, and pending ones can still be accepted. */
void listening_withdraw (struct listening *listening);

void listening_clear (struct listening *listening);
#define cleanup_listening cleanup (listening_clear)
