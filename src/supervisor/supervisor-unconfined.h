/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A command without any sandbox. Nothing is planned, limited, watched or hidden; nothing is promised.
 *
 * Small on purpose, and apart from everything else: no path of a run with a sandbox leads here, and nothing
 * of what such a run has (streams, deadline, posture, state) is there to be mistaken for it. The command is
 * our child, as it would be a shell's.
 */
#pragma once

#include "base-error.h"
#include "base-str.h"
#include "supervisor-run.h"

/* Runs ARGV in this environment, directory and session, and waits. Only what a parent sees is in the result:
 * how it ended, and after how long. */
int unconfined_execute (const struct strlist *argv, struct run_result *ret_result, struct error *err);
