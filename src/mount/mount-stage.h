/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stage: a private mount namespace in which a run's root and sources are hung up before a runtime sees
 * them.
 *
 * stage_build runs in a forked child of the supervisor. It leaves the host's mounts alone: everything is
 * mounted in a namespace of the child's own, below one tmpfs, and vanishes with the last process in it. Each
 * host path is opened once, without following a link, compared with what was planned (device and inode), and
 * moved into place by descriptor. A root that is not ours is only ever a lower layer: nothing is written to
 * it, not even a mount point; and where it has a link at a place that is to be mounted on, it is refused, as
 * runtimes write through it.
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
  const char *directory;       /* an empty directory of the run's; the tmpfs goes here */
  const char *init;            /* the static init's path: ours, so links on the way are fine */
  const char *runtime;         /* our own helper, for where it is executed from: */
  const char *staged_runtime;  /* there; NULL: it is not hung up */
  int report;                  /* to the supervisor: it writes our id maps when it hears STAGE_MAP_ME */
  const struct cgroup *group;  /* the run's, held open; of the launch's path */
  bool own_kernel;             /* the runtime makes files with ids of its own; mapping them would refuse it */
  bool cgroup_view;            /* hide a hybrid host's v2 side from the runtime */
  bool cgroup_empty;           /* and its v1 side, which the runtime leaves alone */
};

#define STAGE_MAP_ME "map"

/* In the supervisor: gives process PID, which is in a new user namespace, the ids of LAUNCH. */
int stage_write_maps (const struct launch *launch, pid_t pid, struct error *err);

/* A user namespace by which files of OWNER_UID:OWNER_GID are the command's inside, made in advance; FD is -1
 * where none is needed. */
struct id_view {
  uint32_t owner_uid, owner_gid;
  int fd;
};

int stage_make_id_view (const struct plan *plan, const struct launch *launch, struct id_view *view,
                        struct error *err);

/* The source of MOUNT as a tree that is mounted nowhere yet, for a container that stands already. VIEW is
 * used if the owner is its own. A descriptor, or an error. */
int stage_take_source (const struct plan *plan, const struct launch *launch, const struct plan_mount *mount,
                       const struct id_view *view, struct error *err);

/* Must be called in a process of its own, single-threaded. */
int stage_build (const struct stage *stage, struct error *err);
