/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A launch: what one run adds to a plan.
 *
 * A plan is const once it is built. A launch holds what the run decides afterwards: its id, its range of ids,
 * its cgroup, the paths on the stage, and the arguments of init. Documents are rendered from both.
 *
 * The stage is a private mount namespace in which the run opens every host path itself, by descriptor, and
 * mounts it below one directory that no other process sees. The runtime finds its sources there, so that
 * replacing a link after the check has no effect.
 *
 * A launch starts as a copy of the plan's values (launch_init). Everything here is pure.
 */
#pragma once

#include "base-error.h"
#include "plan-plan.h"

#define STAGE_INIT_TARGET "/run/tyrum/init"

enum init_transport { INIT_OVER_FDS, INIT_OVER_STDIO, INIT_OVER_SOCKET };

struct launch {
  char *run_id;
  struct strlist init; /* goes before argv; empty: not staged */
  struct strlist argv; /* the command; empty for a prewarmed sandbox that has none yet */
  struct strlist env;
  char *cwd;
  bool prewarmed;          /* init receives the command later */
  bool passed_descriptors; /* init is started with its two sockets */
  bool over_streams;       /* an engine has to connect the standard streams */
  uint64_t runtime_files;  /* RLIMIT_NOFILE for the runtime, if it needs more; 0: as planned */

  enum root_kind root; /* an unpacked image is a directory */
  char *root_path;
  uint64_t root_device, root_inode;
  char *staged_root;         /* where the stage has the root; NULL: not staged */
  struct plan_mount *mounts; /* the plan's, and those of init, the rendezvous and cgroup hierarchies */
  size_t mount_count;
  struct strlist masked; /* those of the plan's that can exist */

  bool staged_ids; /* the stage creates the user namespace, and the runtime starts in it */
  struct plan_id_map uid_maps[PLAN_ID_MAPS], gid_maps[PLAN_ID_MAPS];
  size_t uid_map_count, gid_map_count;
  char *cgroup_path; /* NULL: none */
  bool cgroup_ours;  /* the supervisor creates it, not the runtime */

  char *filter_path; /* for an engine that reads the filter from a file; NULL for all others */
  char *program;     /* the compiled filter in base64; NULL: the runtime gets rules */
  bool listens;      /* init loads the filter a second time, with a listener that the supervisor serves */
};

/* Copies the values of PLAN. */
int launch_init (const struct plan *plan, struct launch *ret_launch, struct error *err);

/* Renders PLAN as it is, for a dry run. */
int launch_planned (const struct plan *plan, char **ret_text, struct error *err);

/* Sets RUN_ID, and the cgroup and filter paths that contain it. STATE is the directory of live state. */
int launch_name (const struct plan *plan, const char *state, const char *run_id, struct launch *launch,
                 struct error *err);

/* Uses the private id range number SLOT, which must be below the plan's id_slots. */
void launch_use_slot (const struct plan *plan, unsigned slot, struct launch *launch);

/* Binds are staged at DIRECTORY/mounts/N, N being the mount's index; the root at DIRECTORY/rootfs, init at
 * DIRECTORY/init. HIERARCHIES are those of cgroup version 1 to show to the command, such as "cpu,cpuacct". */
int launch_stage (const struct plan *plan, const char *directory, enum init_transport transport,
                  const struct strlist *hierarchies, struct launch *launch, struct error *err);

/* The same where an engine creates the container: it takes sources by path, so there is no stage. INIT is the
 * path of our init; RENDEZVOUS the directory of INIT_OVER_SOCKET, or NULL for another transport. Init removes
 * the variables that engines add. */
int launch_stage_engine (const struct plan *plan, const char *init, const char *rendezvous,
                         enum init_transport transport, struct launch *launch, struct error *err);

/* For a prewarmed sandbox (plan-prewarmed.h): removes the command, and the workspace's source. */
int launch_hold (struct launch *launch, struct error *err);

/* Sets command, workspace and hidden paths of PLAN, which the prewarmed sandbox is to run. */
int launch_tell (const struct plan *plan, struct launch *launch, struct error *err);

/* The mount at TARGET; NULL: there is none. */
struct plan_mount *launch_mount_at (const struct launch *launch, const char *target);

void launch_clear (struct launch *launch);
#define cleanup_launch cleanup (launch_clear)
