/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroups of a hybrid host, which has both versions mounted, as a runtime must see them.
 *
 * crun 1.8.1 refuses such a host. It gets a view with only the version 1 hierarchies: a tmpfs over
 * /sys/fs/cgroup with each of them bound into it. (If version 2 were unmounted instead, crun would write into
 * the tmpfs below.)
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"

/* Must be called in a private mount namespace, from which mounts on /sys/fs/cgroup do not propagate. A
 * runtime that does not use cgroups still examines them; an EMPTY view is enough for it. */
int cgroup_view_show (bool empty, struct error *err);
