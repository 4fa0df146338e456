/* A process that keeps what the supervisor gives up: the power to execute the runtime once more.
 *
 * A runtime has to be told that its container is over, and gVisor's passes signals on. That takes privileges
 * which the supervisor, who copies what the command says, is better without (supervisor-privileges.h). So
 * before it gives them up it leaves them to the steward, which has the stage's namespaces and one socket, and
 * nothing of the command's. It hears which of the two steps is due, never a word or a path; it executes that,
 * and answers with what went wrong. It ends with the supervisor.
 *
 * libcrun and the engines need none: for them nothing is executed any more.
 */
#pragma once

#include <sys/types.h>

#include "backend-backend.h"
#include "base-error.h"

struct run;

struct steward {
  pid_t pid; /* 0: there is none */
  int socket;
};

int steward_start (struct run *run, struct steward *ret_steward);

/* Has STEP executed, and waits for it. */
int steward_step (struct run *run, enum backend_step step);

void steward_stop (struct steward *steward);
