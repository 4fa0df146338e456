/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The duties of process 1 while the command runs: reap every process that ends, and forward signals.
 *
 * Orphaned processes become init's children; without reaping, zombies would fill the container. Signals that
 * are sent to the container arrive at init and go to the command's process group. No handler, no polling:
 * init sleeps until a signal arrives.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "init-failure.h"

struct ending {
  int code;   /* the command's exit code, or -1 */
  int signal; /* the signal that ended it, or 0 */
};

/* Returns when the command itself has ended. Others may still run: the kernel kills them when init exits.
 * With TTY the stop signals of job control are not forwarded: the terminal sends those to its foreground
 * process group. */
int watch_command (pid_t command, bool tty, struct ending *ret_ending, struct failure *failure);
