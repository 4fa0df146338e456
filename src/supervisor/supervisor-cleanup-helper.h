/* A process that keeps what the supervisor gives up: the power to execute the runtime once more.
 *
 * A runtime has to be told that its container is over, and gVisor's passes signals on. That takes privileges
 * which the supervisor, who copies what the command says, is better without (supervisor-privileges.h). So
 * before it gives them up it leaves them to the cleanup helper, which has the stage's namespaces and one
 * socket, and nothing of the command's. It hears which of the two steps is due, never a word or a path; it
 * executes that, and answers with what went wrong. It ends with the supervisor.
 *
 * libcrun and the engines need none: for them nothing is executed any more.
 */
#pragma once

#include <sys/types.h>

#include "supervisor-driver.h"
#include "base-error.h"

struct run;

struct cleanup_helper {
  pid_t pid; /* 0: there is none */
  int socket;
};

int cleanup_helper_start (struct run *run, struct cleanup_helper *ret_helper);

/* Has STEP executed, and waits for it. */
int cleanup_helper_step (struct run *run, enum runtime_step step, struct error *err);

void cleanup_helper_stop (struct cleanup_helper *cleanup_helper);
