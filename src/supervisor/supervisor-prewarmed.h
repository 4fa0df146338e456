/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prewarmed sandboxes: made and proven before it is known what will run in them.
 *
 * run_prewarm goes as far as a run goes without its command: a container stands, init waits in it, and every
 * promise has been observed, of a launch without command and workspace
 * (plan-launch.h). run_execute with such a sandbox compares its plan with the one that is wanted, to the
 * last byte of what both were made from (render-shape.h); it moves the workspace into the container, tells
 * init the rest, observes every promise again, now of the whole plan, and goes on as any run does. Where the
 * plans differ, or any of this fails before init knows the command, the sandbox is taken down, and the run
 * makes its own. A sandbox is never used twice.
 *
 * Must never: let anything of one caller into a sandbox that another gets.
 */
#pragma once

#include "state-run-dir.h"
#include "supervisor-run.h"

struct run_prewarmed;

/* OPTIONS and what they point to must stay until the sandbox is adopted or discarded. */
int run_prewarm (const struct run_options *options, uint32_t owner_uid, uint32_t owner_gid,
                 struct run_prewarmed **ret_prewarmed, struct error *err);

const char *run_prewarmed_id (const struct run_prewarmed *prewarmed);

/* Readable when a signal asks for the end of the sandbox. */
int run_prewarmed_signals (const struct run_prewarmed *prewarmed);

/* Whether PLAN, not staged yet, is one that the sandbox would serve: it lives, has the init that is installed
 * now, and was made of a plan that is the same in all that cannot be told to it. */
bool run_prewarmed_serves (const struct run_prewarmed *prewarmed, const struct plan *plan);

/* Why a sandbox could not be taken down is in ERR. */
void run_discard (struct run_prewarmed *prewarmed, struct error *err);
