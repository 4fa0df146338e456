/* Only for the files run/cgroup*.c and run/delegation.c: the group that the supervisor makes, by kind. */
#pragma once

#include "run-cgroup.h"

int cgroup_v1_make (const struct plan *plan, struct error *err);
int cgroup_v1_enter (const struct plan *plan, struct error *err);
int cgroup_v1_limit (const struct plan *plan, struct error *err);
void cgroup_v1_forget (const struct plan *plan);

int cgroup_delegated_make (const struct plan *plan, struct error *err);
int cgroup_delegated_enter (const struct plan *plan, struct error *err);
int cgroup_delegated_limit (const struct plan *plan, struct error *err);
