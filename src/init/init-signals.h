/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals by the kernel's own interface: all 64 of them.
 *
 * The C libraries reserve two or three real-time signals, and leave them out of every set and every
 * sigaction. Process 1 has to block, forward and reset those as well, so it makes the system calls directly.
 *
 * Init has no handlers. All signals are blocked from the start and taken from the queue in one place. A fault
 * of init's own still ends it: the kernel unblocks those.
 */
#pragma once

#include <signal.h>

#include "init-failure.h"

int signals_block_all (struct failure *failure);
int signals_unblock_all (void);

/* Sets the default disposition for every signal. For the command, because an ignored signal stays ignored
 * across exec; for init, because with SIGCHLD ignored the kernel discards the statuses of children. */
void signals_default_all (void);

/* Waits for a blocked signal. Returns 0 or a negative errno, never -EINTR. */
int signals_wait (siginfo_t *ret_info);
