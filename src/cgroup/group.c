/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "cgroup-group.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-number.h"
#include "base-str.h"
#include "cgroup-internal.h"
#include "posture-proc.h"

/* A killed process leaves its group when it is reaped; waits 5 s in steps of 2 ms. */
#define EMPTY_TRIES   2500
#define EMPTY_STEP_NS 2000000

#define CGROUP_FILE_MAX ((size_t) 256 * 1024)

/* Reads NAME in the directory DIR, or a path; NULL on failure. */
static char *read_text (int dir, const char *name)
{
  struct error ignored = { 0 };
  char *text = NULL;

  if (file_read (dir, name, CGROUP_FILE_MAX, &text, NULL, &ignored) < 0)
    text = NULL;
  error_clear (&ignored);
  return text;
}

/* The number after KEY at the start of a line, or at the start of the file for an empty key. */
static bool find_number (const char *text, const char *key, uint64_t *ret_number)
{
  size_t len = strlen (key);

  for (const char *line = text; line != NULL && *line != '\0';
       line = strchr (line, '\n') ? strchr (line, '\n') + 1 : NULL) {
    cleanup_free char *digits = NULL;

    if (strncmp (line, key, len) != 0 || (len > 0 && line[len] != ' '))
      continue;
    digits = strndup (line + len + (len > 0), strspn (line + len + (len > 0), "0123456789"));
    return digits != NULL && number_parse (digits, UINT64_MAX, ret_number);
  }
  return false;
}

struct counter {
  const char *controller, *file, *key;
  uint64_t *number;
};

static void read_counters (const struct cgroup *group, const struct counter *list, size_t count, bool *known)
{
  for (size_t i = 0; i < count; i++) {
    cleanup_free char *text = read_text (cgroup_directory (group, list[i].controller), list[i].file);

    if (text != NULL && find_number (text, list[i].key, list[i].number))
      *known = true;
  }
}

static void count_v2 (const struct cgroup *group, struct cgroup_counters *c)
{
  uint64_t usec = 0;
  const struct counter list[] = {
    { "cpu", "cpu.stat", "usage_usec", &usec },
    { "cpu", "cpu.stat", "nr_throttled", &c->throttled },
    { "memory", "memory.peak", "", &c->memory_peak },
    { "memory", "memory.events", "oom_kill", &c->oom_kills },
    { "pids", "pids.events", "max", &c->pids_denied },
  };

  read_counters (group, list, ARRAY_LEN (list), &c->known);
  c->cpu_ns = usec * 1000;
}

static void count_v1 (const struct cgroup *group, struct cgroup_counters *c)
{
  const struct counter list[] = {
    { "cpuacct", "cpuacct.usage", "", &c->cpu_ns },
    { "cpu", "cpu.stat", "nr_throttled", &c->throttled },
    { "memory", "memory.max_usage_in_bytes", "", &c->memory_peak },
    { "memory", "memory.oom_control", "oom_kill", &c->oom_kills },
    { "pids", "pids.events", "max", &c->pids_denied },
  };

  read_counters (group, list, ARRAY_LEN (list), &c->known);
}

void cgroup_count (const struct cgroup *group, struct cgroup_counters *ret_counters)
{
  *ret_counters = (struct cgroup_counters){ 0 };
  if (group->count == 0)
    return;
  if (group->mode == CGROUP_V2)
    count_v2 (group, ret_counters);
  else
    count_v1 (group, ret_counters);
}

/* "max" and -1 mean no limit, and so does version 1's largest number of whole pages. */
#define V1_UNLIMITED (UINT64_C (0x7ffffffffffff) << 12)

static bool read_limit (int directory, const char *name, uint64_t *ret_limit)
{
  cleanup_free char *text = read_text (directory, name);
  const char *p = text;

  if (text == NULL)
    return false;
  *ret_limit = UINT64_MAX;
  if (strncmp (text, "max", 3) == 0 || strncmp (text, "-1", 2) == 0)
    return true;
  if (!proc_number_next (&p, ret_limit))
    return false;
  if (*ret_limit >= V1_UNLIMITED)
    *ret_limit = UINT64_MAX;
  return true;
}

static bool look_v1 (const struct cgroup *held, struct outside_cgroup *group)
{
  int memory = cgroup_directory (held, "memory"), cpu = cgroup_directory (held, "cpu");

  group->counts_swap = read_limit (memory, "memory.memsw.limit_in_bytes", &group->memory_and_swap);
  group->swap = UINT64_MAX;
  return read_limit (memory, "memory.limit_in_bytes", &group->memory)
         && read_limit (cgroup_directory (held, "pids"), "pids.max", &group->pids)
         && read_limit (cpu, "cpu.cfs_quota_us", &group->quota)
         && read_limit (cpu, "cpu.cfs_period_us", &group->period);
}

static bool look_v2 (const struct cgroup *held, struct outside_cgroup *group)
{
  int directory = cgroup_directory (held, "");
  cleanup_free char *cpu = read_text (directory, "cpu.max");
  const char *second = cpu ? strchr (cpu, ' ') : NULL;

  if (second == NULL || !proc_number_next (&second, &group->period))
    return false;
  group->counts_swap = read_limit (directory, "memory.swap.max", &group->swap);
  group->memory_and_swap = UINT64_MAX;
  return read_limit (directory, "memory.max", &group->memory)
         && read_limit (directory, "pids.max", &group->pids)
         && read_limit (directory, "cpu.max", &group->quota);
}

/* MEMBERSHIP has lines "N:CONTROLLERS:PATH"; the process must be in PATH for every controller that limits. */
static bool is_member (enum cgroup_mode mode, const char *membership, const char *path)
{
  static const char *const v1[] = { "memory", "pids", "cpu", "devices" };
  size_t found = 0, wanted = mode == CGROUP_V2 ? 1 : ARRAY_LEN (v1);

  for (const char *line = membership; *line != '\0';
       line += strcspn (line, "\n") + (strchr (line, '\n') != NULL)) {
    cleanup_free char *copy = strndup (line, strcspn (line, "\n"));
    char *controllers = copy ? strchr (copy, ':') : NULL;
    char *group = controllers ? strchr (controllers + 1, ':') : NULL;

    if (group == NULL || strcmp (group + 1, path) != 0)
      continue;
    *group = '\0';
    if (mode == CGROUP_V2)
      found += controllers[1] == '\0';
    for (size_t i = 0; mode != CGROUP_V2 && i < ARRAY_LEN (v1); i++)
      found += proc_option_has (controllers + 1, v1[i]);
  }
  return found == wanted;
}

static bool has_processes (const struct cgroup *group)
{
  for (size_t i = 0; i < group->count; i++) {
    cleanup_free char *text = read_text (group->directories[i].fd, "cgroup.procs");

    if (text != NULL && text[0] != '\0')
      return true;
  }
  return false;
}

void cgroup_look (const struct cgroup *group, const char *path, const char *membership,
                  struct outside_cgroup *ret_group)
{
  *ret_group = (struct outside_cgroup){ 0 };
  if (group->mode == CGROUP_NONE || path == NULL)
    return;
  ret_group->known = group->mode == CGROUP_V2 ? look_v2 (group, ret_group) : look_v1 (group, ret_group);
  ret_group->member = membership ? is_member (group->mode, membership, path) : has_processes (group);
}

/* Calls EACH for the directory of the group PATH in every hierarchy; stops at the first failure. */
static int for_each_group (enum cgroup_mode mode, const char *path,
                           int (*each) (const char *directory, void *arg), void *arg)
{
  const struct dirent *entry;
  int r = 0;
  DIR *dir;

  if (mode == CGROUP_NONE || path == NULL)
    return 0;
  if (mode == CGROUP_V2) {
    cleanup_free char *directory = str_format (CGROUP_ROOT "%s", path);

    return directory ? each (directory, arg) : -ENOMEM;
  }
  dir = opendir (CGROUP_ROOT);
  if (dir == NULL)
    return -errno;
  for (errno = 0; r == 0 && (entry = readdir (dir)) != NULL; errno = 0) {
    cleanup_free char *directory = NULL;

    /* Links such as "cpu" to "cpu,cpuacct" would be a second visit. */
    if (entry->d_name[0] == '.' || entry->d_type == DT_LNK)
      continue;
    directory = str_format (CGROUP_ROOT "/%s%s", entry->d_name, path);
    r = directory ? each (directory, arg) : -ENOMEM;
  }
  /* An unread hierarchy may hold a group that would never be removed. */
  if (r == 0 && errno != 0)
    r = -errno;
  closedir (dir);
  return r;
}

/* 1 if it exists, 0 if not, or a negative errno. */
static int is_there (const char *directory)
{
  if (access (directory, F_OK) == 0)
    return 1;
  return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
}

static void write_text (const char *directory, const char *name, const char *text)
{
  cleanup_free char *path = str_format ("%s/%s", directory, name);

  /* Errors are ignored: every caller checks the effect afterwards. */
  if (path != NULL)
    cgroup_write (AT_FDCWD, path, text);
}

static void thaw (const char *directory)
{
  /* Versions 1 and 2 have a file each. */
  write_text (directory, "freezer.state", "THAWED");
  write_text (directory, "cgroup.freeze", "0");
}

static int thaw_group (const char *directory, void *arg)
{
  int r = is_there (directory);

  (void) arg;
  if (r > 0)
    thaw (directory);
  return r < 0 ? r : 0;
}

void cgroup_thaw (enum cgroup_mode mode, const char *path)
{
  for_each_group (mode, path, thaw_group, NULL);
}

/* Thaws first: a frozen process cannot die. */
static int kill_group (const char *directory, void *arg)
{
  cleanup_free char *procs = str_format ("%s/cgroup.procs", directory);
  cleanup_free char *text = NULL;
  size_t *alive = arg;
  int r = procs ? is_there (directory) : -ENOMEM;

  if (r <= 0)
    return r;
  thaw (directory);
  write_text (directory, "cgroup.kill", "1");
  text = read_text (AT_FDCWD, procs);
  for (const char *line = text; line != NULL && *line != '\0';) {
    size_t len = strcspn (line, "\n");
    cleanup_free char *digits = strndup (line, len);
    uint64_t pid;

    if (digits != NULL && number_parse (digits, INT32_MAX, &pid) && pid > 1) {
      kill ((pid_t) pid, SIGKILL);
      (*alive)++;
    }
    line += len + (line[len] == '\n');
  }
  return 0;
}

/* Removes groups inside the group first; the command may have made some. */
static int remove_tree (const char *directory, unsigned depth)
{
  const struct dirent *entry;
  DIR *dir;

  if (rmdir (directory) == 0 || errno == ENOENT)
    return 0;
  dir = depth > 0 ? opendir (directory) : NULL;
  while (dir != NULL && (entry = readdir (dir)) != NULL) {
    cleanup_free char *inner = NULL;

    if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
      continue;
    inner = str_format ("%s/%s", directory, entry->d_name);
    if (inner != NULL)
      remove_tree (inner, depth - 1);
  }
  if (dir != NULL)
    closedir (dir);
  return rmdir (directory) == 0 || errno == ENOENT ? 0 : -errno;
}

static int remove_group (const char *directory, void *arg)
{
  bool *busy = arg;
  int r = is_there (directory);

  if (r > 0)
    r = remove_tree (directory, 8);
  if (r == -EBUSY)
    *busy = true;
  return r == -EBUSY ? 0 : r;
}

/* Removes an empty group at once; any other is left to kill_group and remove_group. */
static int remove_empty (const char *directory, void *arg)
{
  bool *left = arg;

  if (rmdir (directory) < 0 && errno != ENOENT && errno != ENOTDIR)
    *left = true;
  return 0;
}

int cgroup_destroy (enum cgroup_mode mode, const char *path, struct error *err)
{
  bool left = false;

  if (for_each_group (mode, path, remove_empty, &left) == 0 && !left)
    return 0;
  for (unsigned tries = 0; tries < EMPTY_TRIES; tries++) {
    const struct timespec step = { 0, EMPTY_STEP_NS };
    size_t alive = 0;
    bool busy = false;
    int r;

    r = for_each_group (mode, path, kill_group, &alive);
    if (r == 0 && alive == 0)
      r = for_each_group (mode, path, remove_group, &busy);
    if (r < 0)
      return error_set_errno (err, -r, "remove the cgroup '%s'", path);
    if (alive == 0 && !busy)
      return 0;
    nanosleep (&step, NULL);
  }
  return error_set (err, -EBUSY, "remove the cgroup '%s': its processes do not end", path);
}

int cgroup_make (const struct plan *plan, const struct launch *launch, struct cgroup *group,
                 struct error *err)
{
  if (!launch->cgroup_ours)
    return plan_group_view (plan) ? cgroup_make_empty (plan, launch, group, err) : 0;
  return plan->cgroup_delegated ? cgroup_delegated_make (plan, launch, group, err)
                                : cgroup_v1_make (plan, launch, group, err);
}

int cgroup_enter (const struct plan *plan, const struct launch *launch, const struct cgroup *group,
                  struct error *err)
{
  if (!launch->cgroup_ours)
    return 0;
  return plan->cgroup_delegated ? cgroup_delegated_enter (launch, group, err)
                                : cgroup_v1_enter (launch, group, err);
}

void cgroup_forget_usage (const struct plan *plan, const struct launch *launch, const struct cgroup *group)
{
  if (launch->cgroup_ours && plan->cgroup_delegated == NULL)
    cgroup_v1_forget (group);
}

int cgroup_limit (const struct plan *plan, const struct launch *launch, const struct cgroup *group,
                  struct error *err)
{
  if (!launch->cgroup_ours)
    return 0;
  return plan->cgroup_delegated ? cgroup_delegated_limit (plan, launch, group, err)
                                : cgroup_v1_limit (plan, launch, group, err);
}
