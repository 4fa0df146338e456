/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsers for files in /proc/PID: status, mountinfo, uid_map and gid_map.
 *
 * The text comes from inside, sent by init, or from outside, read by the supervisor. Both describe a process
 * that may have been tampered with, so a missing or malformed line makes the whole file unreadable. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-cleanup.h"

/* Inheritable, permitted, effective, bounding, ambient: as the kernel lists them. */
#define PROC_CAP_SETS    5
#define PROC_CAP_AMBIENT 4

struct proc_status {
  uint64_t uid[4], gid[4]; /* real, effective, saved, file system */
  size_t groups;           /* supplementary groups other than the real group */
  uint64_t caps[PROC_CAP_SETS];
  bool has_ambient;           /* false with gVisor's kernel */
  bool has_no_new_privileges; /* false with gVisor's kernel */
  uint64_t no_new_privileges;
  uint64_t seccomp; /* mode: 2 is a filter */
  uint64_t filters; /* 0 also if the kernel does not show it */
  uint64_t pid;     /* in the innermost pid namespace */
};

/* False if a line is missing or malformed. */
bool proc_status_read (const char *text, struct proc_status *ret_status);

extern const char *const proc_cap_names[PROC_CAP_SETS]; /* "CapInh", ... */

struct proc_mount {
  uint64_t id, parent;
  uint64_t device; /* major in the upper half */
  char *root;      /* of the file system, where the mount starts */
  char *point;
  char *options; /* of the mount: "ro,nosuid,..." */
  char *type;
  char *source;
  char *super; /* options of the file system, as the kernel writes them: a comma in a value is "\\054" */
  bool shared; /* propagates mounts, or receives them from a master */
};

struct proc_mounts {
  struct proc_mount *items;
  size_t count;
};

/* 0, -EINVAL for malformed text, -ENOMEM. */
int proc_mounts_read (const char *text, struct proc_mounts *ret_mounts);
void proc_mounts_clear (struct proc_mounts *mounts);
#define cleanup_proc_mounts cleanup (proc_mounts_clear)

/* The last mount on POINT, which is the visible one; NULL: none. */
const struct proc_mount *proc_mounts_find (const struct proc_mounts *mounts, const char *point);
/* Whether NAME is in a list such as "ro,nosuid". */
bool proc_option_has (const char *options, const char *name);
bool proc_mount_equal (const struct proc_mount *a, const struct proc_mount *b);

struct proc_id_map {
  uint64_t inside, outside, count;
};

/* Reads uid_map or gid_map into MAPS. Returns the number of lines, or -EINVAL for more than MAX or malformed
 * text. */
int proc_id_map_read (const char *text, struct proc_id_map *maps, size_t max);

/* Skips blanks, reads a decimal number, and advances *TEXT past it. */
bool proc_number_next (const char **text, uint64_t *ret_number);
