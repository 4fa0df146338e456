/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the core needs to know of the host, looked at once and passed in as a value.
 *
 * host_look fills it from the running host; host_facts_read fills it from a JSON document, so
 * that a plan can be made for another host, and so that every test of the core says which host
 * it means. host_facts_write gives that document. Nothing after this point looks at the host.
 *
 * A path that matters to a plan (a mount's source, the workspace, a root) is looked at on request
 * with host_look_path. It records what the path is and where it really lies; it opens nothing
 * that the plan will use: a launch opens the path itself and compares.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "base-str.h"

enum cgroup_mode { CGROUP_NONE, CGROUP_V1, CGROUP_HYBRID, CGROUP_V2 };

enum path_type { PATH_ABSENT, PATH_DIRECTORY, PATH_FILE, PATH_SYMLINK, PATH_SOCKET, PATH_DEVICE, PATH_OTHER };

/* One name by which a part of a file system can be reached. */
struct path_place {
  char *path;
  char *mount; /* the mount point on the way to it */
  char *root;  /* the part of the file system that is mounted there */
};

struct path_fact {
  char *path;
  enum path_type type; /* of the path itself for the root's entries; behind links otherwise */
  char *target;        /* a symbolic link's text; NULL otherwise */
  char *real;          /* the path without any link in it; NULL when absent */
  uint64_t device, inode;
  bool magic; /* a link of the kernel's in /proc is on the way, which leads elsewhere for each process that
               * follows it; or that cannot be told */

  /* Where it lies, once trace_paths (src/supervisor) has looked; "filesystem" is NULL before. */
  char *filesystem;          /* its type: "ext4" */
  struct path_place *places; /* every name of the same directory, its own first; and those of parts of it */
  size_t place_count;
  struct path_fact *below; /* what is mounted below a directory and is bound with it; "device" is that of the
                            * mount table */
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
  char *config_home;  /* the user's directory for configuration, "/etc/tyrum-oci" for root */
  char *state_dir;    /* our own live state: never mounted into a run */
  char *storage_dir;  /* what outlives runs and boots: journal, images; never writable in a run */
  struct strlist own; /* our programs, and files that decide over runs: never writable in one (a set). Not
                       * part of the document: whoever launches here knows them. */

  enum cgroup_mode cgroup;
  bool cgroup_writable;   /* we can make groups below our own */
  char *cgroup_delegated; /* v2: the group that was delegated to this user, and in which nobody is but us;
                           * NULL: none. As a path below the mount. */
  struct strlist cgroup_controllers; /* those that can be had below it (a set) */
  bool swap_accounting;              /* memory.memsw on v1, memory.swap.max on v2 */
  bool apparmor;                     /* enabled in the kernel */
  struct strlist apparmor_profiles;  /* the loaded ones, where they can be read (a set) */
  struct strlist seccomp_actions;    /* what a filter can answer: "errno", "user_notif" (a set) */
  unsigned landlock_abi;             /* 0: none */
  bool user_namespaces;
  bool openat2;
  uint64_t open_files_hard;       /* RLIMIT_NOFILE's hard limit */
  uint64_t processes_hard;        /* the same of RLIMIT_NPROC, or the largest pid where that is less */
  struct id_range subuid, subgid; /* this user's subordinate ids */

  struct path_facts root;    /* /usr, /bin, /etc/ld.so.cache, ...: what --rootfs host is put together from */
  struct path_facts sockets; /* engine sockets that exist */
  struct path_facts paths;   /* looked at on request */
};

/* Candidates for struct host_facts.root, NULL-terminated: whole trees and links first, then files. */
extern const char *const host_root_entries[];
extern const char *const host_socket_candidates[];

int host_look (struct host_facts **ret_facts, struct error *err);

/* Adds facts->root, which host_look leaves out: many paths, and only one kind of root is made of them. */
int host_look_root (struct host_facts *facts, struct error *err);

/* What host_look has for state_dir, without looking at anything else. */
int host_look_state_dir (char **ret_path, struct error *err);
/* The same for storage_dir. */
int host_look_storage_dir (char **ret_path, struct error *err);

/* The same for cgroup. */
int host_look_cgroup_mode (enum cgroup_mode *ret_mode, struct error *err);

/* Adds PATH to facts->paths unless it is there. An absent path is a fact, not an error. */
int host_look_path (struct host_facts *facts, const char *path, struct error *err);

/* Reads a document as host_facts_write makes it; comments are allowed. Every key may be left out, and means
 * the least then: a feature is not there, a list is empty, a count is 0. Beyond that: machine x86_64,
 * kernel 0.0.0, uid and gid 65534, open_files_hard and processes_hard 4096, home /root for uid 0 and
 * /nonexistent for others, config_home, state_dir and storage_dir as host_look has them for that uid and home
 * without XDG variables. An entry of root and paths needs path and type, one of sockets only path; real is
 * the path itself unless target says that it is a link; with filesystem and without places it lies on the
 * root's mount. Unknown keys are errors. NAME stands in front of messages. */
int host_facts_read (const char *name, const char *text, size_t len, struct host_facts **ret_facts,
                     struct error *err);
int host_facts_write (const struct host_facts *facts, char **ret_text, struct error *err);

void path_fact_clear (struct path_fact *fact);
#define cleanup_path_fact cleanup (path_fact_clear)

/* Add to what was traced. Return 0 or -ENOMEM; BELOW is moved, and on failure it stays with the caller. */
int path_fact_add_place (struct path_fact *fact, const char *path, const char *mount, const char *root);
int path_fact_add_below (struct path_fact *fact, struct path_fact *below);

const struct path_fact *path_facts_find (const struct path_facts *facts, const char *path);
const char *cgroup_mode_text (enum cgroup_mode mode);
const char *path_type_text (enum path_type type);

void host_facts_free (struct host_facts *facts);
DEFINE_CLEANUP (struct host_facts, host_facts_free)
#define cleanup_host_facts cleanup (host_facts_free_p)
