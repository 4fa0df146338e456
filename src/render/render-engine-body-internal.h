/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the documents for engines share: the parts of a plan as engines name them. */
#pragma once

#include "base-error.h"
#include "base-json-write.h"
#include "plan-launch.h"
#include "render-oci-internal.h"

/* Whether MOUNT is one that an engine sets up by itself: /proc, /sys, /dev and what lies in it. */
bool engine_has_mount (const struct plan_mount *mount);

/* Bytes of the file system on /dev/shm, which engines size by a field of its own; 0: not said. */
uint64_t engine_shm_size (const struct launch *launch);

/* The options with which a file system in memory is mounted, as one text. */
char *engine_tmpfs_options (const struct plan_mount *mount);

bool engine_mount_has (const struct plan_mount *mount, const char *option);

/* The word for the network of a plan. */
const char *engine_network (const struct plan *plan);

/* "nofile" for RLIMIT_NOFILE. */
char *engine_limit_name (const char *name);

/* Init and the command, which together replace whatever the image would start. */
void engine_write_command (struct json_writer *w, const char *key, const struct launch *launch);

/* Labels by which our containers are found again. */
void engine_write_labels (struct json_writer *w, const char *key, const struct plan *plan,
                          const struct launch *launch);

/* An image's own check would be executed beside the command, without init. */
void engine_write_no_health_check (struct json_writer *w, const char *key);

/* The filter as a document of its own, without a line break at its end. */
int engine_filter_text (const struct plan *plan, char **ret_text, struct error *err);
