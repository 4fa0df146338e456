/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The caller's side of wire-daemon.h: hands a run over, forwards signals, and waits.
 *
 * A failure before DAEMON_TAKEN leaves this process unchanged, with signals that came meanwhile still
 * pending. The static client (src/client) links it, so it uses the C library only.
 */
#pragma once

#include "base-error.h"

/* A connection to the daemon at PATH, or a negative errno: -EPERM if the kernel's credentials show that it
 * belongs to another user. */
int hand_over_connect (const char *path);

/* ARGV is the whole command line. 1: the run was made, and *RET_STATUS is the exit status. 0: the run has to
 * be made here. An error: the run was begun, and its end is not known; signals are left blocked. */
int hand_over (int connection, char *const *argv, int *ret_status, struct error *err);
