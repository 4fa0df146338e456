/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The promises about a container: the input of questions, remounting and judging.
 *
 * Made from a launch (promises_of_plan), or from an engine's config.json (shim/promised.c). It owns nothing:
 * what it points to must outlive it. There are no defaults: a field that is left out is not checked, so
 * tests/unit/test-promises.c checks that all are set.
 */
#pragma once

#include "plan-launch.h"

struct promises {
  const struct plan_control *controls; /* CONTROL_COUNT of them */
  const struct settings *settings;     /* the values, and the rules that promise them */
  const struct filter *filter;
  const char *run_id;        /* part of the sources of the stage's file systems; NULL: there is no stage */
  bool staged;               /* root and sources come from the run's stage */
  bool among_others;         /* in an engine, whose containers can share namespaces and mounts */
  bool joins_user_namespace; /* changing its mounts requires joining its user namespace */
  bool passed_descriptors;   /* init was started with its two sockets */
  bool has_listener;         /* init loads the filter again, and the supervisor is notified of denied calls */
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
  const char *cgroup_path;                      /* NULL: none */
  uint64_t memory, pids, cpu_quota, cpu_period; /* 0: no limit */
  uint64_t open_files;                          /* of promises_open_files */
  uint64_t wall_ms, output_bytes;               /* 0: no limit; output: UINT64_MAX for none */
  uint64_t idle_ms, output_rate;                /* 0: no limit */
};

struct promises promises_of_plan (const struct plan *plan, const struct launch *launch);

/* The promised limit of open files: the profile's, but at most HARD, the host's hard limit (0: none). */
uint64_t promises_open_files (const struct settings *settings, uint64_t hard);
