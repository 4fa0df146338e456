/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The caller's side of a daemon that stays, as wire-daemon.h has it: hands this process over, passes
 * signals on, and waits.
 *
 * Whatever speaks against it before the daemon has said TAKEN leaves this process as it was, with its
 * signals still waiting for it. It is linked into the static front as well (src/client), so it needs the C
 * library and nothing else.
 */
#pragma once

#include "base-error.h"

/* A connection to the daemon at PATH that is this user's, by the kernel's word; or a negative errno. */
int hand_over_connect (const char *path);

/* WORDS is the whole command line. 1: it was carried out, and *RET_STATUS is the exit status. 0: it has to be
 * done here. An error: it was begun there and nobody knows how it ended; signals are blocked then. */
int hand_over (int connection, char *const *argv, int *ret_status, struct error *err);
