/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A probe: a run that is made to learn what a profile is worth on this host, now.
 *
 * It is launched as `run` launches, is judged as every run is, and stands in the journal under the verb's
 * name. probe_open reads the options; then any number of runs, each with a command and, if the caller likes,
 * another workspace or tighter limits in the request.
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
  char *workspace; /* in it; NULL: none was needed */
};

/* VIA is the verb. PROFILE is NULL for what the options say. Where the options name no workspace, an empty
 * directory is made for it: what is learnt does not depend on where it is asked. */
int probe_open (struct probe *probe, const struct arguments *arguments, const char *via, const char *profile,
                struct error *err);

/* Runs ARGV, NULL-terminated, with standard output and error into OUT (-1: dropped). A run that is refused
 * by its posture is no failure: the result says so. *RET_RUN is to be cleared also on failure. */
int probe_launch (const struct probe *probe, const char *const *argv, int out,
                  struct session_outcome *ret_run, struct output *output, struct error *err);

/* Name and version of what carried RUN out. */
int probe_version (const struct probe *probe, const struct session_outcome *run, char **ret_text,
                   struct error *err);

/* Runs 'true'. Fails where nothing could be observed. */
int probe_observe (const struct probe *probe, struct session_outcome *ret_run, struct output *output,
                   struct error *err);

void probe_clear (struct probe *probe);
#define cleanup_probe cleanup (probe_clear)
