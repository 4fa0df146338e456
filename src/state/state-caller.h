/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Identifies a process of a run in messages: the name of its program and its pid inside. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#define CALLER_SIZE 64

struct caller {
  char program[CALLER_SIZE]; /* printable; the program itself chooses it. Empty: unknown */
  uint32_t pid;              /* 0: unknown */
};

/* THREAD is its id on the host. The thread may have ended and its id been reused, unless the caller prevents
 * that. */
void caller_read (pid_t thread, struct caller *ret_caller);
