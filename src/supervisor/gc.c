/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finishing what a killed supervisor left, and ending what still lives.
 *
 * Everything of a run can be found from its id: its directory, its cgroup, and the name of the file systems
 * in its processes' mount tables. Mounts live in namespaces that went with the processes. A directory whose
 * lock can be taken has no supervisor.
 */
#include <config.h>

#include "supervisor-run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-number.h"
#include "base-path.h"
#include "state-run-dir.h"
#include "state-run-record.h"
#include "supervisor-internal.h"
#include "supervisor-process.h"

#define KILL_MS 5000

#define MOUNT_PASSES 1000

/* A second at most, in case the number has become another process's. */
#define DYING_TRIES 1000

#define MOUNTINFO_MAX ((size_t) 1024 * 1024)

/* That there is no record is one thing, that it cannot be read now another: the run then keeps its directory,
 * and its turn comes. */
static int read_record (const struct run_dir *dir, struct run_record *ret_record, bool *ret_found,
                        struct error *err)
{
  int r = run_record_read (dir, ret_record, err);

  *ret_found = r == 0;
  /* One that was half written means that nothing had been made yet. */
  if (r == -ENOENT || r == -EINVAL) {
    error_clear (err);
    return 0;
  }
  return r;
}

/* What only the backend finds: the container of an engine, processes outside of the run's cgroup. */
static int remove_container (struct left_walk *walk, const struct run_dir *dir, struct error *err)
{
  cleanup_run_record struct run_record record = { 0 };
  const struct backend *backend = NULL;
  struct error ignored = { 0 };
  bool found = false;
  int r = read_record (dir, &record, &found, err);

  if (r < 0 || !found)
    return r;
  if (backend_find (record.backend, NULL, &backend, &ignored) < 0) {
    error_clear (&ignored);
    return 0;
  }
  return backend->driver->remove_left (walk, backend, &record, dir, err);
}

/* Whether process PID has a file system of the run in its mount table. */
static bool is_of_run (const char *pid, const char *name)
{
  cleanup_free char *path = str_format ("/proc/%s/mountinfo", pid);
  cleanup_free char *text = NULL;
  struct error ignored = { 0 };

  if (path == NULL || file_read (AT_FDCWD, path, MOUNTINFO_MAX, &text, NULL, &ignored) < 0)
    error_clear (&ignored);
  return text != NULL && strstr (text, name) != NULL;
}

/* A user's run has no cgroup to find its processes by. One that was made but not started when its supervisor
 * was killed waits for ever, and nothing but its mounts tells whose it is. */
static size_t kill_by_mounts (const char *id)
{
  cleanup_free char *name = str_format (" tyrum-oci-%s ", id);
  DIR *dir = name ? opendir ("/proc") : NULL;
  const struct dirent *entry;
  size_t found = 0;

  while (dir != NULL && (entry = readdir (dir)) != NULL) {
    uint64_t pid;

    if (number_parse (entry->d_name, INT32_MAX, &pid) && pid > 1 && (pid_t) pid != getpid ()
        && is_of_run (entry->d_name, name) && kill ((pid_t) pid, SIGKILL) == 0)
      found++;
  }
  if (dir != NULL)
    closedir (dir);
  return found;
}

void run_end_by_mounts (const char *id)
{
  /* Until a pass finds none: one may have been making another. */
  for (unsigned pass = 0; pass < MOUNT_PASSES && kill_by_mounts (id) > 0; pass++)
    process_pause_ms (1);
}

/* The kernel lets a dying supervisor's lock go before it tells its children, who could go on making things.
 */
static void await_supervisor (const struct run_dir *dir)
{
  cleanup_run_record struct run_record record = { 0 };
  struct error ignored = { 0 };

  if (run_record_read (dir, &record, &ignored) < 0 || record.supervisor <= 1) {
    error_clear (&ignored);
    return;
  }
  for (unsigned tries = 0; tries < DYING_TRIES; tries++) {
    char state = process_state ((pid_t) record.supervisor);

    if (state == '\0' || state == 'Z')
      return;
    process_pause_ms (1);
  }
}

/* A user's run may have one below a group that was delegated to the user. */
static int destroy_cgroup (const struct host_facts *host, const struct run_dir *dir, struct error *err)
{
  cleanup_run_record struct run_record record = { 0 };
  cleanup_free char *cgroup = NULL;
  bool found = false;
  int r = read_record (dir, &record, &found, err);

  if (r < 0)
    return r;
  if (record.delegated != NULL && !path_is_normal (record.delegated))
    return error_set (err, -EINVAL, "the record of run '%s' names no cgroup: '%s'", dir->id,
                      record.delegated);
  cgroup = str_format ("%s/tyrum-oci-%s", record.delegated ? record.delegated : "", dir->id);
  if (cgroup == NULL)
    return error_oom (err);
  r = cgroup_destroy (host->cgroup, cgroup, err);
  cgroup_give_back (record.delegated);
  return r;
}

static int finish (struct left_walk *walk, const char *id, bool *ret_done, struct error *err)
{
  const struct host_facts *host = walk->host;
  cleanup_run_dir struct run_dir dir = { .fd = -1, .lock_fd = -1 };
  struct error failed = { 0 };
  bool live = true;
  int r;

  *ret_done = false;
  r = run_dir_open (host->state_dir, id, &dir, &live, &failed);
  /* Gone in the meantime: its supervisor, or another gc, was faster. */
  if (r == -ENOENT || (r == 0 && live)) {
    error_clear (&failed);
    return 0;
  }
  if (r < 0) {
    error_set (err, r, "%s", error_text (&failed));
    error_clear (&failed);
    return r;
  }
  await_supervisor (&dir);
  r = remove_container (walk, &dir, err);
  if (r < 0)
    return r;
  run_end_by_mounts (id);
  r = destroy_cgroup (host, &dir, err);
  if (r == 0)
    run_slot_give_back (host->state_dir, id);
  if (r == 0)
    r = run_dir_remove (&dir, err);
  *ret_done = r == 0;
  return r;
}

int run_gc (const struct host_facts *host, unsigned engine_ms, unsigned *ret_count, struct error *err)
{
  struct left_walk walk = { .host = host, .patience_ms = engine_ms };
  cleanup_strlist struct strlist ids = { 0 };
  unsigned count = 0;
  int r = run_dir_list (host->state_dir, &ids, err), first = 0;

  for (size_t i = 0; r == 0 && i < ids.count; i++) {
    bool done = false;
    int one = finish (&walk, ids.items[i], &done, err);

    /* One that cannot be finished must not keep the others. */
    if (one < 0 && first == 0)
      first = one;
    count += done;
  }
  free (walk.hanging);
  run_slot_gc (host->state_dir);
  *ret_count = count;
  return r < 0 ? r : first;
}

/* What no directory speaks for, in the backends that can have such. */
static int sweep (const struct host_facts *host, const char *engine_socket, bool remove,
                  struct run_left *ret_left, struct error *err)
{
  cleanup_run_left struct run_left left = { 0 };
  int r = 0;

  for (size_t i = 0; r == 0 && backends[i] != NULL; i++)
    if (backends[i]->driver->sweep != NULL)
      r = backends[i]->driver->sweep (backends[i], host, engine_socket, remove, &left, err);
  if (r < 0)
    return r;
  *ret_left = left;
  left = (struct run_left){ 0 };
  return 0;
}

int run_gc_engines (const struct host_facts *host, const char *engine_socket, unsigned *ret_count,
                    struct error *err)
{
  cleanup_run_left struct run_left left = { 0 };
  int r = sweep (host, engine_socket, true, &left, err);

  if (r == 0)
    *ret_count = (unsigned) left.runs.count;
  return r;
}

int run_list_engines (const struct host_facts *host, const char *engine_socket, struct run_left *ret_left,
                      struct error *err)
{
  return sweep (host, engine_socket, false, ret_left, err);
}

void run_left_clear (struct run_left *left)
{
  strlist_clear (&left->runs);
  strlist_clear (&left->backends);
}

/* Takes hold of the supervisor, and looks again whether it lives: before that its number may have become
 * another's. */
static int open_supervisor (const struct host_facts *host, const char *id, struct error *err)
{
  cleanup_run_dir struct run_dir dir = { .fd = -1, .lock_fd = -1 }, again = { .fd = -1, .lock_fd = -1 };
  cleanup_run_record struct run_record record = { 0 };
  cleanup_close int pidfd = -1;
  bool live = false;
  int r = run_dir_open (host->state_dir, id, &dir, &live, err);

  if (r == 0 && live)
    r = run_record_read (&dir, &record, err);
  if (r < 0)
    return r;
  if (live)
    pidfd = record.supervisor > 1 ? (int) syscall (SYS_pidfd_open, (pid_t) record.supervisor, 0) : -1;
  if (pidfd >= 0 && run_dir_open (host->state_dir, id, &again, &live, err) < 0)
    return err->code;
  if (!live || pidfd < 0)
    return error_set (err, -ESRCH, "run '%s' has no supervisor any more; 'tyrum-oci gc' finishes it", id);
  return take_fd (&pidfd);
}

int run_kill (const struct host_facts *host, const char *id, int signal_number, struct error *err)
{
  cleanup_close int pidfd = open_supervisor (host, id, err);

  if (pidfd < 0)
    return pidfd;
  if (syscall (SYS_pidfd_send_signal, pidfd, signal_number, NULL, 0) < 0)
    return error_set_errno (err, errno, "signal the supervisor of run '%s'", id);
  /* One that was killed leaves its run to gc, which can only take it when it is gone. */
  if (signal_number == SIGKILL && event_look (pidfd, POLLIN, KILL_MS) == 0)
    return error_set (err, -ETIMEDOUT, "the supervisor of run '%s' does not end", id);
  return 0;
}
