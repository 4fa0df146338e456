/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The facts that the core needs about the host, collected once and passed in as a value.
 *
 * host_look fills them from the running host. host_facts_read fills them from a JSON document, so that a plan
 * can be made for another host and every test of the core states its host. Nothing after this point looks at
 * the host.
 *
 * A path that matters to a plan (a mount's source, the workspace, a root) is looked at on request with
 * host_look_path. It records the type and real location of the path and opens nothing that the plan will use:
 * a launch opens the path itself and compares.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "base-str.h"

enum cgroup_mode { CGROUP_NONE, CGROUP_V1, CGROUP_HYBRID, CGROUP_V2 };

enum path_type { PATH_ABSENT, PATH_DIRECTORY, PATH_FILE, PATH_SYMLINK, PATH_SOCKET, PATH_DEVICE, PATH_OTHER };

/* One path by which a part of a file system can be reached. */
struct path_place {
  char *path;
  char *mount; /* the mount point above it */
  char *root;  /* the part of the file system that is mounted there */
};

struct path_fact {
  char *path;
  enum path_type type; /* of the path itself for entries of ROOT; with links followed otherwise */
  char *target;        /* a symbolic link's text; NULL otherwise */
  char *real;          /* the path without any link in it; NULL when absent */
  uint64_t device, inode;
  bool magic; /* the path leads through a magic link of /proc, which resolves differently for each process; or
               * that is unknown */

  /* Its location, set by trace_paths (mount-trace.h); "filesystem" is NULL before. */
  char *filesystem;          /* its type: "ext4" */
  struct path_place *places; /* every path to the same directory, its own first; then those to parts of it */
  size_t place_count;
  struct path_fact *below; /* mounts below a directory, which are bound with it; "device" is from the mount
                            * table */
  size_t below_count;
};

struct path_facts {
  struct path_fact *items;
  size_t count;
};

struct id_range {
  uint32_t first;
  uint32_t count; /* 0: none */
};

struct host_facts {
  char *machine; /* "x86_64", "aarch64" */
  char *kernel;  /* "6.18.44" */
  uint32_t uid, gid;
  char *home;
  char *config_home;  /* the user's configuration directory, "/etc/tyrum-oci" for root */
  char *state_dir;    /* live state of tyrum-oci: never mounted into a run */
  char *storage_dir;  /* persistent data: journal, images; never writable in a run */
  struct strlist own; /* our programs, and files that control runs: never writable in one (a set). Not part of
                       * the document: they belong to the launching installation. */

  enum cgroup_mode cgroup;
  bool cgroup_writable;   /* we can create groups below our own */
  char *cgroup_delegated; /* v2: the group that is delegated to this user and has no other process in it;
                           * NULL: none. A path below the mount. */
  struct strlist cgroup_controllers; /* those available below it (a set) */
  bool swap_accounting;              /* memory.memsw on v1, memory.swap.max on v2 */
  bool apparmor;                     /* enabled in the kernel */
  struct strlist apparmor_profiles;  /* the loaded ones, where the list is readable (a set) */
  struct strlist seccomp_actions;    /* actions of a filter: "errno", "user_notif" (a set) */
  unsigned landlock_abi;             /* 0: none */
  bool user_namespaces;
  bool openat2;
  uint64_t open_files_hard;       /* RLIMIT_NOFILE's hard limit */
  uint64_t processes_hard;        /* that of RLIMIT_NPROC, or pid_max where that is less */
  struct id_range subuid, subgid; /* this user's subordinate ids */

  struct path_facts root;    /* /usr, /bin, /etc/ld.so.cache, ...: the parts of --rootfs host */
  struct path_facts sockets; /* engine sockets that exist */
  struct path_facts paths;   /* looked at on request */
};

/* Candidates for struct host_facts.root, NULL-terminated: whole trees and links first, then files. */
extern const char *const host_root_entries[];
extern const char *const host_socket_candidates[];

int host_look (struct host_facts **ret_facts, struct error *err);

/* Adds facts->root, which host_look leaves out: many paths, needed only for --rootfs host. */
int host_look_root (struct host_facts *facts, struct error *err);

/* Only the state_dir of host_look. */
int host_look_state_dir (char **ret_path, struct error *err);
/* Only its storage_dir. */
int host_look_storage_dir (char **ret_path, struct error *err);

/* Only its cgroup. */
int host_look_cgroup_mode (enum cgroup_mode *ret_mode, struct error *err);

/* Adds PATH to facts->paths unless it is already there. An absent path is a fact, not an error. */
int host_look_path (struct host_facts *facts, const char *path, struct error *err);

/* Reads a document; comments are allowed. Every key is optional; a missing feature is
 * absent, a missing list is empty, a missing count is 0. Other defaults: machine x86_64, kernel 0.0.0, uid
 * and gid 65534, open_files_hard and processes_hard 4096, home /root for uid 0 and /nonexistent for
 * others, config_home, state_dir and storage_dir as host_look sets them for that uid and home without XDG
 * variables. An entry of root and paths needs path and type, one of sockets only path; real defaults to
 * path unless target marks a link; with filesystem and without places it lies on the mount of the root.
 * Unknown keys are errors. NAME prefixes messages. */
int host_facts_read (const char *name, const char *text, size_t len, struct host_facts **ret_facts,
                     struct error *err);

void path_fact_clear (struct path_fact *fact);
#define cleanup_path_fact cleanup (path_fact_clear)

/* Add to a traced fact. Return 0 or -ENOMEM; BELOW is moved on success only. */
int path_fact_add_place (struct path_fact *fact, const char *path, const char *mount, const char *root);
int path_fact_add_below (struct path_fact *fact, struct path_fact *below);

const struct path_fact *path_facts_find (const struct path_facts *facts, const char *path);
const char *cgroup_mode_text (enum cgroup_mode mode);
const char *path_type_text (enum path_type type);

void host_facts_free (struct host_facts *facts);
DEFINE_CLEANUP (struct host_facts, host_facts_free)
#define cleanup_host_facts cleanup (host_facts_free_p)
