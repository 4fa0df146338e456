/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a run's end tells of denials: the kernel's counters, our own timer and caps, and, where the command
 * failed, its own last words.
 *
 * Counters, timer and caps are observed. Words are not: they are held against the plan, and a record comes of
 * them only where the plan explains them, such as "Read-only file system" with a path that the plan has
 * mounted read-only. Words that any program prints for reasons of its own (a missing file, a permission in
 * the workspace, a refused connection) give none. A wrong accusation is worse than a missed one. So is a
 * wrong acquittal: no record means that no denial was seen, never that there was none.
 *
 * Pure but for LOOK, which asks the run's file system while it still stands.
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
  bool read_only;          /* that, or the mount of it */
};

struct outcome {
  const struct plan *plan;
  int code;       /* 0: the command did what it should */
  int signal;     /* that ended it; 0: none, or not known */
  int exec_errno; /* why the command could not be executed; 0: it was */
  bool deadline;
  uint64_t out_dropped, err_dropped; /* bytes beyond the cap */
  bool output_ended;                 /* these made the run end */
  bool killed;  /* the supervisor sent SIGKILL: the deadline, a cap or a caller's signal */
  bool counted; /* whether there was a cgroup to count: */
  uint64_t oom_kills, memory_peak, pids_denied, throttled;
  bool heard;       /* refused calls were told (supervisor-listener.h) */
  const char *tail; /* the end of what it said on standard error; NULL: nothing */
  /* False where PATH is not there, or nobody can say. NULL: nobody can. */
  bool (*look) (void *arg, const char *path, struct outcome_seen *ret_seen);
  void *look_arg;
};

/* Whether it is the profile's filesystem.hide that covers PATH, and not what every run covers. */
bool plan_hides (const struct plan *plan, const char *path);

/* Somebody looked into PATH, which the plan covers: it found nothing there. Counts it, or adds it; as nothing
 * failed by that, it is aside until the command fails and turns out to have meant that path. */
void masked_read_record (const struct plan *plan, const char *path, const char *program, uint32_t pid,
                         struct denials *denials);

/* Adds what can be told. What memory is missing for is lost. True where the command failed in a way that a
 * control can cause: it could not be executed, the kernel ended it, or its last words are of that kind. */
bool outcome_explain (const struct outcome *outcome, struct denials *denials);
