/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A helper process: a fork of this program that does one thing and ends with its parent.
 *
 * A helper gets the descriptors that it is given and no others, so it keeps no pipe, lock or socket of its
 * parent open. SIGKILL ends it when its parent ends; a change of credentials clears that, and helper_follow
 * sets it again. It never returns into the code of its parent: when its function returns, it has ended.
 *
 * The parent has its pid and, where one was asked for, the other end of a socket.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base-error.h"

struct helper {
  pid_t pid;  /* 0: there is none */
  int socket; /* -1: none */
};

#define HELPER_NONE ((struct helper){ 0, -1 })

/* The helper's end of the socket, and the first of the given descriptors where it has no socket. */
enum { HELPER_FD = 3 };

struct helper_call {
  const char *name; /* as ps prints it; NULL: the parent's */
  bool socket;      /* of packets; FDS follow it */
  const int *fds;   /* what it gets from HELPER_FD on; -1: a closed one. 0, 1 and 2 are /dev/null */
  size_t fd_count;
  int (*main) (void *data); /* returns the exit code */
  void *data;
};

/* A helper that cannot be set up is killed by SIGKILL, which its parent sees when it waits. */
int helper_fork (const struct helper_call *call, struct helper *ret_helper, struct error *err);

/* In a child: has the end of PARENT end it. False where PARENT has ended already. */
bool helper_follow (pid_t parent);

/* Kills it. That takes the kernel a while, for which helper_clear waits. */
void helper_kill (const struct helper *helper);

/* Ends it and closes the socket. Does nothing where there is none. */
void helper_clear (struct helper *helper);

/* In a child: puts FDS at 0, 1, 2, ...; a missing one below 3 becomes /dev/null. Everything else is closed.
 * At most HELPER_FDS_MAX. */
#define HELPER_FDS_MAX 8
int descriptors_arrange (const int *fds, size_t count);
