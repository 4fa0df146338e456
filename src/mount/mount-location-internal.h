/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where something lies: in which file system, and where in it.
 *
 * A directory can have several names: a symbolic link on the way to it, or a second mount of the same tree.
 * The mount table tells, for each name, the file system and the path in it, so the same place under two names
 * is found to be the same. What cannot be traced is an error, never "elsewhere".
 *
 * Not seen: a tree that a file system stacks over another, such as the upper layer of an overlay.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base-cleanup.h"
#include "base-error.h"
#include "base-str.h"
#include "posture-proc.h"

struct location {
  uint64_t device;
  char *inner; /* its path in the file system */
  char *root;  /* the part of the file system that its mount shows */
  char *outer; /* and among the mounts, links resolved */
};

void location_clear (struct location *location);
#define cleanup_location cleanup (location_clear)

/* The mount table of this process, which has a line for its root: in a chroot chroot_settle sees to that. */
int location_read_mounts (struct proc_mounts *ret_mounts, struct error *err);

/* Links in PATH are followed. Of what does not exist yet the nearest directory above it is traced, and the
 * rest is taken as it is called. 0 or a negative errno. */
int location_trace (const struct proc_mounts *mounts, const char *path, struct location *ret_location);

/* The same for a path without links, which need not exist. */
int location_trace_real (const struct proc_mounts *mounts, const char *real, struct location *ret_location);

/* What LOCATION is called by way of MOUNT, which shows the part of the file system that it lies in. NULL when
 * memory ran out. */
char *location_name (const struct location *location, const struct proc_mount *mount);

/* OTHER lies in WHOLE, or is it. */
bool location_is_within (const struct location *other, const struct location *whole);

/* Follows PATH (absolute) as the kernel would. *RET_LINKS: the path of each symbolic link on the way, itself
 * without links: who can replace one of them decides where PATH leads. *RET_REAL: where it leads, also where
 * nothing exists there (yet). 0 or a negative errno; -ELOOP beyond as many links as the kernel follows. */
int location_follow (const char *path, struct strlist *ret_links, char **ret_real);
