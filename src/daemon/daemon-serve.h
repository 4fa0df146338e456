/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process that makes a run in place of its caller. */
#pragma once

#include "daemon-caller-request.h"
#include "session-process.h"

/* Default actions for all signals, none blocked. */
void serve_default_signals (void);

/* Closes all descriptors but FD and the standard streams. */
void serve_close_others (int fd);

/* Takes over the caller's properties and replies DAEMON_TAKEN. False: that failed, or the caller's
 * configuration or command line excludes it; then it has replied DAEMON_DECLINED. From here on SIGTERM comes
 * when the caller closes the connection. */
bool serve_take (struct handed *handed, struct session_process *process);

/* argv with the program's name; NULL: out of memory. */
char **serve_line (const struct handed *handed);

/* Sends the exit status to the caller, and exits. */
__attribute__ ((noreturn)) void serve_end (const struct handed *handed, int status);

__attribute__ ((noreturn)) void serve (struct handed *handed, struct session_process *process);
