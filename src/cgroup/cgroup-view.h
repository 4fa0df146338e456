/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroups of a host that has both versions mounted, as a runtime must see them.
 *
 * crun 1.8.1 refuses such a host. It gets a view with the version 1 hierarchies alone: a tmpfs over
 * /sys/fs/cgroup with each of them bound into it. (With version 2 unmounted instead, crun would write into
 * the tmpfs below.)
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"

/* In a mount namespace of the caller's own, in which nothing mounted on /sys/fs/cgroup is passed on to
 * others. A runtime that leaves cgroups alone looks at them all the same, and needs no more than an EMPTY
 * view. */
int cgroup_view_show (bool empty, struct error *err);
