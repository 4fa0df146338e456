/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was promised of a container: all that questions, remounting and judging need to know of it.
 *
 * A launch of a plan fills it (promises_of_plan), and so does an engine's specification (shim/promised.c). It
 * owns nothing: what it points to must outlive it. There is no default: a field that whoever fills it leaves
 * out is one that nothing is compared with (tests/unit/test-promises.c).
 */
#pragma once

#include "plan-launch.h"

struct promises {
  const struct plan_control *controls; /* CONTROL_COUNT of them */
  const struct settings *settings;     /* the values, and the rules that promise them */
  const struct filter *filter;
  const char *run_id;        /* file systems of the stage are named after it; NULL: there is no such stage */
  bool staged;               /* root and sources come from the run's stage */
  bool among_others;         /* in an engine, which can have its containers share namespaces and mounts */
  bool joins_user_namespace; /* without that one has no right to change its mounts */
  bool passed_descriptors;   /* init was started with its two sockets */
  bool has_listener;         /* refused calls are told to the supervisor */
  bool bounds_tools;         /* only what process.tools names can be executed */
  bool root_read_only, user_namespace, network_namespace;
  uint32_t uid, gid;
  const struct plan_id_map *uid_maps, *gid_maps;
  size_t uid_map_count, gid_map_count;
  const char *cwd, *hostname;
  const char *apparmor; /* NULL: none */
  const struct strlist *env, *masked, *read_only, *engines_own;
  const struct plan_mount *mounts;
  size_t mount_count;
  enum cgroup_mode cgroup;
  bool swap_limit;
  const char *cgroup_path;                      /* NULL: there is none to be had */
  uint64_t memory, pids, cpu_quota, cpu_period; /* 0: no limit */
  uint64_t open_files;                          /* of the profile, or fewer where the host gives no more */
  uint64_t wall_ms, output_bytes;               /* 0: no limit; output: UINT64_MAX for none */
};

struct promises promises_of_plan (const struct plan *plan, const struct launch *launch);

/* What is promised of open files on a host that gives at most HARD; 0: as many as one likes. */
uint64_t promises_open_files (const struct settings *settings, uint64_t hard);
