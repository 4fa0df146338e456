/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "supervisor-filter-cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-base64.h"
#include "base-cleanup.h"
#include "base-directory.h"
#include "base-file.h"
#include "base-limits.h"
#include "supervisor-internal.h"

/* Queued signals count for the user who made the run's user namespace as well, on the host: without a bound
 * of its own one run could use all of root's up. Without such a namespace runs share one count. */
#define PENDING_SIGNALS 4096

static void digest (const char *name, const uint8_t *program, size_t size, uint8_t ret_digest[SHA256_BYTES])
{
  struct sha256 hash;

  sha256_init (&hash);
  sha256_update (&hash, name, strlen (name));
  sha256_update (&hash, program, size);
  sha256_final (&hash, ret_digest);
}

/* No other user can have written to it, now or through another name. */
static bool is_ours (int fd)
{
  struct stat st;

  return fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && st.st_uid == geteuid () && (st.st_mode & 077) == 0
         && st.st_nlink == 1 && st.st_size > SHA256_BYTES && st.st_size <= LIMIT_FILTER_BYTES;
}

static int load (int directory, const char *name, uint8_t **ret_program, size_t *ret_size)
{
  cleanup_close int fd = openat (directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  cleanup_free uint8_t *bytes = NULL;
  uint8_t expected[SHA256_BYTES];
  ssize_t size;

  if (fd < 0 || !is_ours (fd))
    return -ENOENT;
  bytes = malloc (LIMIT_FILTER_BYTES);
  if (bytes == NULL)
    return -ENOMEM;
  size = read (fd, bytes, LIMIT_FILTER_BYTES);
  if (size <= SHA256_BYTES)
    return -ENOENT;
  size -= SHA256_BYTES;
  digest (name, bytes + SHA256_BYTES, (size_t) size, expected);
  if (memcmp (expected, bytes, SHA256_BYTES) != 0)
    return -ENOENT;
  memmove (bytes, bytes + SHA256_BYTES, (size_t) size);
  *ret_program = take_ptr (bytes);
  *ret_size = (size_t) size;
  return 0;
}

/* Lists change seldom. When there are too many of them, all go: what is in use is made again. So does what
 * was left half written; who writes at this moment makes it again the next time. */
static void make_room (int directory)
{
  int copy = openat (directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = copy < 0 ? NULL : fdopendir (copy);
  const struct dirent *entry;
  size_t count = 0;

  if (dir == NULL) {
    close_p (&copy);
    return;
  }
  while ((entry = readdir (dir)) != NULL)
    count += strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0;
  rewinddir (dir);
  while (count >= LIMIT_FILTERS_CACHED && (entry = readdir (dir)) != NULL)
    unlinkat (directory, entry->d_name, 0);
  closedir (dir);
}

static void keep (int directory, const char *name, const uint8_t *program, size_t size)
{
  cleanup_free uint8_t *bytes = malloc (SHA256_BYTES + size);
  struct error ignored = { 0 };

  if (bytes == NULL)
    return;
  digest (name, program, size, bytes);
  memcpy (bytes + SHA256_BYTES, program, size);
  make_room (directory);
  if (file_write_passing (directory, name, (const char *) bytes, SHA256_BYTES + size, 0600, &ignored) < 0)
    error_clear (&ignored);
}

int filter_cache_get (const char *storage, const struct filter *filter, enum filter_mode mode,
                      uint8_t **ret_program, size_t *ret_size, struct error *err)
{
  struct error ignored = { 0 };
  cleanup_close int directory = directory_make_own (storage, "filters", "filter cache", &ignored);
  char name[SHA256_HEX];
  int r;

  error_clear (&ignored);
  filter_program_name (filter, mode, name);
  if (directory >= 0 && load (directory, name, ret_program, ret_size) == 0)
    return 0;
  r = filter_compile (filter, mode, ret_program, ret_size, err);
  if (r == 0 && directory >= 0)
    keep (directory, name, *ret_program, *ret_size);
  return r;
}

int filter_cache_text (const char *storage, const struct filter *filter, enum filter_mode mode,
                       char **ret_text, struct error *err)
{
  cleanup_free uint8_t *bytes = NULL;
  size_t size = 0;
  int r = filter_cache_get (storage, filter, mode, &bytes, &size, err);

  if (r < 0)
    return r;
  *ret_text = base64_encode (bytes, size);
  return *ret_text ? 0 : error_oom (err);
}

/* By name, in the kernel's order. */
static int limit_number (const char *name)
{
  static const struct {
    const char *name;
    int number;
  } limits[] = { { "RLIMIT_CORE", RLIMIT_CORE }, { "RLIMIT_NOFILE", RLIMIT_NOFILE } };

  for (size_t i = 0; i < ARRAY_LEN (limits); i++)
    if (strcmp (limits[i].name, name) == 0)
      return limits[i].number;
  return -1;
}

/* An errno that no kernel uses, and that no filter made beforehand can know. */
static int draw_answer (int *ret_errnum, struct error *err)
{
  uint16_t number;

  if (getrandom (&number, sizeof (number), 0) != (ssize_t) sizeof (number))
    return error_set_errno (err, errno, "draw a random number");
  *ret_errnum = SEAL_FIRST + number % SEAL_COUNT;
  return 0;
}

/* What init puts in force itself. */
static int prepare_restriction (struct run *run, struct error *err)
{
  const struct plan *plan = run->options->plan;
  struct restriction *restriction = &run->init->restriction;
  struct handshake_restrict head;
  cleanup_free uint8_t *program = NULL;
  size_t size = 0;
  int r =
      filter_cache_get (run->options->host->storage_dir, plan->filter, FILTER_NOTIFIES, &program, &size, err);

  if (r < 0)
    return r;
  memset (&head, 0xff, sizeof (head));
  for (size_t i = 0; i < plan->rlimit_count; i++) {
    int number = limit_number (plan->rlimits[i].name);

    if (number >= 0)
      head.limits[number] = plan->rlimits[i].hard;
  }
  if (plan->user_namespace)
    head.limits[RLIMIT_SIGPENDING] = PENDING_SIGNALS;
  restriction->bytes = malloc (sizeof (head) + size);
  if (restriction->bytes == NULL)
    return error_oom (err);
  memcpy (restriction->bytes, &head, sizeof (head));
  memcpy (restriction->bytes + sizeof (head), program, size);
  restriction->size = sizeof (head) + size;
  return draw_answer (&restriction->answer, err);
}

/* libcrun gets the filter as a program; other runtimes get the list, and make one of it themselves. */
static int prepare_filter (struct run *run, void *state, struct error *err)
{
  const struct plan *plan = run->options->plan;
  bool listens = run->launch.listens;
  int r = listens ? prepare_restriction (run, err) : 0;

  (void) state;
  if (r < 0 || !run->runtime->ops->takes_compiled_filter || plan->filter == NULL)
    return r;
  return filter_cache_text (run->options->host->storage_dir, plan->filter,
                            listens ? FILTER_DEFERS : FILTER_ERRNO, &run->launch.program, err);
}

static void undo_filter (struct run *run, void *state, struct error *err)
{
  (void) state;
  (void) err;
  free (take_ptr (run->init->restriction.bytes));
}

const struct run_part filter_part = { .name = "filter", .prepare = prepare_filter, .undo = undo_filter };
