/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the two halves of the stage share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base-error.h"
#include "mount-descriptor.h"
#include "plan-launch.h"

/* A file system of the run's own on TARGET, nosuid and nodev. It is named after the run, so that whoever has
 * it in its mount table can be told to be of that run. */
int mount_filesystem (const struct launch *launch, const char *type, const char *target, const char *options,
                      struct error *err);

/* Makes a user namespace, has the supervisor map its ids, and becomes its root. */
int stage_ids (const struct launch *launch, int report, struct error *err);

/* The run's own cgroup, where the plan shows it to the command. */
struct stage;
int stage_group (const struct stage *stage, struct error *err);

/* The root, at ROOT: a directory of our own with the plan's entries, or a layer over the plan's directory. */
int stage_root (const struct plan *plan, const struct launch *launch, const char *directory,
                struct error *err);
