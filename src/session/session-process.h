/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a process is that runs sessions: set up by its main, and passed to all that asks for it.
 *
 * It is the same for every run of the process, but for the sandbox, which one run takes. The configuration is
 * read when it is asked for first, and not again.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base-error.h"
#include "profile-configuration.h"

struct run_prewarmed;

struct session_process {
  /* tyrum-oci-libcrun-helper as a function, in the daemon and what it forks; NULL: it is executed. */
  int (*helper) (int argc, char **argv);
  struct run_prewarmed *prewarmed;     /* a sandbox for the next run, which sets it to NULL; NULL: none */
  struct configuration *configuration; /* NULL: not read yet */
  char *client;                        /* the program that was executed to get here; NULL: not known */
  bool daemon_asked;                   /* the client has asked the daemon at its usual place, in vain */
};

void session_process_clear (struct session_process *process);
#define cleanup_session_process cleanup (session_process_clear)

/* What tyrum-oci (src/client) has told the program that it became, by the environment, which forgets it. */
void session_process_from_client (struct session_process *process);

/* The same in the daemon, of its caller PID. */
void session_process_from_caller (struct session_process *process, pid_t pid);

/* The operator's configuration, as the environment says where it is. No workspace is taken for hostile. */
int session_process_configuration (struct session_process *process,
                                   const struct configuration **ret_configuration, struct error *err);
