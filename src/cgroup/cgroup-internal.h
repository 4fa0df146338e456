/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of this directory share: groups that the supervisor makes, by kind, and their
 * directories. */
#pragma once

#include "base-str.h"
#include "cgroup-group.h"

#define CGROUP_ROOT "/sys/fs/cgroup"

int cgroup_v1_make (const struct plan *plan, const struct launch *launch, struct cgroup *group,
                    struct error *err);
int cgroup_v1_enter (const struct launch *launch, const struct cgroup *group, struct error *err);
int cgroup_v1_limit (const struct plan *plan, const struct launch *launch, const struct cgroup *group,
                     struct error *err);
void cgroup_v1_forget (const struct cgroup *group);

int cgroup_delegated_make (const struct plan *plan, const struct launch *launch, struct cgroup *group,
                           struct error *err);
int cgroup_delegated_enter (const struct launch *launch, const struct cgroup *group, struct error *err);
int cgroup_delegated_limit (const struct plan *plan, const struct launch *launch, const struct cgroup *group,
                            struct error *err);

/* Controllers of version 1 in which programs look for their limits. */
#define CGROUP_SHOWN 5
extern const char *const cgroup_shown[CGROUP_SHOWN];
/* Those of them that the hierarchy of DIRECTORY has, such as "cpu,cpuacct"; "" if none. */
void cgroup_shown_names (const struct cgroup_directory *directory, struct strbuf *ret_names);

/* Finds the hierarchies of version 1 that limit or count something, and opens the directory in which the
 * group will be made. */
int cgroup_find_hierarchies (struct cgroup *group);
/* Makes and opens the group PATH in each of them. */
int cgroup_make_directories (struct cgroup *group, const char *path);
/* The same for a group that the runtime sets up and removes. */
int cgroup_make_empty (const struct plan *plan, const struct launch *launch, struct cgroup *group,
                       struct error *err);
/* A descriptor, or a negative errno. */
int cgroup_open_directory (int above, const char *path);
/* The group's directory for CONTROLLER; -1: none. Not to be closed. */
int cgroup_directory (const struct cgroup *group, const char *controller);
/* The same for the directory that it was made in. */
int cgroup_above (const struct cgroup *group, const char *controller);
/* Opens a file for writing. A descriptor, or a negative errno. */
int cgroup_open_file (int directory, const char *name);
int cgroup_write (int directory, const char *name, const char *text);
