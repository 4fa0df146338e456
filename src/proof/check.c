/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "proof-check.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "base-number.h"
#include "cgroup-group.h"
#include "posture-proc.h"
#include "proof-outside.h"
#include "state-run-record.h"

#define FACTS_FILE "facts"

void run_facts_write (const struct run_dir *dir, const struct outside *outside)
{
  struct error ignored = { 0 };
  cleanup_free char *bytes = NULL;
  size_t length = 0;

  /* Without the file, run_check reports that the run has no facts. */
  if (outside_save (outside, &bytes, &length, &ignored) < 0
      || file_write_passing (dir->fd, FACTS_FILE, bytes, length, 0600, &ignored) < 0)
    error_clear (&ignored);
}

static int read_facts (const struct run_dir *dir, struct outside *ret_then, struct error *err)
{
  cleanup_free char *bytes = NULL;
  size_t length = 0;
  int r = file_read (dir->fd, FACTS_FILE, LIMIT_FACTS_BYTES, &bytes, &length, err);

  if (r == -ENOENT) {
    error_clear (err);
    return error_set (err, -ESRCH, "run '%s' has not started its command yet", dir->id);
  }
  return r < 0 ? r : outside_load (bytes, length, ret_then, err);
}

/* The processes of the run, and the number of all processes that could not be inspected. */
struct found {
  struct outside *items;
  size_t count;
  size_t unseen;
};

static void found_clear (struct found *found)
{
  for (size_t i = 0; i < found->count; i++)
    outside_clear (&found->items[i]);
  free (found->items);
}

/* Zombies have no namespaces or mounts to compare. */
static bool is_gone (const struct outside *process)
{
  const char *state = process->status ? strstr (process->status, "\nState:\t") : NULL;

  return state == NULL || state[8] == 'Z' || state[8] == 'X';
}

static int look_at (struct found *found, const struct outside *then, pid_t pid, struct error *err)
{
  cleanup_outside struct outside process = { 0 };
  struct outside *grown;
  int r = outside_look_process (pid, &process, err);

  if (r < 0 || is_gone (&process))
    return r;
  if (process.spaces[SPACE_MOUNT] == 0)
    found->unseen++;
  if (!drift_is_member (then, &process))
    return 0;
  grown = realloc (found->items, (found->count + 1) * sizeof (*grown));
  if (grown == NULL)
    return error_oom (err);
  found->items = grown;
  found->items[found->count++] = process;
  process = (struct outside){ 0 };
  return 0;
}

static int look_at_all (struct found *found, const struct outside *then, struct error *err)
{
  DIR *proc = opendir ("/proc");
  const struct dirent *entry;
  int r = 0;

  if (proc == NULL)
    return error_set_errno (err, errno, "list the processes in '/proc'");
  while (r == 0 && (entry = readdir (proc)) != NULL) {
    uint64_t pid;

    if (number_parse (entry->d_name, INT32_MAX, &pid))
      r = look_at (found, then, (pid_t) pid, err);
  }
  closedir (proc);
  return r;
}

static int look_at_first (const struct outside *then, const struct host_facts *host, const char *id,
                          struct outside *now, struct error *err)
{
  cleanup_cgroup struct cgroup group = { 0 };
  struct proc_status status;
  int r = then->seen ? outside_look_process ((pid_t) then->pid, now, err) : 0;

  if (r < 0)
    return r;
  /* The pid may have been reused since. */
  if (then->seen
      && (is_gone (now) || !proc_status_read (now->status, &status) || status.pid != 1
          || now->spaces[SPACE_PID] != then->spaces[SPACE_PID]))
    return error_set (err, -ESRCH, "run '%s' is ending", id);
  cgroup_open (host->cgroup, then->group_path, &group);
  cgroup_look (&group, then->group_path, now->cgroup, &now->group);
  return 0;
}

static int compare (const struct run_dir *dir, const struct host_facts *host, struct run_check *check,
                    struct error *err)
{
  cleanup_outside struct outside then = { 0 }, now = { 0 };
  cleanup (found_clear) struct found found = { 0 };
  struct drift_look look = { .then = &then, .now = &now };
  int r = read_facts (dir, &then, err);

  if (r == 0)
    r = look_at_first (&then, host, dir->id, &now, err);
  if (r == 0 && then.seen)
    r = look_at_all (&found, &then, err);
  if (r < 0)
    return r;
  look.processes = found.items;
  look.count = found.count;
  check->inside = then.seen;
  check->processes = found.count;
  check->unseen = found.unseen;
  return drift_compare (&look, &check->drift, err);
}

int run_check (const struct host_facts *host, const char *id, struct run_check *ret_check, struct error *err)
{
  cleanup_run_dir struct run_dir dir = { .fd = -1, .lock_fd = -1 };
  cleanup_run_record struct run_record record = { 0 };
  cleanup_run_check struct run_check check = { 0 };
  bool live = false;
  int r = run_dir_open (host->state_dir, id, &dir, &live, err);

  if (r == -ENOENT) {
    error_clear (err);
    return error_set (err, -ESRCH, "there is no run '%s'; 'tyrum-oci ps' shows them", id);
  }
  if (r == 0 && !live)
    r = error_set (err, -ESRCH, "run '%s' is not live: its supervisor is gone", id);
  if (r == 0)
    r = run_record_read (&dir, &record, err);
  if (r == 0)
    r = compare (&dir, host, &check, err);
  if (r < 0)
    return r;
  check.profile = take_ptr (record.profile);
  check.backend = take_ptr (record.backend);
  *ret_check = check;
  check = (struct run_check){ 0 };
  return 0;
}

void run_check_clear (struct run_check *check)
{
  free (check->profile);
  free (check->backend);
  drift_clear (&check->drift);
  *check = (struct run_check){ 0 };
}
