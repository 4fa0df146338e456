/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Slots of private id ranges, one for each concurrent run. */
#include <config.h>

#include "state-run-dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-number.h"

/* Locks file NAME; -EBUSY if it is locked by another run. An unlinked file protects nothing. One with
 * contents is kept for a run that is not finished, though no process holds the lock. */
static int lock_file (int directory, const char *name, int flags)
{
  cleanup_close int fd = openat (directory, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
  struct stat st;

  if (fd < 0 || flock (fd, LOCK_EX | LOCK_NB) < 0 || fstat (fd, &st) < 0)
    return errno == EWOULDBLOCK ? -EBUSY : -errno;
  if (st.st_nlink == 0 || st.st_size > 0)
    return -EBUSY;
  return take_fd (&fd);
}

int run_slot_take (const char *state, unsigned slots, unsigned *ret_slot, int *ret_fd, struct error *err)
{
  cleanup_close int directory = run_state_make (state, "ids", 0700, err);
  unsigned first = 0;

  if (directory < 0)
    return directory;
  if (getrandom (&first, sizeof (first), 0) != (ssize_t) sizeof (first))
    return error_set_errno (err, errno, "choose a random range of ids");
  for (unsigned i = 0; i < slots; i++) {
    unsigned slot = (first % slots + i) % slots;
    char name[16];
    int fd;

    snprintf (name, sizeof (name), "%u", slot);
    fd = lock_file (directory, name, O_CREAT);
    if (fd >= 0) {
      *ret_slot = slot;
      *ret_fd = fd;
      return 0;
    }
    if (fd != -EBUSY)
      return error_set_errno (err, -fd, "take a private range of ids in '%s/ids'", state);
  }
  return error_set (
      err, -EBUSY,
      "user.namespace: all %u private ranges of ids are taken; widen 'ids' in the ceiling, or run fewer "
      "at once",
      slots);
}

static void remove_locked (int directory, const char *name, int *fd)
{
  unlinkat (directory, name, 0);
  close_p (fd);
  *fd = -1;
}

void run_slot_keep (const char *id, int *fd)
{
  /* If this fails, the next run may take the range; that matters only if processes of this run are still
   * alive. */
  if (write (*fd, id, strlen (id)) < 0)
    errno = 0;
  close_p (fd);
  *fd = -1;
}

/* Whether the file keeps its range for the run ID. */
static bool is_kept_for (int directory, const char *name, const char *id)
{
  cleanup_close int fd = openat (directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  char text[RUN_ID_SIZE + 1] = "";

  return fd >= 0 && read (fd, text, sizeof (text) - 1) == (ssize_t) strlen (id) && strcmp (text, id) == 0;
}

void run_slot_give_back (const char *state, const char *id)
{
  struct error ignored = { 0 };
  int directory = run_state_open (state, "ids", &ignored);
  DIR *dir = directory >= 0 ? fdopendir (directory) : NULL;
  const struct dirent *entry;

  error_clear (&ignored);
  while (dir != NULL && (entry = readdir (dir)) != NULL)
    if (entry->d_name[0] != '.' && is_kept_for (dirfd (dir), entry->d_name, id))
      unlinkat (dirfd (dir), entry->d_name, 0);
  if (dir != NULL)
    closedir (dir);
}

void run_slot_release (const char *state, unsigned slot, int *fd)
{
  struct error ignored = { 0 };
  cleanup_close int directory = run_state_open (state, "ids", &ignored);
  char name[16];

  error_clear (&ignored);
  snprintf (name, sizeof (name), "%u", slot);
  remove_locked (directory, name, fd);
}

void run_slot_gc (const char *state)
{
  struct error ignored = { 0 };
  int directory = run_state_open (state, "ids", &ignored);
  DIR *dir = directory >= 0 ? fdopendir (directory) : NULL;
  const struct dirent *entry;

  error_clear (&ignored);
  while (dir != NULL && (entry = readdir (dir)) != NULL) {
    uint64_t slot;
    int fd;

    if (!number_parse (entry->d_name, UINT32_MAX, &slot))
      continue;
    fd = lock_file (dirfd (dir), entry->d_name, 0);
    if (fd >= 0)
      remove_locked (dirfd (dir), entry->d_name, &fd);
  }
  if (dir != NULL)
    closedir (dir);
}
