/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Only for the files run/cgroup*.c and cgroup/delegation.c: the group that the supervisor makes, by kind. */
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

/* Controllers of version 1 that programs ask for their limits. */
#define CGROUP_SHOWN 5
extern const char *const cgroup_shown[CGROUP_SHOWN];
/* Those of them that the hierarchy of DIRECTORY has, "cpu,cpuacct"; none is "". */
void cgroup_shown_names (const struct cgroup_directory *directory, struct strbuf *ret_names);

/* cgroup-directories.c: those of version 1 that have a controller which limits or counts; of the group they
 * have only what it is made below of. */
int cgroup_find_hierarchies (struct cgroup *group);
/* Makes and holds the group PATH in each of them. */
int cgroup_make_directories (struct cgroup *group, const char *path);
/* The same for a runtime that will set it up, and remove it. */
int cgroup_make_empty (const struct plan *plan, const struct launch *launch, struct cgroup *group,
                       struct error *err);
/* A descriptor, or a negative errno. */
int cgroup_open_directory (int above, const char *path);
/* The group's directory for CONTROLLER; -1: it has none. Not to be closed. */
int cgroup_directory (const struct cgroup *group, const char *controller);
/* Likewise the one that it was made in. */
int cgroup_above (const struct cgroup *group, const char *controller);
/* For writing. A descriptor, or a negative errno. */
int cgroup_open_file (int directory, const char *name);
int cgroup_write (int directory, const char *name, const char *text);
