/* A probe: a run of our own, to learn what a profile is worth on this host, now.
 *
 * It is launched as `run` launches, is judged as every run is, and stands in the journal under the verb's
 * name. probe_open reads the options; then any number of runs, each with words and, if it likes, another
 * workspace or tighter limits in the context's request.
 */
#pragma once

#include "base-error.h"
#include "options-output.h"
#include "session-context.h"
#include "session-scratch.h"
#include "supervisor-run.h"

struct probe {
  const char *via, *profile;
  const char *engine_socket; /* --engine-socket; NULL: none */
  struct context context;
  struct scratch scratch;
};

/* VIA is the verb. PROFILE is NULL for what the options say. Where the options name no workspace, an empty
 * directory is made for it: what is learnt does not depend on where it is asked. */
int probe_open (struct probe *probe, const struct arguments *arguments, const char *via, const char *profile,
                struct error *err);

struct probe_run {
  struct plan *plan;
  struct run_result result;
};

/* Runs WORDS, NULL-terminated, with standard output and error into OUT (-1: dropped). A run that is refused
 * by its posture is no failure: the result says so. */
int probe_launch (struct probe *probe, const char *const *words, int out, struct probe_run *ret_run,
                  struct output *output, struct error *err);

/* Name and version of what carried RUN out. */
int probe_version (const struct probe *probe, const struct probe_run *run, char **ret_text,
                   struct error *err);

/* Runs 'true'. Fails where nothing could be observed. */
int probe_observe (struct probe *probe, struct probe_run *ret_run, struct output *output, struct error *err);

void probe_run_clear (struct probe_run *run);
#define cleanup_probe_run cleanup (probe_run_clear)

void probe_clear (struct probe *probe);
#define cleanup_probe cleanup (probe_clear)
