/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The duties of process 1 while the payload runs: take in every process that ends, and pass signals on.
 *
 * Processes whose parents ended become init's children; it collects their statuses, or the container would
 * fill up with dead entries. Signals that are sent to the container arrive at init and go to the payload's
 * process group. No handler, no polling: init sleeps until a signal is there.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "init-failure.h"

struct ending {
  int code;   /* the payload's exit code, or -1 */
  int signal; /* the signal that ended it, or 0 */
};

/* Returns when the payload itself has ended. Others may still run: the kernel ends them with init. With TTY
 * the stop signals of job control are not passed on: the terminal sends those to whoever is in its
 * foreground. */
int watch_command (pid_t command, bool tty, struct ending *ret_ending, struct failure *failure);
