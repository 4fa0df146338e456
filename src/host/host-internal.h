/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of this directory share: the parts of host_look, and the readers of system files that it is
 * made of. Those take text and give values, so that tests can hand them the files of other hosts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "base-limits.h"
#include "base-str.h"
#include "host-facts.h"

/* System files that we read are small; one that is not tells us nothing. */
#define LIMIT_HOST_FILE_BYTES ((size_t) 1024 * 1024)
#define LIMIT_HOST_ENTRIES    LIMIT_OBJECT_MEMBERS

/* Where nothing says what the home directory is. */
#define HOME_UNKNOWN "/nonexistent"

/* What a document that leaves a key out means: nobody's rights, and the kernel's own limit. */
#define DEFAULT_MACHINE    "x86_64"
#define DEFAULT_KERNEL     "0.0.0"
#define DEFAULT_ID         65534u
#define DEFAULT_OPEN_FILES 4096u
#define DEFAULT_PROCESSES  4096u

/* Moves FACT to the end of FACTS; on failure it stays with the caller. */
int path_facts_add (struct path_facts *facts, struct path_fact *fact);

/* The names of enum cgroup_mode and enum path_type, in their order. */
#define CGROUP_MODES (CGROUP_V2 + 1)
#define PATH_TYPES   (PATH_OTHER + 1)
extern const char *const cgroup_mode_names[CGROUP_MODES];
extern const char *const path_type_names[PATH_TYPES];

/* The parts of host_look. What is not there, or is not for us to read, is a fact like any other; they fail
 * where the host is in trouble. */
int look_user (struct host_facts *facts, struct error *err);
int look_cgroup (struct host_facts *facts, struct error *err);
int look_sockets (struct host_facts *facts, struct error *err);

/* Whether ERRNUM tells of a host, or of ourselves, in trouble, and nothing of what was looked at. */
bool look_is_trouble (int errnum);

/* Reads a system file; NULL and 0 when there is none for us. An error only where that cannot be told: memory,
 * descriptors or the device have failed us, and a control would be left out for something that the host has.
 */
int look_text (const char *path, char **ret_text, struct error *err);

/* Whether NAME in DIRECTORY gives us access of MODE, as faccessat has it. */
int look_access (const char *directory, const char *name, int mode, bool *ret_access);

/* Opens PATH with O_PATH by openat2; -1 and errno as openat2 sets it, ELOOP when there is a link in PATH. */
int look_open_without_links (const char *path);

/* Lines of TEXT, which is cut up on the way: the next one, or NULL. CURSOR starts at TEXT. */
char *look_line (char **cursor);
/* Cuts LINE at each ':' into exactly COUNT fields; false when it has fewer or more. */
bool look_fields (char *line, char **fields, size_t count);

/* Name and home directory of UID in the text of /etc/passwd. -ENOENT when there is none. */
int look_passwd (char *text, uint32_t uid, char **ret_name, char **ret_home);

/* The largest range that the text of /etc/subuid or /etc/subgid gives to the user; NAME may be NULL. */
struct id_range look_subids (char *text, const char *name, uint32_t uid);

/* Where configuration and what is kept of UID belong, as places_state_of has it for live state; BASE is the
 * directory that the environment names, or NULL. NULL when memory ran out. */
char *look_config_home (uint32_t uid, const char *home, const char *base);
char *look_storage_dir (uint32_t uid, const char *home, const char *base);

/* Adds the names in the text of AppArmor's list of loaded profiles. */
int look_apparmor_profiles (char *text, struct strlist *profiles);

/* Our group in the text of /proc/self/cgroup for a v1 controller, or for v2 (""); NULL when there is none,
 * or when it lies outside of what we see. Points into TEXT. */
const char *look_own_group (char *text, const char *controller);

/* Fills cgroup_delegated and cgroup_controllers, for a user whose own group is GROUP below MOUNT. -ENOMEM
 * when memory ran out. */
int look_delegation (const char *mount, const char *group, struct host_facts *facts);

/* The path in a DOCKER_HOST or CONTAINER_HOST value, or NULL when it is not a unix socket's. */
const char *look_engine_address (const char *value);
