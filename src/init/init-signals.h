/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals in the kernel's own terms: all 64 of them.
 *
 * The C libraries keep two or three real-time signals for themselves, and leave them out of every set and
 * every sigaction. Process 1 has to block, forward and reset those as well, so the calls are made directly.
 *
 * Init has no handler at all. Everything is blocked from the start and taken from the queue in one place. A
 * fault of init's own still ends it: the kernel does not leave those blocked.
 */
#pragma once

#include <signal.h>

#include "init-failure.h"

int signals_block_all (struct failure *failure);
int signals_unblock_all (void);

/* The default disposition for every signal. Before the payload, because an ignored signal stays ignored over
 * an exec; in init, because an ignored SIGCHLD takes away the children's statuses. */
void signals_default_all (void);

/* Waits until a blocked signal comes in. Returns 0 or a negative errno, never -EINTR. */
int signals_wait (siginfo_t *ret_info);
