/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much processor time the groups above a container's cgroup have.
 *
 * Version 1 refuses a quota that is larger than that of a group above, with no more than "invalid argument":
 * the pause container of a pod whose limit is below the profile's would not start. Version 2 accepts it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base-json-read.h"

/* The least of them in thousandths of a processor; 0: none is limited, or it cannot be told. */
uint64_t parent_quota_look (const struct json_node *config);

/* The same where the cpu hierarchy is mounted on one of COUNT directories. */
uint64_t parent_quota_below (const char *const *mounted, size_t count, const struct json_node *config);

/* The path of a container's cgroup below the mount: GROUP itself, or what systemd makes of
 * "a-b.slice:PREFIX:NAME", "/a.slice/a-b.slice/PREFIX-NAME.scope". NULL: memory ran out, or it is neither. */
char *parent_quota_group (const char *group);
