/* A run's group in the hierarchies of version 1, made by the supervisor.
 *
 * A runtime makes the groups and then moves the container's first process into each of them. To move another
 * process the kernel stops every fork and exit on the host, and waits until all processors have noticed (in
 * cgroup_threadgroup_rwsem): 6 to 18 ms, more than all the rest of a launch. A process that moves itself, by
 * the file for single threads, needs none of that. So the process that becomes the runtime enters the groups
 * on its own before it executes anything, and the container is born in them. The runtime is told to leave
 * cgroups alone; the limits are set when init is all that is left inside, and observed like all others.
 */
#include <config.h>

#include "run-cgroup-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-str.h"
#include "posture-proc.h"
#include "target-oci-devices.h"

#define CGROUP_ROOT "/sys/fs/cgroup"

#define DEVICES_MAX ((size_t) 4096)

/* 200 ms in all. */
#define BUSY_TRIES   100
#define BUSY_STEP_NS 2000000

/* What limits or counts; the others have nothing to say about a run. */
static const char *const controllers[] = { "memory", "pids", "cpu", "cpuacct", "devices", "freezer" };

/* Whether the hierarchy NAME, such as "cpu,cpuacct", has one of them. */
static bool is_wanted (const char *name)
{
  for (size_t i = 0; i < ARRAY_LEN (controllers); i++)
    if (proc_option_has (name, controllers[i]))
      return true;
  return false;
}

static int write_file (const char *group, const char *name, const char *text)
{
  cleanup_free char *path = str_format ("%s/%s", group, name);
  cleanup_close int fd = path ? open (path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;

  if (fd < 0)
    return path ? -errno : -ENOMEM;
  return write (fd, text, strlen (text)) < 0 ? -errno : 0;
}

/* Hierarchies that were visited, by their devices. */
struct visited {
  dev_t devices[ARRAY_LEN (controllers)];
  size_t count;
};

/* 1: NAME in DIR is a hierarchy, and not one that was seen under another name. 0: it is not. Or a negative
 * errno: one that cannot be looked at is not taken for none. */
static int is_new (int dir, const char *name, struct visited *visited)
{
  cleanup_close int fd = openat (dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct statfs fs;
  struct stat st;

  if (fd < 0 || fstatfs (fd, &fs) < 0 || fstat (fd, &st) < 0)
    return -errno;
  if (fs.f_type != CGROUP_SUPER_MAGIC)
    return 0;
  for (size_t i = 0; i < visited->count; i++)
    if (visited->devices[i] == st.st_dev)
      return 0;
  if (visited->count < ARRAY_LEN (visited->devices))
    visited->devices[visited->count++] = st.st_dev;
  return 1;
}

/* Calls EACH with the run's group in every hierarchy that has a wanted controller. */
static int for_each_wanted (const struct plan *plan, int (*each) (const char *group))
{
  DIR *dir = opendir (CGROUP_ROOT);
  struct visited visited = { 0 };
  const struct dirent *entry;
  int r = dir ? 0 : -errno;

  while (r == 0) {
    cleanup_free char *group = NULL;

    errno = 0;
    entry = readdir (dir);
    if (entry == NULL) {
      r = -errno;
      break;
    }
    /* A link is a second name of a hierarchy with several controllers. */
    if (entry->d_type != DT_DIR || !is_wanted (entry->d_name))
      continue;
    r = is_new (dirfd (dir), entry->d_name, &visited);
    if (r <= 0)
      continue;
    group = str_format (CGROUP_ROOT "/%s%s", entry->d_name, plan->cgroup_path);
    r = group ? each (group) : -ENOMEM;
  }
  if (dir != NULL)
    closedir (dir);
  return r;
}

static int make_one (const char *group)
{
  return mkdir (group, 0755) < 0 ? -errno : 0;
}

int cgroup_v1_make (const struct plan *plan, struct error *err)
{
  int r = for_each_wanted (plan, make_one);

  return r < 0 ? error_set_errno (err, -r, "make the cgroup '%s'", plan->cgroup_path) : 0;
}

static int enter_one (const char *group)
{
  return write_file (group, "tasks", "0");
}

int cgroup_v1_enter (const struct plan *plan, struct error *err)
{
  int r = for_each_wanted (plan, enter_one);

  return r < 0 ? error_set_errno (err, -r, "enter the cgroup '%s'", plan->cgroup_path) : 0;
}

static int set (const struct plan *plan, const char *controller, const char *name, const char *text,
                struct error *err)
{
  cleanup_free char *group = str_format (CGROUP_ROOT "/%s%s", controller, plan->cgroup_path);
  int r = group ? write_file (group, name, text) : -ENOMEM;

  return r < 0
             ? error_set_errno (err, -r, "set '%s' of the cgroup '%s' to '%s'", name, plan->cgroup_path, text)
             : 0;
}

static int set_number (const struct plan *plan, const char *controller, const char *name, uint64_t number,
                       struct error *err)
{
  char text[32];

  snprintf (text, sizeof (text), "%" PRIu64, number);
  return set (plan, controller, name, text, err);
}

/* What the runtime had in the group is given back a little later than it ends. */
static int set_memory (const struct plan *plan, struct error *err)
{
  const struct timespec step = { 0, BUSY_STEP_NS };

  for (unsigned tries = 0;; tries++) {
    int r = set_number (plan, "memory", "memory.limit_in_bytes", plan->memory, err);

    if (r != -EBUSY || tries == BUSY_TRIES)
      return r;
    error_clear (err);
    nanosleep (&step, NULL);
  }
}

static int limit_memory (const struct plan *plan, struct error *err)
{
  int r = plan->memory > 0 ? set_memory (plan, err) : 0;

  /* Never below the limit of memory alone, so it comes second. */
  if (r == 0 && plan->memory > 0 && plan->swap_limit)
    r = set_number (plan, "memory", "memory.memsw.limit_in_bytes", plan->memory, err);
  return r;
}

static int limit_cpu (const struct plan *plan, struct error *err)
{
  int r;

  if (plan->cpu_quota == 0)
    return 0;
  r = set_number (plan, "cpu", "cpu.cfs_period_us", plan->cpu_period, err);
  return r < 0 ? r : set_number (plan, "cpu", "cpu.cfs_quota_us", plan->cpu_quota, err);
}

/* Nobody else reads it back. A list that still begins with "a" has everything in it. */
static int check_devices (const struct plan *plan, struct error *err)
{
  cleanup_free char *path = str_format (CGROUP_ROOT "/devices%s/devices.list", plan->cgroup_path);
  cleanup_free char *list = NULL;
  int r = path ? file_read (AT_FDCWD, path, DEVICES_MAX, &list, NULL, err) : error_oom (err);

  if (r == 0 && (list[0] == 'a' || strchr (list, 'b') != NULL || strchr (list, 'm') != NULL))
    r = error_set (err, -EPERM, "the cgroup '%s' lets more devices be used than it was told",
                   plan->cgroup_path);
  return r;
}

static int limit_devices (const struct plan *plan, struct error *err)
{
  int r = set (plan, "devices", "devices.deny", "a", err);

  for (size_t i = 0; r == 0 && i < OCI_DEVICE_COUNT; i++) {
    char rule[64], minor[16] = "*";

    if (oci_devices[i].minor >= 0)
      snprintf (minor, sizeof (minor), "%d", oci_devices[i].minor);
    snprintf (rule, sizeof (rule), "c %d:%s rw", oci_devices[i].major, minor);
    r = set (plan, "devices", "devices.allow", rule, err);
  }
  return r < 0 ? r : check_devices (plan, err);
}

/* What the runtime has used is not the run's. That a counter cannot be reset makes it only less exact. */
void cgroup_v1_forget (const struct plan *plan)
{
  struct error ignored = { 0 };

  set (plan, "cpuacct", "cpuacct.usage", "0", &ignored);
  error_clear (&ignored);
  set (plan, "memory", "memory.max_usage_in_bytes", "0", &ignored);
  error_clear (&ignored);
}

int cgroup_v1_limit (const struct plan *plan, struct error *err)
{
  int r = limit_memory (plan, err);

  if (r == 0 && plan->pids > 0)
    r = set_number (plan, "pids", "pids.max", plan->pids, err);
  if (r == 0)
    r = limit_cpu (plan, err);
  if (r == 0)
    r = limit_devices (plan, err);
  if (r == 0)
    cgroup_v1_forget (plan);
  return r;
}
