/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command's process, from fork to exec.
 *
 * It gets a session of its own, the terminal if there is one, every signal in its default state, and the
 * standard streams; nothing else of init's. Its OOM score is raised, so that the kernel kills it before init.
 */
#pragma once

#include <sys/types.h>

#include "init-failure.h"
#include "init-options.h"

struct command {
  pid_t pid;
  int report; /* read end of a pipe: an error if the exec failed, empty if it succeeded */
};

/* Returns once the process exists; the exec comes later. All signals must be blocked. */
int command_start (const struct options *options, struct command *ret_command, struct failure *failure);

/* To be called once, after the process has ended. RET_EXEC_ERR is 0 if the command ran, a positive errno if
 * it could not be executed. A failure means that a step before the exec failed. */
int command_exec_error (const struct command *command, int *ret_exec_err, struct failure *failure);
