/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public data of a run: STATE/runs/ID/record.json, for `ps`, `kill` and `gc`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base-error.h"
#include "plan-launch.h"
#include "state-run-dir.h"

struct run_record {
  char *profile;
  char *backend;
  char *program;
  char *command;       /* argv[0] only: arguments may be secrets */
  char *delegated;     /* the delegated group above the run's, if the supervisor made that itself; or NULL */
  bool ready;          /* a prewarmed sandbox: it has no command yet */
  uint64_t supervisor; /* pid */
  uint64_t started;    /* seconds since 1970 */
};

/* READY: it is a prewarmed sandbox, proven, that waits for a command. */
int run_record_write (const struct run_dir *dir, const struct plan *plan, const struct launch *launch,
                      const char *program, bool ready, struct error *err);
int run_record_read (const struct run_dir *dir, struct run_record *ret_record, struct error *err);
void run_record_clear (struct run_record *record);
#define cleanup_run_record cleanup (run_record_clear)
