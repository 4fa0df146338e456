/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The payload's process, from fork to exec.
 *
 * It gets a session of its own, the terminal if there is one, every signal in its default state, and the
 * standard streams; nothing else of init. The kernel shall rather end it than init when memory runs out.
 */
#pragma once

#include <sys/types.h>

#include "init-failure.h"
#include "init-options.h"

struct command {
  pid_t pid;
  int report; /* read end of a pipe that says why the program could not be executed; empty if it could */
};

/* Returns as soon as the process is there; the exec is yet to come. All signals must be blocked. */
int command_start (const struct options *options, struct command *ret_command, struct failure *failure);

/* To be called once, after the process has ended. 0 in RET_EXEC_ERR: it ran. A positive errno: the program
 * could not be executed. A failure: what stands before the exec did not work. */
int command_exec_error (const struct command *command, int *ret_exec_err, struct failure *failure);
