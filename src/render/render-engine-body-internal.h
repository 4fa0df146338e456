/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the documents for engines. */
#pragma once

#include "base-error.h"
#include "base-json-write.h"
#include "plan-launch.h"
#include "render-oci-internal.h"

/* Whether the engine makes MOUNT itself: /proc, /sys, /dev and all below them. */
bool engine_has_mount (const struct plan_mount *mount);

/* The size of /dev/shm in bytes, for which engines have a separate field; 0: not set. */
uint64_t engine_shm_size (const struct launch *launch);

/* The comma-separated mount options of a tmpfs. */
char *engine_tmpfs_options (const struct plan_mount *mount);

/* The engine's name for the network mode of PLAN. */
const char *engine_network (const struct plan *plan);

/* "nofile" for RLIMIT_NOFILE. */
char *engine_limit_name (const char *name);

/* Init and the command, which replace the image's entrypoint. */
void engine_write_command (struct json_writer *w, const char *key, const struct launch *launch);

/* Labels that identify our containers. */
void engine_write_labels (struct json_writer *w, const char *key, const struct plan *plan,
                          const struct launch *launch);

/* Disables the image's health check, which would run beside the command and without init. */
void engine_write_no_health_check (struct json_writer *w, const char *key);

/* The filter as a JSON document without a final newline. */
int engine_filter_text (const struct plan *plan, char **ret_text, struct error *err);
