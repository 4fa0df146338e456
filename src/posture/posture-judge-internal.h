/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The judges, one file per topic, and what they share.
 *
 * A judge says what it found for each of its controls with judge_say. The first word on a control counts
 * unless a later one is worse: what is violated stays violated, what is unverified is not mended by another
 * look.
 */
#pragma once

#include "posture-posture.h"
#include "posture-proc.h"

struct judge {
  const struct promises *promises;
  const struct inside *in;
  const struct outside *out;
  struct posture *posture;
  bool has_in, has_out; /* whether the statuses below could be read */
  struct proc_status in_status, out_status;
  bool has_mounts; /* the mount table was read inside, and outside where there is an outside */
  struct proc_mounts mounts, outside_mounts; /* alike, but for the way to a cgroup */
  bool failed;                               /* memory ran out */
};

/* Adds to what is known of CONTROL. */
void judge_say (struct judge *judge, enum control control, enum verdict verdict, enum seen seen,
                const char *format, ...) __attribute__ ((format (printf, 5, 6)));

/* The common endings. SEEN is by both where there is an outside. */
enum seen judge_seen (const struct judge *judge);

/* Whether the kernel that init sees is another than the host's; the words for it, to be freed, or NULL. */
char *judge_own_kernel (const struct judge *judge);

/* Whether MOUNT is of a file system that is mounted on the host. */
bool judge_is_of_host (const struct outside *out, uint64_t device);
/* Whether it was made on the stage of this run. */
bool judge_is_staged (const struct promises *promises, const struct proc_mount *mount);
/* Whether it shows cgroups, or is where they are looked for. */
bool judge_is_group_view (const struct proc_mount *mount);

void judge_identity (struct judge *judge);
void judge_process (struct judge *judge);
void judge_seccomp (struct judge *judge);
void judge_mounts (struct judge *judge);
void judge_paths (struct judge *judge);
void judge_spaces (struct judge *judge);
void judge_cgroup (struct judge *judge);
void judge_network (struct judge *judge);
void judge_limits (struct judge *judge);
void judge_environment (struct judge *judge);
void judge_tools (struct judge *judge);
