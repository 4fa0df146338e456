/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who a process of a run is, for people: the name of its program and its id inside. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#define CALLER_SIZE 64

struct caller {
  char program[CALLER_SIZE]; /* printable; the program itself chooses it. Empty: not known */
  uint32_t pid;              /* 0: not known */
};

/* THREAD is known to us by that id. It may be gone, and the id another's, unless the caller knows better. */
void caller_read (pid_t thread, struct caller *ret_caller);
