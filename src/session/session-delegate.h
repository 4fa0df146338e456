/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handing a command line to a daemon that stays, so that it is carried out there as if it were here.
 *
 * The daemon (src/daemon) belongs to the same user and forks a process that takes the caller's streams,
 * working directory, environment, limits and mask, and does the same as this process would. We pass signals
 * on and wait. Whatever speaks against it, before that process has begun, means that it is done here, only
 * slower.
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "session-process.h"

/* ARGV is the whole command line. 1: it was carried out, and *RET_STATUS is the exit status. 0: it has to be
 * done here. An error: it was begun there, and its end is not known. A daemon that the client (src/client)
 * has asked in vain is not asked, and perhaps waited for, a second time. */
int delegate_to_daemon (struct session_process *process, char *const *argv, int *ret_status,
                        struct error *err);

/* Where the daemon of this user listens. */
int delegate_socket (const struct configuration *configuration, char **ret_path, struct error *err);

/* Whether a run in this environment and directory would be handed to the daemon at SOCKET_PATH. The client
 * does not read what the operator has configured; the process that stands in for it asks this before it
 * begins. A configuration that cannot be read leads nowhere: the caller then says what is wrong. */
bool delegate_leads_to (struct session_process *process, const char *socket_path);
