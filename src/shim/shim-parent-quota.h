/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much processor time the groups above a container's cgroup have.
 *
 * Version 1 refuses a quota that is larger than that of a group above, with no more than "invalid argument": the
 * pause container of a pod whose limit is below the profile's would not start. Version 2 accepts it.
 */
#pragma once

#include <stdint.h>

#include "base-json-read.h"

/* The least of them in thousandths of a processor; 0: none is limited, or it cannot be told. */
uint64_t parent_quota_look (const struct json_node *config);
