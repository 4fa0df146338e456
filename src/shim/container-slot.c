/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ranges of ids that containers have. The file of one that is taken holds the container's key. */
#include <config.h>

#include "shim-container-record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "base-str.h"
#include "state-run-dir.h"

int record_take_slot (const char *state, const struct command *command, unsigned slots, uint32_t *ret_slot,
                      struct error *err)
{
  cleanup_free char *key = record_key (command);
  cleanup_close int fd = -1;
  unsigned slot = 0;
  int r;

  if (key == NULL)
    return error_oom (err);
  r = run_slot_take (state, slots, &slot, &fd, err);
  if (r < 0)
    return r;
  if (write (fd, key, strlen (key)) != (ssize_t) strlen (key))
    return error_set_errno (err, errno, "write down who has a range of ids");
  *ret_slot = slot + 1;
  return 0;
}

/* A file is removed only under its lock, so the name stays that of the locked file. */
static bool is_slot_of (int fd, const char *key)
{
  char owner[LIMIT_CONTAINER_ID_BYTES + 32];
  ssize_t n = pread (fd, owner, sizeof (owner), 0);

  return n == (ssize_t) strlen (key) && memcmp (owner, key, (size_t) n) == 0;
}

void record_give_slot (const char *state, const char *key, uint32_t slot)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_close int directory = slot > 0 && key ? run_state_open (state, "ids", &ignored) : -1, fd = -1;
  cleanup_free char *name = str_format ("%u", slot - 1);
  struct stat st;

  if (directory >= 0 && name != NULL)
    fd = openat (directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  /* Looked at first: who holds another's may hold it for long. */
  if (fd >= 0 && is_slot_of (fd, key) && flock (fd, LOCK_EX) == 0 && fstat (fd, &st) == 0 && st.st_nlink > 0)
    unlinkat (directory, name, 0);
}
