/* A run's group below one that was delegated to its user (see host/look-delegation.c).
 *
 * No runtime is asked to do this: each has conditions of its own for running without root, and one that
 * cannot make a group goes on without. The supervisor makes the group, the process that becomes the runtime
 * enters it, so that the container begins there and its cgroup namespace, too, and the limits are set when
 * init is all that is left in it. A group with limited children may hold no process; where the supervisor
 * itself is the only one there, it moves into a child for the time of the run.
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
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-number.h"
#include "base-str.h"

#define CGROUP_ROOT "/sys/fs/cgroup"

/* Where a supervisor waits that had to leave the delegated group. */
#define OWN_GROUP "tyrum-oci-supervisor"

#define PROCS_MAX ((size_t) 1024 * 1024)

static int write_to (const char *group, const char *name, const char *text)
{
  cleanup_free char *path = str_format (CGROUP_ROOT "%s/%s", group, name);
  cleanup_close int fd = path ? open (path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;

  if (fd < 0)
    return path ? -errno : -ENOMEM;
  return write (fd, text, strlen (text)) < 0 ? -errno : 0;
}

static int make_group (const char *group)
{
  cleanup_free char *path = str_format (CGROUP_ROOT "%s", group);

  if (path == NULL)
    return -ENOMEM;
  return mkdir (path, 0755) < 0 ? -errno : 0;
}

enum members { MEMBERS_NONE, MEMBERS_ONLY_US, MEMBERS_OTHERS };

static enum members members_of (const char *group)
{
  cleanup_free char *path = str_format (CGROUP_ROOT "%s/cgroup.procs", group);
  cleanup_free char *text = NULL;
  struct error ignored = { 0 };
  uint64_t pid;

  if (path == NULL || file_read (AT_FDCWD, path, PROCS_MAX, &text, NULL, &ignored) < 0) {
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

static int leave (const char *delegated, struct error *err)
{
  cleanup_free char *own = str_format ("%s/" OWN_GROUP, delegated);
  int r;

  if (own == NULL)
    return error_oom (err);
  if (members_of (delegated) != MEMBERS_ONLY_US)
    return 0;
  /* It may be there: a supervisor that was killed leaves it, and it is all the same to us. */
  r = make_group (own);
  if (r == 0 || r == -EEXIST)
    r = write_to (own, "cgroup.procs", "0");
  return r < 0 ? error_set_errno (err, -r, "leave the cgroup '%s' for one below it", delegated) : 0;
}

static int enable (const struct plan *plan, struct error *err)
{
  const struct {
    uint64_t limit;
    const char *word;
  } list[] = { { plan->memory, "+memory" }, { plan->pids, "+pids" }, { plan->cpu_quota, "+cpu" } };

  for (size_t i = 0; i < ARRAY_LEN (list); i++) {
    int r = list[i].limit > 0 ? write_to (plan->cgroup_delegated, "cgroup.subtree_control", list[i].word) : 0;

    if (r < 0)
      return error_set_errno (err, -r, "have the controller '%s' below the cgroup '%s'", list[i].word + 1,
                              plan->cgroup_delegated);
  }
  return 0;
}

int cgroup_delegated_make (const struct plan *plan, struct error *err)
{
  int r = leave (plan->cgroup_delegated, err);
  if (r == 0)
    r = enable (plan, err);
  if (r < 0)
    return r;
  r = make_group (plan->cgroup_path);
  return r < 0 ? error_set_errno (err, -r, "make the cgroup '%s'", plan->cgroup_path) : 0;
}

int cgroup_delegated_enter (const struct plan *plan, struct error *err)
{
  int r = write_to (plan->cgroup_path, "cgroup.procs", "0");

  return r < 0 ? error_set_errno (err, -r, "enter the cgroup '%s'", plan->cgroup_path) : 0;
}

static int set_limit (const struct plan *plan, const char *name, const char *text, struct error *err)
{
  int r = write_to (plan->cgroup_path, name, text);

  return r < 0 ? error_set_errno (err, -r, "set '%s' of the cgroup '%s'", name, plan->cgroup_path) : 0;
}

int cgroup_delegated_limit (const struct plan *plan, struct error *err)
{
  char number[64];
  int r = 0;

  if (plan->memory > 0) {
    snprintf (number, sizeof (number), "%" PRIu64, plan->memory);
    r = set_limit (plan, "memory.max", number, err);
    if (r == 0)
      r = set_limit (plan, "memory.oom.group", "1", err);
    if (r == 0 && plan->swap_limit)
      r = set_limit (plan, "memory.swap.max", "0", err);
  }
  if (r == 0 && plan->pids > 0) {
    snprintf (number, sizeof (number), "%" PRIu64, plan->pids);
    r = set_limit (plan, "pids.max", number, err);
  }
  if (r == 0 && plan->cpu_quota > 0) {
    snprintf (number, sizeof (number), "%" PRIu64 " %" PRIu64, plan->cpu_quota, plan->cpu_period);
    r = set_limit (plan, "cpu.max", number, err);
  }
  return r;
}

/* Whether GROUP has children besides the one that we wait in. */
static bool has_others (const char *group)
{
  cleanup_free char *path = str_format (CGROUP_ROOT "%s", group);
  DIR *dir = path ? opendir (path) : NULL;
  const struct dirent *entry;
  bool found = dir == NULL;

  while (dir != NULL && (entry = readdir (dir)) != NULL)
    found = found
            || (entry->d_type == DT_DIR && entry->d_name[0] != '.' && strcmp (entry->d_name, OWN_GROUP) != 0);
  if (dir != NULL)
    closedir (dir);
  return found;
}

void cgroup_give_back (const char *delegated)
{
  static const char *const words[] = { "-memory", "-pids", "-cpu" };
  cleanup_free char *own = delegated ? str_format ("%s/" OWN_GROUP, delegated) : NULL;
  cleanup_free char *path = own ? str_format (CGROUP_ROOT "%s", own) : NULL;
  enum members members;

  /* Whoever else waits there does it for a run. */
  if (path == NULL || access (path, F_OK) < 0 || has_others (delegated))
    return;
  members = members_of (own);
  if (members == MEMBERS_OTHERS)
    return;
  for (size_t i = 0; i < ARRAY_LEN (words); i++)
    write_to (delegated, "cgroup.subtree_control", words[i]);
  if (members == MEMBERS_NONE || write_to (delegated, "cgroup.procs", "0") == 0)
    rmdir (path);
}
