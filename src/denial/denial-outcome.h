/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Denials derived at the end of a run: from the kernel's counters, our timer and caps, and, if the command
 * failed, the end of its standard error.
 *
 * Counters, timer and caps are observed. Messages are only compared with the plan, and give a record only if
 * the plan explains them, such as "Read-only file system" with a path that the plan mounts read-only.
 * Messages with ordinary causes (a missing file, a permission in the workspace, a refused connection) give
 * none: a wrong record is worse than a missing one. No record means that no denial was seen, never that there
 * was none.
 *
 * Pure except for LOOK, which reads the run's file system while it exists.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "denial-record.h"
#include "plan-plan.h"

/* A path inside, links followed within the run's root. */
struct outcome_seen {
  uint64_t device, inode;
  uint32_t mode, uid, gid; /* as inside, where ids are mapped */
  uint64_t free_bytes;     /* of the file system that it is on */
  bool read_only;          /* the file system, or its mount */
};

struct outcome {
  const struct plan *plan;
  int code;       /* 0: the command succeeded */
  int signal;     /* that ended it; 0: none, or not known */
  int exec_errno; /* why the command could not be executed; 0: it was executed */
  bool deadline, idle;
  uint64_t out_dropped, err_dropped; /* bytes beyond the cap */
  uint64_t pauses;                   /* of reading, for limits.output_rate */
  bool output_ended;                 /* the cap ended the run */
  bool killed;  /* the supervisor sent SIGKILL: the deadline, a cap or a caller's signal */
  bool counted; /* there was a cgroup, so the counters are valid: */
  uint64_t oom_kills, memory_peak, pids_denied, throttled;
  bool listened;    /* the listener received denied calls (supervisor/listener.c) */
  const char *tail; /* the end of its standard error; NULL: nothing */
  /* False if PATH does not exist or cannot be inspected. NULL: no path can. */
  bool (*look) (void *arg, const char *path, struct outcome_seen *ret_seen);
  void *look_arg;
};

/* Whether the profile's filesystem.hide masks PATH, not the list for every run. */
bool plan_hides (const struct plan *plan, const char *path);

/* A process read PATH, which the plan masks, and found it empty. Adds a record or counts one that exists. It
 * is "aside", because nothing failed, unless the command fails and names that path. */
void masked_read_record (const struct plan *plan, const char *path, const char *program, uint32_t pid,
                         struct denials *denials);

/* Adds all denials that can be derived; without memory, records are lost. True if the command failed in a way
 * that a control can cause: it could not be executed, the kernel killed it, or its messages suggest it. */
bool outcome_explain (const struct outcome *outcome, struct denials *denials);
