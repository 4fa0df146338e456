/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the stage share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base-error.h"
#include "mount-descriptor.h"
#include "plan-launch.h"

/* Mounts a new file system on TARGET, with nosuid and nodev. Its source is named after the run, so that the
 * run of a process can be recognized in its mount table. */
int mount_filesystem (const struct launch *launch, const char *type, const char *target, const char *options,
                      struct error *err);

/* Makes a user namespace, asks the supervisor to map its ids, and becomes its root. */
int stage_ids (const struct launch *launch, int report, struct error *err);

/* Writes the map of one id to /proc/PID/NAME. 0 or a negative errno. */
int stage_write_id (pid_t pid, const char *name, uint32_t inside, uint32_t outside);

/* Mounts the run's own cgroup, if the plan shows it to the command. */
struct stage;
int stage_group (const struct stage *stage, struct error *err);

/* Makes the root at ROOT: a new directory with the plan's entries, or an overlay on the plan's directory. */
int stage_root (const struct plan *plan, const struct launch *launch, const char *directory,
                struct error *err);
