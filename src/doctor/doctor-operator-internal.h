/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of the operator's checklist, and what they share.
 *
 * A point is a list of attempts. Each attempt must fail or must work, and records what was seen. A point
 * holds if every attempt had the required outcome; an attempt that could not be made leaves the point
 * open, which is not "holds".
 */
#pragma once

#include <stdbool.h>

#include "doctor-operator.h"
#include "doctor-probe.h"

enum point { POINT_RUNTIME, POINT_FILES, POINT_NETWORK, POINT_LIMITS, POINT_JOURNAL, POINT_COUNT };

enum outcome { OUTCOME_RIGHT, OUTCOME_WRONG, OUTCOME_OPEN };

struct attempt {
  enum point point;
  const char *what;
  bool must_work;
  enum outcome outcome;
  char *seen;
};

struct checklist {
  struct probe probe;
  struct output *output;
  char *runtime;                /* name and version of the runtime */
  struct session_outcome first; /* of the first run */
  char *workspace;              /* in the scratch directory */
  struct attempt *attempts;
  size_t count;
  bool failed; /* memory ran out */
};

/* Takes ownership of SEEN; NULL means that memory ran out. */
void checklist_add (struct checklist *list, enum point point, const char *what, bool must_work,
                    enum outcome outcome, char *seen);

/* The result of one run. */
#define TRIAL_BYTES 4096
struct trial {
  bool started; /* a command ran; otherwise TEXT is the reason */
  int code;
  enum run_reason reason;
  uint64_t wall_ms; /* from the first step of the runtime to the end, as for the counters */
  struct cgroup_counters counters;
  char *run;              /* its id; NULL: none */
  char text[TRIAL_BYTES]; /* both streams, truncated */
};

/* Runs sh with SCRIPT and its NULL-terminated arguments. A run that cannot be made is reported in the
 * trial; fails only when memory runs out. */
int checklist_try (struct checklist *list, const char *script, const char *const *arguments,
                   struct trial *ret_trial, struct error *err);
void trial_clear (struct trial *trial);
#define cleanup_trial cleanup (trial_clear)

/* "exit 1, exited" and the first line of its output. */
char *trial_text (const struct trial *trial);

int checklist_files (struct checklist *list, struct error *err);
int checklist_network (struct checklist *list, struct error *err);
int checklist_limits (struct checklist *list, struct error *err);
int checklist_journal (struct checklist *list, struct error *err);
