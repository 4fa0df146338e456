/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The judges, one file per topic, and what they share.
 *
 * A judge records its verdict on each of its controls with judge_say. The first verdict on a control stands
 * unless a later one is worse: violated stays violated, and unverified does not become verified.
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
  bool has_mounts;                           /* the mount table was read inside, and outside if out->seen */
  struct proc_mounts mounts, outside_mounts; /* equal, except for the roots of cgroup mounts */
  bool failed;                               /* memory ran out */
};

/* Records a verdict on CONTROL with its evidence. */
void judge_say (struct judge *judge, enum control control, enum verdict verdict, enum seen seen,
                const char *format, ...) __attribute__ ((format (printf, 5, 6)));

/* SEEN_BOTH if init can be seen from outside, else SEEN_INSIDE. */
enum seen judge_seen (const struct judge *judge);

/* The evidence that the kernel inside is not the host's, to be freed; NULL: it may be the host's. */
char *judge_own_kernel (const struct judge *judge);

/* Whether the file system with DEVICE is mounted on the host. */
bool judge_is_of_host (const struct outside *out, uint64_t device);
/* Whether MOUNT was made on the stage of this run. */
bool judge_is_staged (const struct promises *promises, const struct proc_mount *mount);
/* Whether MOUNT shows cgroups, or lies where programs look for them. */
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
