/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "init-answer.h"
#include "init-fds.h"
#include "init-listing.h"
#include "init-memory.h"
#include "init-path.h"

#define DIRECTORY    "/proc/self/fd"
#define RECORDED_MAX 64
#define NUMBER_MAX   10
#define TARGET_MAX   256
#define CUT          "..."
#define MORE         "more"

/* For each descriptor: NUMBER, a space, TARGET, a NUL. */
static char recorded[RECORDED_MAX * (NUMBER_MAX + 1 + TARGET_MAX + 1) + sizeof MORE];
static size_t recorded_len;
static int recorded_r;

static void record (const char *text, size_t len)
{
  memcpy (recorded + recorded_len, text, len);
  recorded_len += len;
}

/* A target that is too long ends in "...". */
static void record_one (int directory, const char *name)
{
  char target[TARGET_MAX + 1];
  ssize_t len = readlinkat (directory, name, target, sizeof target);

  if (len < 0)
    len = 0;
  if (len > TARGET_MAX) {
    len = TARGET_MAX;
    memcpy (target + len - (sizeof CUT - 1), CUT, sizeof CUT - 1);
  }
  record (name, strlen (name));
  record (" ", 1);
  record (target, (size_t) len);
  record ("", 1);
}

static int record_all (int directory)
{
  struct listing listing;
  struct stat status;
  const char *name;
  int r = fstat (directory, &status) < 0 ? -errno : path_check_proc (DIRECTORY, &status);

  if (r < 0)
    return r;
  listing_start (&listing, directory);
  for (int count = 0; (r = listing_next (&listing, &name)) > 0;) {
    int fd = fds_from_name (name);
    if (fd < 0 || fd == directory)
      continue;
    if (count++ == RECORDED_MAX) {
      record (MORE, sizeof MORE);
      return 0;
    }
    record_one (directory, name);
  }
  return r;
}

void descriptors_record (void)
{
  int directory = path_open (DIRECTORY, O_RDONLY | O_DIRECTORY);

  recorded_r = directory;
  if (directory < 0)
    return;
  recorded_r = record_all (directory);
  close (directory);
}

void descriptors_forget (void)
{
  memory_forget (recorded, sizeof recorded);
}

int answer_descriptors (const struct asked *asked, struct answers *answers)
{
  if (asked->length > 0)
    return -EINVAL;
  return recorded_r < 0 ? recorded_r : answers_add (answers, recorded, recorded_len);
}
