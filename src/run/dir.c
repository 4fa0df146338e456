#include <config.h>

#include "run-dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID_DIGITS    16
#define CREATE_TRIES 10
#define REMOVE_MAX   32 /* folders within folders; our own have three */

bool run_id_is_valid (const char *id)
{
  return strlen (id) == 2 + ID_DIGITS && id[0] == 'r' && id[1] == '-'
         && strspn (id + 2, "0123456789abcdef") == ID_DIGITS;
}

static int make_id (char **ret_id, struct error *err)
{
  uint64_t number;

  if (getrandom (&number, sizeof (number), 0) != (ssize_t) sizeof (number))
    return error_set_errno (err, errno, "make a run id");
  *ret_id = str_format ("r-%016llx", (unsigned long long) number);
  return *ret_id ? 0 : error_oom (err);
}

/* Makes PATH with MODE whatever the umask; one that is there must be ours and closed to other writers. */
static int make_folder (const char *path, mode_t mode, struct error *err)
{
  struct stat st;

  if (mkdir (path, mode) < 0 && errno != EEXIST)
    return error_set_errno (err, errno, "make the state folder '%s'", path);
  if (lstat (path, &st) < 0)
    return error_set_errno (err, errno, "look at the state folder '%s'", path);
  if (!S_ISDIR (st.st_mode) || st.st_uid != geteuid () || (st.st_mode & 022) != 0)
    return error_set (err, -EPERM, "state folder '%s' is not a folder that only we can write", path);
  if ((st.st_mode & 0777) != mode && chmod (path, mode) < 0)
    return error_set_errno (err, errno, "open up the state folder '%s'", path);
  return 0;
}

/* A crash between making the folder and its lock leaves one without; it gets one. */
static int take_lock (struct run_dir *dir, bool *ret_taken, struct error *err)
{
  dir->lock_fd = openat (dir->fd, "lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT, 0600);
  if (dir->lock_fd < 0)
    return error_set_errno (err, errno, "open the lock of run '%s'", dir->id);
  *ret_taken = flock (dir->lock_fd, LOCK_EX | LOCK_NB) == 0;
  if (!*ret_taken && errno != EWOULDBLOCK)
    return error_set_errno (err, errno, "lock run '%s'", dir->id);
  return 0;
}

static int open_folder (struct run_dir *dir, struct error *err)
{
  dir->fd = open (dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  return dir->fd < 0 ? error_set_errno (err, errno, "open run '%s'", dir->id) : 0;
}

/* One try. -EAGAIN: a gc took the new folder for a left one, between its making and its lock. */
static int try_create (const char *state, struct run_dir *dir, struct error *err)
{
  struct stat st;
  bool taken = false;
  int r = make_id (&dir->id, err);

  if (r < 0)
    return r;
  dir->path = str_format ("%s/runs/%s", state, dir->id);
  if (dir->path == NULL)
    return error_oom (err);
  r = make_folder (dir->path, 0711, err);
  if (r < 0)
    return r;
  r = open_folder (dir, err);
  if (r == 0)
    r = take_lock (dir, &taken, err);
  /* A lock whose file is gone protects nothing. */
  if (r == 0 && (!taken || fstat (dir->lock_fd, &st) < 0 || st.st_nlink == 0))
    r = -ENOENT;
  if (r == -ENOENT) {
    error_clear (err);
    return -EAGAIN;
  }
  if (r < 0)
    rmdir (dir->path);
  return r;
}

int run_dir_create (const char *state, struct run_dir *ret_dir, struct error *err)
{
  cleanup_free char *runs = str_format ("%s/runs", state);
  int r;

  if (runs == NULL)
    return error_oom (err);
  r = make_folder (state, 0711, err);
  if (r == 0)
    r = make_folder (runs, 0711, err);
  for (unsigned tries = 0; r == 0 && tries < CREATE_TRIES; tries++) {
    cleanup_run_dir struct run_dir dir = { .fd = -1, .lock_fd = -1 };

    r = try_create (state, &dir, err);
    if (r == 0) {
      *ret_dir = dir;
      dir = (struct run_dir){ .fd = -1, .lock_fd = -1 };
      return 0;
    }
    if (r == -EAGAIN)
      r = 0;
  }
  return r < 0 ? r
               : error_set (err, -EBUSY, "make a folder for the run in '%s': others keep removing it", runs);
}

int run_dir_open (const char *state, const char *id, struct run_dir *ret_dir, bool *ret_live,
                  struct error *err)
{
  cleanup_run_dir struct run_dir dir = { .fd = -1, .lock_fd = -1 };
  bool taken = false;
  int r;

  if (!run_id_is_valid (id))
    return error_set (err, -EINVAL, "'%s' is not the id of a run", id);
  dir.id = strdup (id);
  dir.path = str_format ("%s/runs/%s", state, id);
  if (dir.id == NULL || dir.path == NULL)
    return error_oom (err);
  r = open_folder (&dir, err);
  if (r == 0)
    r = take_lock (&dir, &taken, err);
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
  cleanup_free char *runs = str_format ("%s/runs", state);
  const struct dirent *entry;
  int r = 0;
  DIR *dir;

  if (runs == NULL)
    return error_oom (err);
  dir = opendir (runs);
  if (dir == NULL && errno != ENOENT)
    return error_set_errno (err, errno, "open folder '%s'", runs);
  while (dir != NULL && r == 0 && (entry = readdir (dir)) != NULL)
    if (run_id_is_valid (entry->d_name) && strset_add (&ids, entry->d_name) < 0)
      r = error_oom (err);
  if (dir != NULL)
    closedir (dir);
  if (r < 0)
    return r;
  *ret_ids = ids;
  ids = (struct strlist){ 0 };
  return 0;
}

/* Empties the folder that FD is, which is closed. What goes away by itself meanwhile is no error. */
static int empty_folder (int fd, unsigned depth)
{
  DIR *dir = fdopendir (fd);
  const struct dirent *entry;
  int r = 0;

  if (dir == NULL) {
    r = -errno;
    close (fd);
    return r;
  }
  while ((entry = readdir (dir)) != NULL) {
    int inner;

    if (strcmp (entry->d_name, ".") == 0 || strcmp (entry->d_name, "..") == 0)
      continue;
    if (unlinkat (dirfd (dir), entry->d_name, 0) == 0 || errno == ENOENT)
      continue;
    if ((errno != EISDIR && errno != EPERM) || depth == 0) {
      r = -errno;
      continue;
    }
    inner = openat (dirfd (dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (inner < 0 || empty_folder (inner, depth - 1) < 0
        || (unlinkat (dirfd (dir), entry->d_name, AT_REMOVEDIR) < 0 && errno != ENOENT))
      r = -ENOTEMPTY;
  }
  closedir (dir);
  return r;
}

int run_dir_remove (struct run_dir *dir, struct error *err)
{
  int copy = fcntl (dir->fd, F_DUPFD_CLOEXEC, 0);
  int r = copy < 0 ? -errno : empty_folder (copy, REMOVE_MAX);

  /* The lock goes with the folder: nobody can open the name any more when it is let go. */
  if (r == 0 && rmdir (dir->path) < 0 && errno != ENOENT)
    r = -errno;
  if (r < 0)
    error_set_errno (err, -r, "remove the folder of run '%s'", dir->id);
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
