/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plan: profile, request, ceiling and host facts, resolved into all that will be done.
 *
 * plan_build is pure. What comes out is data, and const from then on: dry-run prints it, render functions
 * translate it, a backend carries it out, explain and the posture walk its controls. Nothing later looks at a
 * profile again. What one run adds to it is a launch (plan-launch.h).
 *
 * A plan that exists is one that the backend and the host can carry: each required control that they
 * cannot enforce, and that was not accepted by name, has refused it, all of them in one message.
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
  uint64_t device, inode; /* binds: what the source was when it was looked at; 0 otherwise */
};

enum entry_kind { ENTRY_DIRECTORY, ENTRY_FILE, ENTRY_SYMLINK };

/* One thing in a root that we put together ourselves. */
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
  bool waivable; /* a request may waive it: neither the ceiling nor its own meaning forbids that */
  bool accepted; /* waived by the request */
  struct enforcement enforcement;
  char *reason; /* why, where the host and not the backend decides; else NULL */
};

#define PLAN_ID_MAPS 3

/* Ids of one run, and where they are taken from where the operator names no range: above what distributions
 * and systemd hand out, below 2^31. */
#define PLAN_IDS_PER_RUN 65536u
#define PLAN_IDS_FIRST   1879048192u
#define PLAN_IDS_COUNT   268369920u

struct plan {
  char *profile_name;
  char *profile_file;
  char profile_digest[PROFILE_DIGEST_SIZE];
  struct settings settings;
  struct plan_control controls[CONTROL_COUNT];
  struct strlist notes; /* what is left out and why, for people */
  const struct backend *backend;
  const struct backend *below; /* as in the request */
  char *runtime;
  char *run_id;
  char *owner; /* whose run it is: the directory of our live state, and the user */

  struct strlist argv;
  struct strlist env; /* NAME=VALUE, sorted */
  char *cwd;
  uint32_t uid, gid;
  bool terminal;
  char *hostname;
  char *apparmor; /* NULL: none */
  struct filter *filter;
  char *filter_path; /* for an engine that reads the filter from a file of its host; NULL for all others */
  struct plan_rlimit rlimits[4];
  size_t rlimit_count;
  uint64_t open_files_hard; /* the most that this host gives */
  uint64_t processes_hard;  /* the same for processes of one user */

  enum root_kind root;
  char *root_path;                  /* directory: the path; image: the reference; host: NULL */
  uint64_t root_device, root_inode; /* directory: what it was when it was looked at */
  bool root_read_only;
  struct plan_entry *entries; /* ROOT_FROM_HOST: parents before children */
  size_t entry_count;
  struct plan_mount *mounts; /* in the order in which they are made */
  size_t mount_count;
  struct strlist masked, read_only; /* paths */
  struct strlist engines_own;       /* where an engine mounts files of its own making, or a tree of them */

  bool user_namespace;
  bool unprivileged; /* no root: whoever makes the user namespace has to do it before anything else */
  bool engines_ids;  /* the user namespace is that of a user's own engine, which has its maps already */
  bool network_namespace;
  struct plan_id_map uid_maps[PLAN_ID_MAPS], gid_maps[PLAN_ID_MAPS];
  size_t uid_map_count, gid_map_count;
  unsigned id_slot;
  unsigned id_slots; /* how many runs at once have a private range of ids; 0: this one needs none */

  enum cgroup_mode cgroup;
  bool swap_limit;
  char *cgroup_path;      /* NULL: there is none to be had */
  char *cgroup_delegated; /* the group above it, where that was delegated to the user; or NULL */
  bool cgroup_ours;       /* the supervisor makes it, not the runtime; so it is with a delegated one */
  uint64_t memory, pids, cpu_quota, cpu_period; /* 0: no limit */
  uint64_t wall_ms, output_bytes;               /* 0: no limit; output: UINT64_MAX for none */
  bool output_cut;                              /* more output is cut off; otherwise it ends the run */
};

/* Paths whose facts the plan needs (a set): have host_look_path look at them first. */
int plan_paths (const struct profile *profile, const struct request *request, struct strlist *ret_paths,
                struct error *err);

int plan_build (const struct profile *profile, const struct request *request, const struct ceiling *ceiling,
                const struct host_facts *host, struct plan **ret_plan, struct error *err);

/* The path of the cgroup of RUN. */
char *plan_cgroup_name (const struct plan *plan, const char *run);

/* By which the containers of this host's user are told from those of others in the same engine. */
char *plan_owner (const struct host_facts *host);

/* Where an engine that reads the filter from a file finds that of RUN. */
char *plan_filter_path (const char *state, const char *run);

/* Where programs look for the limits of the group that they are in. */
#define PLAN_GROUP_VIEW "/sys/fs/cgroup"

/* The mount by which the command sees the run's own cgroup; NULL: it sees none, or the engine's. Version 1
 * has a directory there, and a launch has a mount for each hierarchy in it. */
const struct plan_mount *plan_group_view (const struct plan *plan);

/* Whether init is no process of the host's, as the container has a kernel of its own. */
static inline bool plan_has_own_kernel (const struct plan *plan)
{
  return plan->backend->own_kernel || (plan->below != NULL && plan->below->own_kernel);
}

/* Whether the run's command can execute only what process.tools names. */
bool plan_bounds_tools (const struct plan *plan);

void plan_mount_clear (struct plan_mount *mount);
void plan_free (struct plan *plan);
DEFINE_CLEANUP (struct plan, plan_free)
#define cleanup_plan cleanup (plan_free_p)
