/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plan: profile, request, ceiling and host facts, resolved.
 *
 * plan_build is pure. The plan is data, and const once it is built: dry-run prints it, render functions
 * translate it, a backend executes it, explain and the posture walk its controls. Nothing later reads the
 * profile again. What one run adds is a launch (plan-launch.h).
 *
 * plan_build succeeds only if the backend and the host can enforce each required control that was not waived
 * by name; otherwise one message lists all that they cannot.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base-error.h"
#include "base-str.h"
#include "control-backend.h"
#include "host-facts.h"
#include "plan-request.h"
#include "plan-seccomp.h"
#include "profile-ceiling.h"
#include "profile-profile.h"

struct plan_mount {
  char *type;   /* "bind", "tmpfs", "proc", ... */
  char *source; /* binds: the host path without links */
  char *staged; /* in a launch: where the stage has it; NULL otherwise */
  char *target;
  struct strlist options; /* in the order in which they are written */
  bool writable;          /* a bind that can be written */
  uint64_t device, inode; /* binds: of the source as in the host facts; 0 otherwise */
};

enum entry_kind { ENTRY_DIRECTORY, ENTRY_FILE, ENTRY_SYMLINK };

/* One file of a root from the host. */
struct plan_entry {
  enum entry_kind kind;
  char *path;    /* absolute, inside */
  char *text;    /* a file's content, a link's target */
  unsigned mode; /* of directories and files */
};

struct plan_rlimit {
  const char *name;
  uint64_t soft, hard;
};

struct plan_id_map {
  uint32_t inside, outside, count;
};

struct plan_control {
  bool promised;
  bool required;
  bool waivable; /* a request may waive it: neither required by the ceiling nor isolation.type */
  bool accepted; /* waived by the request */
  struct enforcement enforcement;
  char *reason; /* owns enforcement.reason, if the host and not the backend decides; else NULL */
};

#define PLAN_ID_MAPS 3

/* Ids of one run, and the default range: above what distributions and systemd allocate, below 2^31. */
#define PLAN_IDS_PER_RUN 65536u
#define PLAN_IDS_FIRST   1879048192u
#define PLAN_IDS_COUNT   268369920u

struct plan {
  char *profile_name;
  char *profile_file;
  char profile_digest[PROFILE_DIGEST_SIZE];
  struct settings settings;
  struct plan_control controls[CONTROL_COUNT];
  struct strlist notes; /* what is left out and why, for the user */
  const struct backend *backend;
  const struct backend *below; /* as in the request */
  char *runtime;
  char *run_id;
  char *owner; /* from plan_owner */

  struct strlist argv;
  struct strlist env; /* NAME=VALUE, sorted */
  char *cwd;
  uint32_t uid, gid;
  bool terminal;
  char *hostname;
  char *apparmor; /* NULL: none */
  struct filter *filter;
  char *filter_path; /* for an engine that reads the filter from a file; NULL for all others */
  struct plan_rlimit rlimits[4];
  size_t rlimit_count;
  uint64_t open_files_hard; /* this host's hard RLIMIT_NOFILE */
  uint64_t processes_hard;  /* this host's hard RLIMIT_NPROC, or its largest pid if that is less */

  enum root_kind root;
  char *root_path;                  /* directory: the path; image: the reference; host: NULL */
  uint64_t root_device, root_inode; /* directory: as in the host facts */
  bool root_read_only;
  struct plan_entry *entries; /* ROOT_FROM_HOST: parents before children */
  size_t entry_count;
  struct plan_mount *mounts; /* in the order in which they are made */
  size_t mount_count;
  struct strlist masked, read_only; /* paths */
  struct strlist engines_own;       /* where an engine mounts files or trees that it generates */

  bool user_namespace;
  bool unprivileged; /* without root: the user namespace must be created before anything else */
  bool engines_ids;  /* the user namespace is that of a rootless engine, which has its maps already */
  bool network_namespace;
  struct plan_id_map uid_maps[PLAN_ID_MAPS], gid_maps[PLAN_ID_MAPS];
  size_t uid_map_count, gid_map_count;
  unsigned id_slot;
  unsigned id_slots; /* number of private id ranges on this host; 0: the run needs none */

  enum cgroup_mode cgroup;
  bool swap_limit;
  char *cgroup_path;      /* NULL: none is available */
  char *cgroup_delegated; /* its parent, if that was delegated to the user; or NULL */
  bool cgroup_ours;       /* the supervisor creates it, not the runtime; true if delegated */
  uint64_t memory, pids, cpu_quota, cpu_period; /* 0: no limit */
  uint64_t wall_ms, output_bytes;               /* 0: no limit; output: UINT64_MAX for none */
  uint64_t idle_ms, output_rate;                /* 0: no limit; the rate in bytes per second */
  bool output_cut;                              /* excess output is discarded; otherwise it ends the run */
};

/* Paths whose facts plan_build needs (a set); pass them to host_look_path before. */
int plan_paths (const struct profile *profile, const struct request *request, struct strlist *ret_paths,
                struct error *err);

int plan_build (const struct profile *profile, const struct request *request, const struct ceiling *ceiling,
                const struct host_facts *host, struct plan **ret_plan, struct error *err);

/* The path of the cgroup of RUN. */
char *plan_cgroup_name (const struct plan *plan, const char *run);

/* The user and the directory of live state. A label of the container, which distinguishes this user's
 * containers from those of others in the same engine. */
char *plan_owner (const struct host_facts *host);

/* The file from which an engine reads the filter of RUN. */
char *plan_filter_path (const char *state, const char *run);

/* Where programs read the limits of their cgroup. */
#define PLAN_GROUP_VIEW "/sys/fs/cgroup"

/* The mount that shows the run's own cgroup to the command; NULL: none, or the engine's. With version 1 it is
 * a directory, in which a launch has a mount for each hierarchy. */
const struct plan_mount *plan_group_view (const struct plan *plan);

/* Whether the container has its own kernel, so that init is not a process of the host. */
static inline bool plan_has_own_kernel (const struct plan *plan)
{
  return plan->backend->own_kernel || (plan->below != NULL && plan->below->own_kernel);
}

/* Whether the command can execute only what process.tools names. */
bool plan_bounds_tools (const struct plan *plan);

bool plan_mount_has (const struct plan_mount *mount, const char *option);
void plan_mount_clear (struct plan_mount *mount);
void plan_free (struct plan *plan);
DEFINE_CLEANUP (struct plan, plan_free)
#define cleanup_plan cleanup (plan_free_p)
