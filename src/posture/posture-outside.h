/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Facts about a container seen from the host: a value, gathered by proof/outside.c.
 *
 * Texts are as the kernel wrote them. NULL, or a false "known", means that it could not be read; nothing may
 * be concluded from that.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-cleanup.h"
#include "base-error.h"

enum space { SPACE_USER, SPACE_MOUNT, SPACE_PID, SPACE_NET, SPACE_IPC, SPACE_UTS, SPACE_CGROUP, SPACE_COUNT };

extern const char *const space_names[SPACE_COUNT]; /* as in /proc/PID/ns */

/* Limits of the run's cgroup, as read from the kernel. UINT64_MAX: no limit. */
struct outside_cgroup {
  bool known;                             /* the group exists and its files could be read */
  bool member;                            /* init is in it */
  uint64_t memory, memory_and_swap, swap; /* memory_and_swap: version 1; swap: version 2 */
  bool counts_swap;
  uint64_t pids;
  uint64_t quota, period; /* microseconds */
};

/* One submount of a recursive bind's source. */
struct outside_below {
  char *point; /* where it must appear inside */
  uint64_t device;
  char *root; /* of its file system, where it starts */
};

struct outside {
  char *kernel;  /* the host's, release and version in one line */
  char *boot_id; /* of the host's kernel: PROBE_BOOT_ID */
  bool seen;     /* init is a process of this host */
  uint64_t pid;
  bool is_init;            /* its program is our own init, by device and inode */
  uint64_t filters_before; /* seccomp filters of init before it loaded its own; 0: not known, or it did not */
  char *status, *uid_map, *gid_map, *mounts, *cgroup, *label, *limits;
  char *environment; /* NAME=VALUE, each NUL-terminated */
  size_t environment_length;
  uint64_t spaces[SPACE_COUNT], own_spaces[SPACE_COUNT]; /* inode numbers; 0: not seen */
  char *sibling;                                         /* a live run that shares a namespace; NULL: none */
  enum space sibling_space;
  size_t siblings;   /* how many were compared */
  uint64_t stranger; /* a process outside the run that shares a namespace; 0: none, or not checked */
  enum space stranger_space;
  char *group_path; /* of the run's cgroup; NULL: it has none */
  struct outside_cgroup group;
  struct outside_below *below;
  size_t below_count;
  /* Of every file system that is mounted in our mount namespace and, with an engine, in those of other
   * processes; NULL: not known. */
  uint64_t *host_devices;
  size_t host_device_count;
  uint64_t pipes[3];     /* inodes of the pipes that we made for the standard streams; 0: not our pipe */
  uint64_t wall_ms;      /* on the supervisor's timer, as read from the kernel; 0: none */
  uint64_t output_bytes; /* the streams' cap; UINT64_MAX: none */
  uint64_t idle_ms;      /* on the supervisor's second timer; 0: none */
  uint64_t output_rate;  /* of the streams, bytes per second; 0: none */
};

void outside_clear (struct outside *outside);
#define cleanup_outside cleanup (outside_clear)

/* Writes and reads the facts that drift_compare uses: all that a process cannot change without additional
 * privileges. The environment and siblings are not saved. */
int outside_save (const struct outside *outside, char **ret_bytes, size_t *ret_length, struct error *err);
int outside_load (const char *bytes, size_t length, struct outside *ret_outside, struct error *err);
