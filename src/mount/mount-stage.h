/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stage: a private mount namespace in which a run's root and sources are mounted before the runtime
 * starts.
 *
 * stage_build runs in a forked child of the supervisor. It does not touch the host's mounts: everything is
 * mounted in the child's own namespace, below one tmpfs, and vanishes with the last process in it. Each host
 * path is opened once, without following links, compared with the plan (device and inode), and mounted by
 * descriptor. A root that is not ours is only used as a lower layer: nothing is written to it, not even a
 * mount point. A root with a link at a mount point is refused, because runtimes write through the link.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base-error.h"
#include "cgroup-group.h"
#include "plan-launch.h"

struct stage {
  const struct plan *plan;
  const struct launch *launch; /* staged for DIRECTORY */
  const char *directory;       /* an empty directory of the run; the tmpfs is mounted here */
  const char *init;            /* the path of the static init; it is ours, so links in it are followed */
  const char *runtime;         /* our own helper */
  const char *staged_runtime;  /* where it is mounted; NULL: it is not */
  int report;                  /* to the supervisor, which writes our id maps when it receives STAGE_MAP_ME */
  const struct cgroup *group;  /* the run's, open; at the launch's path */
  bool own_kernel;  /* the runtime makes files with ids of its own, and an idmapped mount would refuse them */
  bool cgroup_view; /* hide version 2 of a hybrid host from the runtime */
  bool cgroup_empty; /* and version 1, if the runtime does not use cgroups */
};

#define STAGE_MAP_ME "map"

/* In the supervisor: writes the id maps of LAUNCH for process PID, which is in a new user namespace. */
int stage_write_maps (const struct launch *launch, pid_t pid, struct error *err);

/* A user namespace, made in advance, that maps files of OWNER_UID:OWNER_GID to the command; FD is -1 if none
 * is needed. */
struct id_view {
  uint32_t owner_uid, owner_gid;
  int fd;
};

int stage_make_id_view (const struct plan *plan, const struct launch *launch, struct id_view *view,
                        struct error *err);

/* The source of MOUNT as a tree that is not mounted anywhere yet, for a container that already exists. VIEW
 * is used if it is for the source's owner. A descriptor, or an error. */
int stage_take_source (const struct plan *plan, const struct launch *launch, const struct plan_mount *mount,
                       const struct id_view *view, struct error *err);

/* Must be called in a single-threaded process of its own. */
int stage_build (const struct stage *stage, struct error *err);
