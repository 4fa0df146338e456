/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run's group below one that was delegated to its user (see host/look-delegation.c).
 *
 * Runtimes are not used for this: each has its own conditions for running without root, and one that cannot
 * make a group continues without it. The supervisor makes the group, the process that becomes the runtime
 * enters it, so that the container and its cgroup namespace begin there, and the limits are set when only
 * init is left in it. A group with limited children may hold no process; if the supervisor itself is the only
 * one in it, it moves into a child of the group for the time of the run.
 */
#include <config.h>

#include "cgroup-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-number.h"
#include "base-str.h"

/* The child group for a supervisor that had to leave the delegated group. */
#define OWN_GROUP "tyrum-oci-supervisor"

#define PROCS_MAX ((size_t) 1024 * 1024)

static int open_group (const char *group)
{
  cleanup_free char *path = str_format (CGROUP_ROOT "%s", group);

  return path ? cgroup_open_directory (AT_FDCWD, path) : -ENOMEM;
}

enum members { MEMBERS_NONE, MEMBERS_ONLY_US, MEMBERS_OTHERS };

/* Who is in a group, by its file PROCS below the directory DIR. */
static enum members members_of (int dir, const char *procs)
{
  cleanup_free char *text = NULL;
  struct error ignored = { 0 };
  uint64_t pid;

  if (file_read (dir, procs, PROCS_MAX, &text, NULL, &ignored) < 0) {
    error_clear (&ignored);
    return MEMBERS_OTHERS;
  }
  if (text[0] == '\0')
    return MEMBERS_NONE;
  text[strcspn (text, "\n")] = '\0';
  return number_parse (text, INT32_MAX, &pid) && (pid_t) pid == getpid () && text[strlen (text) + 1] == '\0'
             ? MEMBERS_ONLY_US
             : MEMBERS_OTHERS;
}

static int leave (int delegated)
{
  if (members_of (delegated, "cgroup.procs") != MEMBERS_ONLY_US)
    return 0;
  /* It may exist already: a supervisor that was killed leaves it. */
  if (mkdirat (delegated, OWN_GROUP, 0755) < 0 && errno != EEXIST)
    return -errno;
  return cgroup_write (delegated, OWN_GROUP "/cgroup.procs", "0");
}

static int enable (const struct plan *plan, int delegated, struct error *err)
{
  const struct {
    uint64_t limit;
    const char *word;
  } list[] = { { plan->memory, "+memory" }, { plan->pids, "+pids" }, { plan->cpu_quota, "+cpu" } };
  cleanup_close int fd = cgroup_open_file (delegated, "cgroup.subtree_control");

  for (size_t i = 0; i < ARRAY_LEN (list); i++) {
    if (list[i].limit == 0 || (fd >= 0 && write (fd, list[i].word, strlen (list[i].word)) >= 0))
      continue;
    return error_set_errno (err, fd < 0 ? -fd : errno, "enable the controller '%s' below the cgroup '%s'",
                            list[i].word + 1, plan->cgroup_delegated);
  }
  return 0;
}

int cgroup_delegated_make (const struct plan *plan, const struct launch *launch, struct cgroup *group,
                           struct error *err)
{
  int above = open_group (plan->cgroup_delegated), r;

  if (above < 0)
    return error_set_errno (err, -above, "open the cgroup '%s'", plan->cgroup_delegated);
  group->mode = CGROUP_V2;
  group->directories[group->count++] = (struct cgroup_directory){ .above = above, .fd = -1 };
  r = leave (above);
  if (r < 0)
    return error_set_errno (err, -r, "leave the cgroup '%s' for one below it", plan->cgroup_delegated);
  r = enable (plan, above, err);
  if (r < 0)
    return r;
  r = cgroup_make_directories (group, launch->cgroup_path);
  return r < 0 ? error_set_errno (err, -r, "make the cgroup '%s'", launch->cgroup_path) : 0;
}

int cgroup_delegated_enter (const struct launch *launch, const struct cgroup *group, struct error *err)
{
  int r = group->made ? cgroup_write (group->directories[0].fd, "cgroup.procs", "0") : -ENOENT;

  return r < 0 ? error_set_errno (err, -r, "enter the cgroup '%s'", launch->cgroup_path) : 0;
}

static int set_limit (const struct launch *launch, const struct cgroup *group, const char *name,
                      const char *text, struct error *err)
{
  int r = cgroup_write (cgroup_directory (group, ""), name, text);

  return r < 0 ? error_set_errno (err, -r, "set '%s' of the cgroup '%s'", name, launch->cgroup_path) : 0;
}

int cgroup_delegated_limit (const struct plan *plan, const struct launch *launch, const struct cgroup *group,
                            struct error *err)
{
  char number[64];
  int r = 0;

  if (plan->memory > 0) {
    snprintf (number, sizeof (number), "%" PRIu64, plan->memory);
    r = set_limit (launch, group, "memory.max", number, err);
    if (r == 0)
      r = set_limit (launch, group, "memory.oom.group", "1", err);
    if (r == 0 && plan->swap_limit)
      r = set_limit (launch, group, "memory.swap.max", "0", err);
  }
  if (r == 0 && plan->pids > 0) {
    snprintf (number, sizeof (number), "%" PRIu64, plan->pids);
    r = set_limit (launch, group, "pids.max", number, err);
  }
  if (r == 0 && plan->cpu_quota > 0) {
    snprintf (number, sizeof (number), "%" PRIu64 " %" PRIu64, plan->cpu_quota, plan->cpu_period);
    r = set_limit (launch, group, "cpu.max", number, err);
  }
  return r;
}

/* Whether the group has children other than OWN_GROUP. */
static bool has_others (int group)
{
  int fd = openat (group, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd < 0 ? NULL : fdopendir (fd);
  const struct dirent *entry;
  bool found = dir == NULL;

  if (dir == NULL)
    close_p (&fd);
  while (dir != NULL && (entry = readdir (dir)) != NULL)
    found = found
            || (entry->d_type == DT_DIR && entry->d_name[0] != '.' && strcmp (entry->d_name, OWN_GROUP) != 0);
  if (dir != NULL)
    closedir (dir);
  return found;
}

void cgroup_give_back (const char *delegated)
{
  static const char *const changes[] = { "-memory", "-pids", "-cpu" };
  cleanup_close int dir = delegated ? open_group (delegated) : -1;
  enum members members;

  /* A process of another supervisor in OWN_GROUP means that its run is not over. */
  if (dir < 0 || faccessat (dir, OWN_GROUP, F_OK, 0) < 0 || has_others (dir))
    return;
  members = members_of (dir, OWN_GROUP "/cgroup.procs");
  if (members == MEMBERS_OTHERS)
    return;
  for (size_t i = 0; i < ARRAY_LEN (changes); i++)
    cgroup_write (dir, "cgroup.subtree_control", changes[i]);
  if (members == MEMBERS_NONE || cgroup_write (dir, "cgroup.procs", "0") == 0)
    unlinkat (dir, OWN_GROUP, AT_REMOVEDIR);
}
