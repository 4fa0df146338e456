/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What create did, for start to prove: the restricted config.json with mount points without links, and with
 * device and inode of every source.
 *
 * It lies beside the container's record, where only root writes. The bundle's config.json belongs to the
 * engine and may change between create and start.
 */
#pragma once

#include "base-error.h"
#include "base-json-edit.h"
#include "shim-policy.h"

/* The file's name in the container's directory. */
#define CONTAINER_PLAN "plan.json"

/* Keys that the entries of "mounts" have in addition. */
#define CONTAINER_PLAN_DEVICE "device"
#define CONTAINER_PLAN_INODE  "inode"

/* CONFIG is complete but for these; POLICY has the facts of its sources. */
int container_plan_write (const char *path, const struct policy *policy, const struct json_node *config,
                          struct error *err);

int container_plan_read (const char *path, struct json_node **ret_config, struct error *err);
