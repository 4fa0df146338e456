/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "base-number.h"
#include "shim-handover.h"
#include "state-run-dir.h"

#define IDS_DIRECTORY "ids"

#define REFUSED_SECONDS 10

/* The words that ask the low-level runtime to do VERB with the container. */
struct argv {
  char *list[5];
};

static char *const *argv_of (const struct record *record, const char *verb, struct argv *argv)
{
  const char *const list[] = { "--root", record->root, verb, record->id, NULL };

  memcpy (argv->list, list, sizeof (list));
  return record->root ? argv->list : argv->list + 2;
}

/* Whether the low-level runtime has a process for it, or may have; *RET_STOPPED: it has the rest of one. */
static bool may_live (const struct record *record, bool *ret_stopped)
{
  struct low_level_state state;
  struct argv argv;

  *ret_stopped = false;
  switch (handover_state (record->runtime, argv_of (record, "state", &argv), record->runtime_dir, &state)) {
  case LOW_LEVEL_GONE: return record_is_being_made (record);
  case LOW_LEVEL_UNSURE: return true;
  case LOW_LEVEL_KNOWN: break;
  }
  *ret_stopped = strcmp (state.status, "stopped") == 0;
  return !*ret_stopped;
}

static bool delete_there (const struct record *record)
{
  cleanup_error struct error ignored = { 0 };
  struct argv argv;
  int code = 0;

  return handover_ask (record->runtime, argv_of (record, "delete", &argv), record->runtime_dir, -1, &code,
                       &ignored)
             == 0
         && code == 0;
}

/* The bundle may be out of reach for another reason than that it is gone. */
static bool bundle_is_gone (const struct record *record)
{
  return access (record->bundle, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* Docker does not always delete a container that died while it started, and then keeps the bundle. An engine
 * that does has done so by then. */
static bool is_left (const struct record *record, int directory)
{
  return record->refused && record_time (directory) + REFUSED_SECONDS < time (NULL);
}

static bool is_lost (const struct record *record, int directory)
{
  bool stopped;

  if (record->id == NULL || (!bundle_is_gone (record) && !is_left (record, directory))
      || may_live (record, &stopped))
    return false;
  return !stopped || delete_there (record);
}

static bool sweep_one (const char *state, int parent, const char *key, sweep_told *told, void *data)
{
  cleanup_record struct record record = { 0 };
  cleanup_error struct error ignored = { 0 };
  cleanup_close int directory = record_lock (parent, key, &ignored);
  int r;

  if (directory < 0)
    return false;
  r = record_read_at (directory, &record, &ignored);
  /* A record that cannot be read is kept for the operator. */
  if (r < 0 && r != -ENOENT)
    return false;
  if (r == 0) {
    if (!is_lost (&record, directory))
      return false;
    if (told != NULL)
      told (&record, data);
    record_give_slot (state, key, record.slot);
  }
  record_remove_at (parent, key, directory);
  return true;
}

static bool directory_is_there (int containers, const char *key)
{
  return strchr (key, '/') == NULL && faccessat (containers, key, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Its file names the directory that it was taken for, which is made before and removed after. */
static void sweep_slot (int ids, int containers, const char *name)
{
  cleanup_close int fd = openat (ids, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  char key[LIMIT_CONTAINER_ID_BYTES + 32];
  struct stat st;
  ssize_t n;

  if (fd < 0 || flock (fd, LOCK_EX | LOCK_NB) < 0 || fstat (fd, &st) < 0 || st.st_nlink == 0)
    return;
  n = read (fd, key, sizeof (key) - 1);
  if (n <= 0)
    return; /* a run's own */
  key[n] = '\0';
  if (!directory_is_there (containers, key))
    unlinkat (ids, name, 0);
}

static void sweep_slots (const char *state, int containers)
{
  cleanup_error struct error ignored = { 0 };
  int ids = run_state_open (state, IDS_DIRECTORY, &ignored);
  DIR *dir = ids >= 0 ? fdopendir (ids) : NULL;
  const struct dirent *entry;
  uint64_t number;

  while (dir != NULL && (entry = readdir (dir)) != NULL)
    if (number_parse (entry->d_name, UINT32_MAX, &number))
      sweep_slot (dirfd (dir), containers, entry->d_name);
  if (dir != NULL)
    closedir (dir);
}

unsigned sweep_containers (const char *state, unsigned most, sweep_told *told, void *data)
{
  cleanup_error struct error ignored = { 0 };
  int parent = run_state_open (state, RECORD_DIRECTORY, &ignored);
  DIR *dir = parent >= 0 ? fdopendir (parent) : NULL;
  const struct dirent *entry;
  unsigned looked = 0, gone = 0;

  while (dir != NULL && looked < most && (entry = readdir (dir)) != NULL) {
    if (entry->d_name[0] == '.')
      continue;
    looked++;
    gone += sweep_one (state, dirfd (dir), entry->d_name, told, data);
  }
  if (dir == NULL)
    return 0;
  sweep_slots (state, dirfd (dir));
  closedir (dir);
  return gone;
}
