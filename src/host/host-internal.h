/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files of this directory: the parts of host_look, and the parsers of system files. The parsers
 * take text and return values, so that tests can pass them the files of other hosts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "base-limits.h"
#include "base-str.h"
#include "host-facts.h"

/* System files are small; a larger one is treated as absent. */
#define LIMIT_HOST_FILE_BYTES ((size_t) 1024 * 1024)
#define LIMIT_HOST_ENTRIES    LIMIT_OBJECT_MEMBERS

/* The home directory where none is known. */
#define HOME_UNKNOWN "/nonexistent"

/* Defaults for missing keys of a document: an unprivileged user, and limits of the kernel. */
#define DEFAULT_MACHINE    "x86_64"
#define DEFAULT_KERNEL     "0.0.0"
#define DEFAULT_ID         65534u
#define DEFAULT_OPEN_FILES 4096u
#define DEFAULT_PROCESSES  4096u

/* Moves FACT to the end of FACTS; on failure the caller keeps it. */
int path_facts_add (struct path_facts *facts, struct path_fact *fact);

/* The names of enum cgroup_mode and enum path_type, in order. */
#define CGROUP_MODES (CGROUP_V2 + 1)
#define PATH_TYPES   (PATH_OTHER + 1)
extern const char *const cgroup_mode_names[CGROUP_MODES];
extern const char *const path_type_names[PATH_TYPES];

/* The parts of host_look. An absent or unreadable file is a fact; they fail only on look_is_trouble. */
int look_user (struct host_facts *facts, struct error *err);
int look_cgroup (struct host_facts *facts, struct error *err);
int look_sockets (struct host_facts *facts, struct error *err);

/* Whether ERRNUM reports a lack of resources or a failing device, and so gives no
 * information about the file. */
bool look_is_trouble (int errnum);

/* Reads a system file; NULL and 0 when it is absent or unreadable. Fails on look_is_trouble: a control
 * would otherwise be left out although the host supports it. */
int look_text (const char *path, char **ret_text, struct error *err);

/* Whether faccessat grants MODE on NAME in DIRECTORY. */
int look_access (const char *directory, const char *name, int mode, bool *ret_access);

/* Opens PATH with O_PATH by openat2; -1 and the errno of openat2, ELOOP if PATH has a link. */
int look_open_without_links (const char *path);

/* Returns the next line of TEXT, which is modified, or NULL. CURSOR starts at TEXT. */
char *look_line (char **cursor);
/* Adds the words of TEXT, which is modified and may be NULL, to SET. 0 or -ENOMEM. */
int look_words (char *text, struct strlist *set);
/* Splits LINE at ':' into exactly COUNT fields; false when it has fewer or more. */
bool look_fields (char *line, char **fields, size_t count);

/* Name and home directory of UID in the text of /etc/passwd; -ENOENT when it has no entry. */
int look_passwd (char *text, uint32_t uid, char **ret_name, char **ret_home);

/* The largest range for the user in the text of /etc/subuid or /etc/subgid; NAME may be NULL. */
struct id_range look_subids (char *text, const char *name, uint32_t uid);

/* The configuration and storage directories of UID, as places_state_of does it for live state; BASE is the
 * directory from the environment, or NULL. NULL when memory ran out. */
char *look_config_home (uint32_t uid, const char *home, const char *base);
char *look_storage_dir (uint32_t uid, const char *home, const char *base);

/* Adds the names in AppArmor's list of loaded profiles. */
int look_apparmor_profiles (char *text, struct strlist *profiles);

/* Our group in the text of /proc/self/cgroup for a v1 controller, or for v2 (""); NULL when there is none,
 * or when it lies outside of our cgroup namespace. Points into TEXT. */
const char *look_own_group (char *text, const char *controller);

/* Sets cgroup_delegated and cgroup_controllers, for a user whose own group is GROUP below
 * MOUNT. 0 or a negative errno. */
int look_delegation (const char *mount, const char *group, struct host_facts *facts);

/* The path in a DOCKER_HOST or CONTAINER_HOST value, or NULL unless it is a unix socket. */
const char *look_engine_address (const char *value);
