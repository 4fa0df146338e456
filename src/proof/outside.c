/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "proof-outside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "base-number.h"
#include "base-path.h"
#include "cgroup-group.h"
#include "posture-inside.h"
#include "posture-proc.h"

/* Enough for a mount table, or the environment of a process. */
#define PROC_FILE_MAX ((size_t) 4 * 1024 * 1024)

/* Seven namespace numbers, a pid, and newlines. */
#define SPACES_MAX  256
#define SPACES_FILE "lock" /* exists as long as the run's directory */

static char *read_text (int proc, const char *name, size_t *ret_length)
{
  struct error ignored = { 0 };
  char *text = NULL;

  if (file_read (proc, name, PROC_FILE_MAX, &text, ret_length, &ignored) < 0)
    text = NULL;
  error_clear (&ignored);
  return text;
}

/* In a child: as root of PROC's user namespace, copies its file NAME to OUT, and exits. */
static void __attribute__ ((noreturn)) copy_as_root_inside (int proc, const char *name, int out)
{
  int space = openat (proc, "ns/user", O_RDONLY | O_CLOEXEC);
  size_t length = 0;
  const char *text;

  if (space < 0 || setns (space, CLONE_NEWUSER) < 0 || setresgid (0, 0, 0) < 0 || setresuid (0, 0, 0) < 0)
    _exit (1);
  text = read_text (proc, name, &length);
  for (size_t done = 0; text != NULL && done < length;) {
    ssize_t n = write (out, text + done, length - done);

    if (n <= 0)
      _exit (1);
    done += (size_t) n;
  }
  _exit (text ? 0 : 1);
}

/* Init is not dumpable, so its files in /proc belong to the root of its user namespace. A user who is not
 * root owns that namespace, and can enter it to read them. */
static char *read_as_root_inside (int proc, const char *name, size_t *ret_length)
{
  cleanup_close int copy = memfd_create (name, MFD_CLOEXEC);
  cleanup_free char *path = str_format ("/proc/self/fd/%d", copy);
  int status = 0;
  pid_t pid;

  if (copy < 0 || path == NULL)
    return NULL;
  pid = fork ();
  if (pid == 0)
    copy_as_root_inside (proc, name, copy);
  if (pid < 0 || waitpid (pid, &status, 0) != pid || !WIFEXITED (status) || WEXITSTATUS (status) != 0)
    return NULL;
  return read_text (AT_FDCWD, path, ret_length);
}

static uint64_t space_of (int proc, enum space space)
{
  char name[16];
  struct stat st;

  snprintf (name, sizeof (name), "ns/%s", space_names[space]);
  return fstatat (proc, name, &st, 0) == 0 ? st.st_ino : 0;
}

int outside_look_process (pid_t pid, struct outside *outside, struct error *err)
{
  cleanup_free char *path = str_format ("/proc/%d", (int) pid);
  cleanup_close int proc = path ? open (path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

  if (path == NULL)
    return error_oom (err);
  outside->seen = true;
  outside->pid = (uint64_t) pid;
  if (proc < 0)
    return 0;
  outside->status = read_text (proc, "status", NULL);
  outside->uid_map = read_text (proc, "uid_map", NULL);
  outside->gid_map = read_text (proc, "gid_map", NULL);
  outside->mounts = read_text (proc, "mountinfo", NULL);
  outside->cgroup = read_text (proc, "cgroup", NULL);
  outside->label = read_text (proc, "attr/current", NULL);
  outside->limits = read_text (proc, "limits", NULL);
  outside->environment = read_text (proc, "environ", &outside->environment_length);
  if (outside->environment == NULL && geteuid () != 0)
    outside->environment = read_as_root_inside (proc, "environ", &outside->environment_length);
  for (enum space s = 0; s < SPACE_COUNT; s++) {
    outside->spaces[s] = space_of (proc, s);
  }
  return 0;
}

void outside_look_mounts (pid_t pid, struct outside *outside)
{
  cleanup_free char *path = str_format ("/proc/%d/mountinfo", (int) pid);

  free (outside->mounts);
  outside->mounts = path ? read_text (AT_FDCWD, path, NULL) : NULL;
}

void outside_look_status (pid_t pid, struct outside *outside)
{
  cleanup_free char *path = str_format ("/proc/%d/status", (int) pid);

  free (outside->status);
  outside->status = path ? read_text (AT_FDCWD, path, NULL) : NULL;
}

/* Whether PID executes the file INIT. */
static bool is_init (pid_t pid, const char *init)
{
  cleanup_free char *path = str_format ("/proc/%d/exe", (int) pid);
  struct stat running, ours;

  return path != NULL && stat (path, &running) == 0 && stat (init, &ours) == 0
         && running.st_dev == ours.st_dev && running.st_ino == ours.st_ino;
}

static int add_below (struct outside *outside, const struct plan_mount *mount, const struct proc_mount *host)
{
  struct outside_below *grown = realloc (outside->below, (outside->below_count + 1) * sizeof (*grown));
  char *point = str_format ("%s%s", mount->target, host->point + strlen (mount->source));
  char *root = strdup (host->root);

  if (grown != NULL)
    outside->below = grown;
  if (grown == NULL || point == NULL || root == NULL) {
    free (point);
    free (root);
    return -ENOMEM;
  }
  grown[outside->below_count++] = (struct outside_below){ point, host->device, root };
  return 0;
}

/* A recursive bind includes what is mounted below its source on the host. */
static int look_below (const struct promises *promises, const struct proc_mounts *host,
                       struct outside *outside)
{
  for (size_t i = 0; i < promises->mount_count; i++)
    for (size_t k = 0; k < host->count && promises->mounts[i].inode != 0; k++)
      if (strcmp (host->items[k].point, promises->mounts[i].source) != 0
          && path_is_within (host->items[k].point, promises->mounts[i].source)
          && add_below (outside, &promises->mounts[i], &host->items[k]) < 0)
        return -ENOMEM;
  return 0;
}

/* Adds NUMBER to a set. 1: added; 0: it was in the set; -ENOMEM. */
static int add_number (uint64_t **numbers, size_t *count, uint64_t number)
{
  uint64_t *grown;

  for (size_t i = 0; i < *count; i++)
    if ((*numbers)[i] == number)
      return 0;
  grown = realloc (*numbers, (*count + 1) * sizeof (*grown));
  if (grown == NULL)
    return -ENOMEM;
  *numbers = grown;
  grown[(*count)++] = number;
  return 1;
}

static int add_devices (const struct proc_mounts *mounts, struct outside *outside)
{
  for (size_t i = 0; i < mounts->count; i++)
    if (add_number (&outside->host_devices, &outside->host_device_count, mounts->items[i].device) < 0)
      return -ENOMEM;
  return 0;
}

/* The mounts of our own mount namespace. */
static int look_at_host (const struct promises *promises, struct outside *outside)
{
  cleanup_proc_mounts struct proc_mounts host = { 0 };
  cleanup_free char *text = read_text (AT_FDCWD, "/proc/self/mountinfo", NULL);

  if (text == NULL || proc_mounts_read (text, &host) < 0)
    return 0;
  return add_devices (&host, outside) < 0 ? -ENOMEM : look_below (promises, &host, outside);
}

/* Writes the namespaces for runs that start later; look_at_siblings reads those of earlier runs. */
static void write_spaces (const struct run_dir *dir, pid_t pid, const struct outside *outside)
{
  char text[SPACES_MAX];
  int len = 0;

  for (enum space s = 0; s < SPACE_COUNT; s++)
    len += snprintf (text + len, sizeof (text) - (size_t) len, "%" PRIu64 "\n", outside->spaces[s]);
  len += snprintf (text + len, sizeof (text) - (size_t) len, "%d\n", (int) pid);
  /* Without it a sibling cannot compare; outside->siblings counts those that it could. */
  if (pwrite (dir->lock_fd, text, (size_t) len, 0) != len)
    errno = 0;
}

/* Whether the process that wrote TEXT is alive and still in SPACE: the kernel reuses the number of a removed
 * namespace, and a run's directory outlives its namespaces. */
static bool is_still_there (const char *text, enum space space, pid_t ours)
{
  uint64_t numbers[SPACE_COUNT + 1];
  cleanup_free char *path = NULL;
  cleanup_close int proc = -1;

  for (size_t i = 0; i < ARRAY_LEN (numbers); i++, text += *text == '\n')
    if (!proc_number_next (&text, &numbers[i]))
      return false;
  if (numbers[SPACE_COUNT] == (uint64_t) ours)
    return false;
  path = str_format ("/proc/%" PRIu64, numbers[SPACE_COUNT]);
  proc = path ? open (path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  return proc >= 0 && space_of (proc, space) == numbers[space];
}

static bool shares (const char *text, const struct outside *outside, enum space *ret_space)
{
  for (enum space s = 0; s < SPACE_COUNT; s++, text += *text == '\n') {
    uint64_t number;

    if (!proc_number_next (&text, &number))
      return false;
    /* The host's namespaces are shared by all that have no own; judge_space checks for them. */
    if (number != 0 && number == outside->spaces[s] && number != outside->own_spaces[s]) {
      *ret_space = s;
      return true;
    }
  }
  return false;
}

static int look_at_siblings (const struct outside_subject *subject, struct outside *outside)
{
  cleanup_strlist struct strlist ids = { 0 };
  struct error ignored = { 0 };

  if (run_dir_list (subject->state, &ids, &ignored) < 0)
    error_clear (&ignored);
  for (size_t i = 0; i < ids.count; i++) {
    cleanup_free char *path = str_format ("%s/runs/%s/" SPACES_FILE, subject->state, ids.items[i]);
    cleanup_free char *text = NULL;

    if (path == NULL)
      return -ENOMEM;
    if (strcmp (ids.items[i], subject->dir->id) == 0)
      continue;
    text = read_text (AT_FDCWD, path, NULL);
    if (text == NULL)
      continue;
    outside->siblings++;
    if (!shares (text, outside, &outside->sibling_space)
        || !is_still_there (text, outside->sibling_space, subject->pid))
      continue;
    outside->sibling = strdup (ids.items[i]);
    return outside->sibling ? 0 : -ENOMEM;
  }
  return 0;
}

/* Whether process PROC, which is not in the run's mount namespace, shares another namespace with the run. A
 * process without a mount namespace is exiting. All containers of a rootless engine share its user
 * namespace, so that is not checked. */
static bool is_stranger (int proc, const struct outside *outside, enum space *ret_space)
{
  static const enum space shared[] = { SPACE_PID, SPACE_NET, SPACE_IPC, SPACE_UTS, SPACE_CGROUP };
  uint64_t mounts = space_of (proc, SPACE_MOUNT);

  if (mounts == 0 || mounts == outside->spaces[SPACE_MOUNT])
    return false;
  for (size_t i = 0; i < ARRAY_LEN (shared); i++) {
    uint64_t theirs = outside->spaces[shared[i]];

    if (theirs != 0 && theirs != outside->own_spaces[shared[i]] && space_of (proc, shared[i]) == theirs) {
      *ret_space = shared[i];
      return true;
    }
  }
  return false;
}

/* Whether a thread of process PROC shares no namespace with the run. An engine joins a container's network
 * namespace on one of its threads to set it up. If that is the main thread, it may stay there, because Go
 * cannot end the main thread. A container that shares a namespace does so with all its threads. */
static bool has_other_thread (int proc, const struct outside *outside)
{
  int tasks = openat (proc, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = tasks >= 0 ? fdopendir (tasks) : NULL;
  const struct dirent *entry;
  bool other = false;
  enum space space;

  if (dir == NULL) {
    close_p (&tasks);
    return false;
  }
  while (!other && (entry = readdir (dir)) != NULL) {
    cleanup_close int task =
        entry->d_name[0] == '.' ? -1 : openat (dirfd (dir), entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);

    other = task >= 0 && space_of (task, SPACE_MOUNT) != 0 && !is_stranger (task, outside, &space);
  }
  closedir (dir);
  return other;
}

/* Adds the file systems in the mount namespace of PROC, such as an engine or another container: one that is
 * mounted there is not the run's own. SEEN are the namespaces that were read already. */
static int look_at_mounts_of (int proc, struct outside *outside, uint64_t **seen, size_t *seen_count)
{
  uint64_t space = space_of (proc, SPACE_MOUNT);
  cleanup_proc_mounts struct proc_mounts mounts = { 0 };
  cleanup_free char *text = NULL;
  int r;

  if (space == 0 || space == outside->spaces[SPACE_MOUNT] || space == outside->own_spaces[SPACE_MOUNT])
    return 0;
  for (size_t i = 0; i < *seen_count; i++)
    if ((*seen)[i] == space)
      return 0;
  text = read_text (proc, "mountinfo", NULL);
  r = text ? proc_mounts_read (text, &mounts) : -EINVAL;
  /* The process has exited meanwhile; another one in that namespace may still exist. */
  if (r == -EINVAL || mounts.count == 0)
    return 0;
  if (r == 0)
    r = add_devices (&mounts, outside);
  return r < 0 ? r : add_number (seen, seen_count, space);
}

/* In an engine, containers can share namespaces and mounts. */
static int look_at_others (struct outside *outside)
{
  DIR *dir = opendir ("/proc");
  cleanup_free uint64_t *seen = NULL;
  const struct dirent *entry;
  size_t seen_count = 0;
  int r = 0;

  while (dir != NULL && r >= 0 && (entry = readdir (dir)) != NULL) {
    cleanup_close int proc = -1;
    enum space space;
    uint64_t pid;

    if (!number_parse (entry->d_name, INT32_MAX, &pid))
      continue;
    proc = openat (dirfd (dir), entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (proc >= 0 && outside->stranger == 0 && is_stranger (proc, outside, &space)
        && !has_other_thread (proc, outside)) {
      outside->stranger = pid;
      outside->stranger_space = space;
    }
    if (proc >= 0)
      r = look_at_mounts_of (proc, outside, &seen, &seen_count);
  }
  if (dir != NULL)
    closedir (dir);
  return r < 0 ? r : 0;
}

static void look_at_ourselves (struct outside *outside)
{
  cleanup_close int own = open ("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);

  for (enum space s = 0; s < SPACE_COUNT; s++)
    outside->own_spaces[s] = own >= 0 ? space_of (own, s) : 0;
}

int outside_look_around (const struct promises *promises, struct outside *ret_outside, struct error *err)
{
  cleanup_outside struct outside outside = { 0 };
  struct utsname names;

  look_at_ourselves (&outside);
  if (uname (&names) == 0)
    outside.kernel = str_format ("%s %s", names.release, names.version);
  outside.boot_id = read_text (AT_FDCWD, PROBE_BOOT_ID, NULL);
  if (look_at_host (promises, &outside) < 0)
    return error_oom (err);
  *ret_outside = outside;
  outside = (struct outside){ 0 };
  return 0;
}

static void look_at_group (const struct outside_subject *subject, struct outside *outside)
{
  const struct promises *promises = subject->promises;
  cleanup_cgroup struct cgroup group = { 0 };

  if (subject->group == NULL)
    cgroup_open (promises->cgroup, promises->cgroup_path, &group);
  cgroup_look (subject->group ? subject->group : &group, promises->cgroup_path, outside->cgroup,
               &outside->group);
}

int outside_look (const struct outside_subject *subject, struct outside *outside, struct error *err)
{
  const struct promises *promises = subject->promises;
  int r = subject->pid > 0 ? outside_look_process (subject->pid, outside, err) : 0;

  if (r < 0)
    return r;
  if (subject->pid > 0) {
    outside->is_init = is_init (subject->pid, subject->init);
    if (subject->dir != NULL)
      write_spaces (subject->dir, subject->pid, outside);
    if (subject->dir != NULL && look_at_siblings (subject, outside) < 0)
      return error_oom (err);
    if (promises->among_others && look_at_others (outside) < 0)
      return error_oom (err);
  }
  look_at_group (subject, outside);
  if (promises->cgroup_path != NULL && (outside->group_path = strdup (promises->cgroup_path)) == NULL)
    return error_oom (err);
  return 0;
}
