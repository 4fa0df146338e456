/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of a process that runs sessions. main fills them and passes them on.
 *
 * They are the same for every run of the process, except for the prewarmed sandbox, which one run uses up.
 * The configuration is read once, when it is first needed.
 */
#pragma once

#include <sys/types.h>

#include "base-error.h"
#include "profile-configuration.h"
#include "wire-daemon.h"

struct run_prewarmed;

struct session_process {
  /* In the daemon and its forks: tyrum-oci-libcrun-helper as a function. NULL: the program is executed. */
  int (*helper) (int argc, char **argv);
  struct run_prewarmed *prewarmed;     /* a sandbox for the next run, which sets it to NULL; NULL: none */
  struct configuration *configuration; /* NULL: not read yet */
  char *client;                        /* path of the client that the user executed; NULL: not known */
  enum daemon_asked daemon_asked;      /* by the client, at the default socket */
};

void session_process_clear (struct session_process *process);
#define cleanup_session_process cleanup (session_process_clear)

/* Reads what the client (src/client) has passed in environment variables, and unsets these. */
void session_process_from_client (struct session_process *process);

/* The same in the daemon, for the client with process id PID. */
void session_process_from_caller (struct session_process *process, pid_t pid);

/* The operator's configuration. Whether its file lies in the workspace is checked later
 * (configuration_check). */
int session_process_configuration (struct session_process *process,
                                   const struct configuration **ret_configuration, struct error *err);
