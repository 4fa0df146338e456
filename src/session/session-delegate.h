/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handing a run to the daemon. This is the interface behind which --disable-daemon leaves the daemon out:
 * no-daemon.c then replaces delegate.c, and every run is made by its own process.
 *
 * The daemon (src/daemon) runs as the same user. It forks a process that takes over the caller's streams,
 * working directory, environment, resource limits and umask, and makes the run exactly as this process would.
 * This process forwards signals and waits. Any obstacle before that process has begun means that the run is
 * made here.
 *
 * Measured: a launch through the daemon takes 0.82 of a cold one at the median and 0.5 at p95; in a prewarmed
 * sandbox 0.32 (docs/benchmarks.md).
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "session-process.h"

/* ARGV is the whole command line. 1: the run was made, and *RET_STATUS is the exit status. 0: the run has to
 * be made here. An error: the daemon began the run, and its end is not known. A daemon that the client
 * (src/client) has already asked is not asked again. */
int delegate_to_daemon (struct session_process *process, char *const *argv, int *ret_status,
                        struct error *err);

/* The socket of this user's daemon. */
int delegate_socket (const struct configuration *configuration, char **ret_path, struct error *err);

/* Whether the configuration hands runs of this process to the daemon at SOCKET_PATH. The client does not read
 * the configuration, so the daemon's process calls this before it takes the run. False if the configuration
 * cannot be read: the caller then reports the error. */
bool delegate_leads_to (struct session_process *process, const char *socket_path);
