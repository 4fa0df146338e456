/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a path lies: in which file system, and where in it.
 *
 * A directory can have several names: through a symbolic link, or by a second mount of the same tree. The
 * mount table gives the file system and the path in it for each name, so the same place under two names is
 * recognized. A path that cannot be traced is an error, never "elsewhere".
 *
 * Not detected: a tree that another file system is stacked on, such as the upper layer of an overlay.
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
  char *inner; /* the path in the file system */
  char *root;  /* the part of the file system that its mount shows */
  char *outer; /* the path among the mounts, links resolved */
};

void location_clear (struct location *location);
#define cleanup_location cleanup (location_clear)

/* Reads the mount table of this process, which must have a line for its root: in a chroot, call chroot_settle
 * first. */
int location_read_mounts (struct proc_mounts *ret_mounts, struct error *err);

/* Follows links in PATH. If PATH does not exist, its nearest existing parent is traced, and the rest is
 * appended. 0 or a negative errno. */
int location_trace (const struct proc_mounts *mounts, const char *path, struct location *ret_location);

/* The same for a path without links, which need not exist. */
int location_trace_real (const struct proc_mounts *mounts, const char *real, struct location *ret_location);

/* The path of LOCATION through MOUNT, which shows the part of the file system that it is in. NULL: out of
 * memory. */
char *location_name (const struct location *location, const struct proc_mount *mount);

/* Whether OTHER is WHOLE or in it. */
bool location_is_within (const struct location *other, const struct location *whole);

/* Follows PATH (absolute) as the kernel would. *RET_LINKS: the path of each symbolic link on the way, itself
 * without links: replacing one of them changes where PATH leads. *RET_REAL: where it leads, whether or not
 * that exists. 0 or a negative errno; -ELOOP past the kernel's limit of links. */
int location_follow (const char *path, struct strlist *ret_links, char **ret_real);
