/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A probe: a run that is made to observe what a profile enforces on this host, now.
 *
 * It is launched and judged like every run, and is in the journal under the name of the verb. probe_open
 * reads the options; after it any number of runs can be made, each with a command and optionally another
 * workspace or tighter limits in the request.
 */
#pragma once

#include "base-error.h"
#include "doctor-scratch.h"
#include "options-options.h"
#include "options-output.h"
#include "session-session.h"

struct probe {
  struct session_request request;
  struct scratch scratch;
  char *workspace; /* in SCRATCH; NULL: none was needed */
};

/* VIA is the verb. PROFILE is NULL for the one in the options. If the options name no workspace, an empty
 * directory is created, so that the result does not depend on the current directory. */
int probe_open (struct probe *probe, const struct arguments *arguments, const char *via, const char *profile,
                struct error *err);

/* Runs ARGV, NULL-terminated, with standard output and error to OUT (-1: dropped). A run that is refused
 * because of its posture is no failure; see the result. *RET_RUN must be cleared also on failure. */
int probe_launch (const struct probe *probe, const char *const *argv, int out,
                  struct session_outcome *ret_run, struct output *output, struct error *err);

/* Name and version of the runtime of RUN. */
int probe_version (const struct probe *probe, const struct session_outcome *run, char **ret_text,
                   struct error *err);

/* Runs 'true'. Fails if nothing could be observed. */
int probe_observe (const struct probe *probe, struct session_outcome *ret_run, struct output *output,
                   struct error *err);

void probe_clear (struct probe *probe);
#define cleanup_probe cleanup (probe_clear)
