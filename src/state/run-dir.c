/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "state-run-dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-file.h"

#define ID_DIGITS  16
#define REMOVE_MAX 32 /* nested directories; our own have three levels */

bool run_id_is_valid (const char *id)
{
  return strlen (id) == 2 + ID_DIGITS && id[0] == 'r' && id[1] == '-'
         && strspn (id + 2, "0123456789abcdef") == ID_DIGITS;
}

int run_id_make (char ret_id[RUN_ID_SIZE], struct error *err)
{
  uint64_t number;

  if (getrandom (&number, sizeof (number), 0) != (ssize_t) sizeof (number))
    return error_set_errno (err, errno, "make a run id");
  snprintf (ret_id, RUN_ID_SIZE, "r-%016llx", (unsigned long long) number);
  return 0;
}

/* The directory must be ours, and not writable for others, who could otherwise choose what we kill and
 * execute. */
static int check_directory (int fd, const char *name, struct error *err)
{
  struct stat st;

  if (fstat (fd, &st) < 0)
    return error_set_errno (err, errno, "look at the state directory '%s'", name);
  if (st.st_uid != geteuid () || (st.st_mode & 022) != 0)
    return error_set (
        err, -EPERM,
        "state directory '%s' is not ours alone; remove it, or set XDG_RUNTIME_DIR to a directory that is",
        name);
  return 0;
}

static int open_checked (int at, const char *name, struct error *err)
{
  cleanup_close int fd = openat (at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int r;

  if (fd < 0)
    return error_set_errno (err, errno, "open the state directory '%s'", name);
  r = check_directory (fd, name, err);
  return r < 0 ? r : take_fd (&fd);
}

int run_state_open (const char *state, const char *name, struct error *err)
{
  cleanup_close int top = open_checked (AT_FDCWD, state, err);

  return top < 0 ? top : open_checked (top, name, err);
}

/* Makes NAME with MODE, whatever the umask, unless it exists. */
static int make_directory (int at, const char *name, mode_t mode, struct error *err)
{
  if (mkdirat (at, name, mode) == 0)
    return fchmodat (at, name, mode, 0) < 0 ? error_set_errno (err, errno, "set the mode of '%s'", name) : 0;
  return errno == EEXIST ? 0 : error_set_errno (err, errno, "make the state directory '%s'", name);
}

int run_state_make (const char *state, const char *name, mode_t mode, struct error *err)
{
  cleanup_close int top = -1;
  int r = make_directory (AT_FDCWD, state, 0711, err);

  if (r < 0)
    return r;
  top = open_checked (AT_FDCWD, state, err);
  r = top < 0 ? top : make_directory (top, name, mode, err);
  return r < 0 ? r : open_checked (top, name, err);
}

/* CREATE is O_CREAT for the process that makes the directory, and 0 for others: a lock file made by them
 * would keep the directory from being removed. */
static int take_lock (struct run_dir *dir, int create, bool *ret_taken, struct error *err)
{
  dir->lock_fd = openat (dir->fd, "lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW | create, 0600);
  if (dir->lock_fd < 0)
    return error_set_errno (err, errno, "open the lock of run '%s'", dir->id);
  *ret_taken = flock (dir->lock_fd, LOCK_EX | LOCK_NB) == 0;
  if (!*ret_taken && errno != EWOULDBLOCK)
    return error_set_errno (err, errno, "lock run '%s'", dir->id);
  return 0;
}

static int name_dir (const char *state, const char *id, struct run_dir *dir, struct error *err)
{
  dir->id = strdup (id);
  dir->path = str_format ("%s/runs/%s", state, id);
  return dir->id && dir->path ? 0 : error_oom (err);
}

/* A directory that is being made has no lock yet, and looks like one that a crash left. So a process that
 * makes one holds a shared lock on the directory of all runs, and a process that examines one an exclusive
 * lock, for as long as that takes. The kernel releases both with their process. */
static int hold_runs (int runs, int how, struct error *err)
{
  int r;

  do
    r = flock (runs, how);
  while (r < 0 && errno == EINTR);
  return r < 0 ? error_set_errno (err, errno, "lock the directory of all runs") : 0;
}

static int make_locked (int runs, struct run_dir *dir, struct error *err)
{
  bool taken = false;
  int r;

  if (mkdirat (runs, dir->id, 0711) < 0 || fchmodat (runs, dir->id, 0711, 0) < 0)
    return error_set_errno (err, errno, "make the directory of run '%s'", dir->id);
  dir->fd = open_checked (runs, dir->id, err);
  r = dir->fd < 0 ? dir->fd : take_lock (dir, O_CREAT, &taken, err);
  if (r == 0 && !taken)
    r = error_set (err, -EBUSY, "run '%s' is locked by another process", dir->id);
  if (r < 0)
    unlinkat (runs, dir->id, AT_REMOVEDIR);
  return r;
}

int run_dir_create (const char *state, const char *id, struct run_dir *ret_dir, struct error *err)
{
  cleanup_run_dir struct run_dir dir = { .fd = -1, .lock_fd = -1 };
  cleanup_close int runs = run_state_make (state, "runs", 0711, err);
  int r = runs < 0 ? runs : name_dir (state, id, &dir, err);

  if (r == 0)
    r = hold_runs (runs, LOCK_SH, err);
  if (r == 0)
    r = make_locked (runs, &dir, err);
  if (r < 0) {
    error_prefix (err, "state in '%s'", state);
    return r;
  }
  *ret_dir = dir;
  dir = (struct run_dir){ .fd = -1, .lock_fd = -1 };
  return 0;
}

int run_dir_open (const char *state, const char *id, struct run_dir *ret_dir, bool *ret_live,
                  struct error *err)
{
  cleanup_run_dir struct run_dir dir = { .fd = -1, .lock_fd = -1 };
  cleanup_close int runs = -1;
  bool taken = false;
  int r;

  if (!run_id_is_valid (id))
    return error_set (err, -EINVAL, "'%s' is not the id of a run", id);
  r = name_dir (state, id, &dir, err);
  if (r < 0)
    return r;
  runs = run_state_open (state, "runs", err);
  r = runs < 0 ? runs : hold_runs (runs, LOCK_EX, err);
  if (r < 0)
    return r;
  dir.fd = open_checked (runs, id, err);
  r = dir.fd < 0 ? dir.fd : take_lock (&dir, 0, &taken, err);
  /* With the exclusive lock held, no process is making it: a directory without a lock file was left by a
   * crash, and is empty. */
  if (r == -ENOENT && runs >= 0)
    unlinkat (runs, id, AT_REMOVEDIR);
  if (r < 0)
    return r;
  *ret_live = !taken;
  *ret_dir = dir;
  dir = (struct run_dir){ .fd = -1, .lock_fd = -1 };
  return 0;
}

int run_dir_list (const char *state, struct strlist *ret_ids, struct error *err)
{
  cleanup_strlist struct strlist ids = { 0 };
  int fd = run_state_open (state, "runs", err);
  const struct dirent *entry;
  int r = 0;
  DIR *dir;

  if (fd == -ENOENT) {
    error_clear (err);
    *ret_ids = ids;
    return 0;
  }
  if (fd < 0)
    return fd;
  dir = fdopendir (fd);
  if (dir == NULL) {
    close (fd);
    return error_oom (err);
  }
  while (r == 0 && (entry = readdir (dir)) != NULL)
    if (run_id_is_valid (entry->d_name) && strset_add (&ids, entry->d_name) < 0)
      r = error_oom (err);
  closedir (dir);
  if (r < 0)
    return r;
  *ret_ids = ids;
  ids = (struct strlist){ 0 };
  return 0;
}

/* Empties the directory FD, and closes it. Entries that vanish meanwhile are no error. A mount below is left
 * alone, and with it the directory: it may be the host's. */
static int empty_directory (int fd, unsigned depth)
{
  DIR *dir = fdopendir (fd);
  const struct dirent *entry;
  int r = 0;

  if (dir == NULL) {
    r = -errno;
    close (fd);
    return r;
  }
  for (errno = 0; (entry = readdir (dir)) != NULL; errno = 0) {
    int inner;

    if (strcmp (entry->d_name, ".") == 0 || strcmp (entry->d_name, "..") == 0)
      continue;
    /* The run's own lock goes last: an empty directory looks like one that is being made. */
    if (depth == REMOVE_MAX && strcmp (entry->d_name, "lock") == 0)
      continue;
    if (unlinkat (dirfd (dir), entry->d_name, 0) == 0 || errno == ENOENT)
      continue;
    if ((errno != EISDIR && errno != EPERM) || depth == 0) {
      r = -errno;
      continue;
    }
    inner = file_open_unmounted (dirfd (dir), entry->d_name);
    if (inner < 0 || empty_directory (inner, depth - 1) < 0
        || (unlinkat (dirfd (dir), entry->d_name, AT_REMOVEDIR) < 0 && errno != ENOENT))
      r = -ENOTEMPTY;
  }
  /* After an incomplete listing the directory may not be empty, and must keep its lock file, by which gc
   * finds it. */
  if (errno != 0 && r == 0)
    r = -errno;
  closedir (dir);
  return r;
}

int run_dir_remove (struct run_dir *dir, struct error *err)
{
  int copy = fcntl (dir->fd, F_DUPFD_CLOEXEC, 0);
  int r = copy < 0 ? -errno : empty_directory (copy, REMOVE_MAX);

  /* The lock file is removed before the lock is released, so no process can lock it in between. */
  if (r == 0 && unlinkat (dir->fd, "lock", 0) < 0 && errno != ENOENT)
    r = -errno;
  if (r == 0 && rmdir (dir->path) < 0 && errno != ENOENT)
    r = -errno;
  if (r < 0)
    error_set_errno (err, -r, "remove the directory of run '%s'", dir->id);
  run_dir_clear (dir);
  return r;
}

void run_dir_clear (struct run_dir *dir)
{
  free (dir->id);
  free (dir->path);
  close_p (&dir->fd);
  close_p (&dir->lock_fd);
  *dir = (struct run_dir){ .fd = -1, .lock_fd = -1 };
}
