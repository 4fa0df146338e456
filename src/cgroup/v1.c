/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run's group in the hierarchies of version 1, made by the supervisor.
 *
 * A runtime makes the groups and then moves the container's first process into each of them. To move another
 * process the kernel stops every fork and exit on the host, and waits until all CPUs have noticed (in
 * cgroup_threadgroup_rwsem): 6 to 18 ms, more than the rest of a launch. A process that moves itself, by the
 * file for single threads, avoids this. So the process that becomes the runtime enters the groups before it
 * executes anything, and the container starts in them. The runtime is told to leave cgroups alone; the limits
 * are set when only init is left inside, and observed like all others.
 */
#include <config.h>

#include "cgroup-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "render-oci-devices.h"

#define DEVICES_MAX ((size_t) 4096)
#define CPUSET_MAX  ((size_t) 64 * 1024)

/* 200 ms in total. */
#define BUSY_TRIES   100
#define BUSY_STEP_NS 2000000

/* Copies the parent's settings: a new cpuset has no CPUs and no memory nodes, and accepts no process. */
static int follow_cpuset (const struct launch *launch, const struct cgroup *group, struct error *err)
{
  static const char *const names[] = { "cpuset.cpus", "cpuset.mems" };
  int directory = cgroup_directory (group, "cpuset");

  for (size_t i = 0; i < ARRAY_LEN (names) && directory >= 0; i++) {
    cleanup_free char *text = NULL;
    int r = file_read (cgroup_above (group, "cpuset"), names[i], CPUSET_MAX, &text, NULL, err);

    if (r == 0)
      r = cgroup_write (directory, names[i], text);
    if (r < 0)
      return error_is_set (err)
                 ? r
                 : error_set_errno (err, -r, "set '%s' of the cgroup '%s'", names[i], launch->cgroup_path);
  }
  return 0;
}

int cgroup_v1_make (const struct plan *plan, const struct launch *launch, struct cgroup *group,
                    struct error *err)
{
  int r;

  group->mode = plan->cgroup;
  r = cgroup_find_hierarchies (group);
  if (r == 0)
    r = cgroup_make_directories (group, launch->cgroup_path);
  if (r == 0)
    return follow_cpuset (launch, group, err);
  return r < 0 ? error_set_errno (err, -r, "make the cgroup '%s'", launch->cgroup_path) : 0;
}

int cgroup_v1_enter (const struct launch *launch, const struct cgroup *group, struct error *err)
{
  int r = group->made ? 0 : -ENOENT;

  for (size_t i = 0; r == 0 && i < group->count; i++)
    r = cgroup_write (group->directories[i].fd, "tasks", "0");
  return r < 0 ? error_set_errno (err, -r, "enter the cgroup '%s'", launch->cgroup_path) : 0;
}

struct limits {
  const struct plan *plan;
  const struct launch *launch;
  const struct cgroup *group;
};

static int set_failed (const struct limits *l, const char *name, const char *text, int r, struct error *err)
{
  return error_set_errno (err, -r, "set '%s' of the cgroup '%s' to '%s'", name, l->launch->cgroup_path, text);
}

static int set (const struct limits *l, const char *controller, const char *name, const char *text,
                struct error *err)
{
  int r = cgroup_write (cgroup_directory (l->group, controller), name, text);

  return r < 0 ? set_failed (l, name, text, r, err) : 0;
}

static int set_number (const struct limits *l, const char *controller, const char *name, uint64_t number,
                       struct error *err)
{
  char text[32];

  snprintf (text, sizeof (text), "%" PRIu64, number);
  return set (l, controller, name, text, err);
}

/* Repeats while the memory that the runtime used is not freed yet, which takes a little longer than its
 * end. */
static int set_memory (const struct limits *l, struct error *err)
{
  const struct timespec step = { 0, BUSY_STEP_NS };

  for (unsigned tries = 0;; tries++) {
    int r = set_number (l, "memory", "memory.limit_in_bytes", l->plan->memory, err);

    if (r != -EBUSY || tries == BUSY_TRIES)
      return r;
    error_clear (err);
    nanosleep (&step, NULL);
  }
}

static int limit_memory (const struct limits *l, struct error *err)
{
  int r = l->plan->memory > 0 ? set_memory (l, err) : 0;

  /* The kernel requires memsw >= memory, so memory comes first. */
  if (r == 0 && l->plan->memory > 0 && l->plan->swap_limit)
    r = set_number (l, "memory", "memory.memsw.limit_in_bytes", l->plan->memory, err);
  return r;
}

static int limit_cpu (const struct limits *l, struct error *err)
{
  int r;

  if (l->plan->cpu_quota == 0)
    return 0;
  r = set_number (l, "cpu", "cpu.cfs_period_us", l->plan->cpu_period, err);
  return r < 0 ? r : set_number (l, "cpu", "cpu.cfs_quota_us", l->plan->cpu_quota, err);
}

/* Nothing else reads this back. A list that still begins with "a" allows everything. */
static int check_devices (const struct limits *l, struct error *err)
{
  cleanup_free char *list = NULL;
  int r = file_read (cgroup_directory (l->group, "devices"), "devices.list", DEVICES_MAX, &list, NULL, err);

  if (r < 0)
    return error_prefix (err, "check the cgroup '%s'", l->launch->cgroup_path);
  if (list[0] == 'a' || strchr (list, 'b') != NULL || strchr (list, 'm') != NULL)
    return error_set (err, -EPERM, "the cgroup '%s' allows more devices than were listed",
                      l->launch->cgroup_path);
  return 0;
}

/* Each rule needs a write of its own. */
static int allow_devices (const struct limits *l, struct error *err)
{
  cleanup_close int fd = cgroup_open_file (cgroup_directory (l->group, "devices"), "devices.allow");

  for (size_t i = 0; i < OCI_DEVICE_COUNT; i++) {
    char rule[64], minor[16] = "*";

    if (oci_devices[i].minor >= 0)
      snprintf (minor, sizeof (minor), "%d", oci_devices[i].minor);
    snprintf (rule, sizeof (rule), "c %d:%s rw", oci_devices[i].major, minor);
    if (fd < 0 || write (fd, rule, strlen (rule)) < 0)
      return set_failed (l, "devices.allow", rule, fd < 0 ? fd : -errno, err);
  }
  return 0;
}

static int limit_devices (const struct limits *l, struct error *err)
{
  int r = set (l, "devices", "devices.deny", "a", err);

  if (r == 0)
    r = allow_devices (l, err);
  return r < 0 ? r : check_devices (l, err);
}

/* Removes what the runtime has used from the counters. A counter that cannot be reset is only less exact. */
void cgroup_v1_forget (const struct cgroup *group)
{
  cgroup_write (cgroup_directory (group, "cpuacct"), "cpuacct.usage", "0");
  cgroup_write (cgroup_directory (group, "memory"), "memory.max_usage_in_bytes", "0");
}

int cgroup_v1_limit (const struct plan *plan, const struct launch *launch, const struct cgroup *group,
                     struct error *err)
{
  const struct limits limits = { plan, launch, group };
  int r = limit_memory (&limits, err);

  if (r == 0 && plan->pids > 0)
    r = set_number (&limits, "pids", "pids.max", plan->pids, err);
  if (r == 0)
    r = limit_cpu (&limits, err);
  if (r == 0)
    r = limit_devices (&limits, err);
  if (r == 0)
    cgroup_v1_forget (group);
  return r;
}
