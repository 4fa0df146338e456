/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The journal's directory: file names, and the head. */
#include <config.h>

#include "journal-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-json-object.h"
#include "base-number.h"

#define SUFFIX ".jsonl"
#define DIGITS 20 /* of UINT64_MAX, so that names sort as numbers do */

uint64_t journal_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_REALTIME, &now);
  return (uint64_t) now.tv_sec * 1000000 + (uint64_t) now.tv_nsec / 1000;
}

void journal_file_name (uint64_t file, char name[JOURNAL_NAME])
{
  snprintf (name, JOURNAL_NAME, "%0*llu" SUFFIX, DIGITS, (unsigned long long) file);
}

/* The number in NAME; 0 if it is not the name of a journal file. */
static uint64_t file_of_name (const char *name)
{
  char digits[DIGITS + 1];
  uint64_t file;

  if (strlen (name) != DIGITS + strlen (SUFFIX) || strcmp (name + DIGITS, SUFFIX) != 0)
    return 0;
  memcpy (digits, name, DIGITS);
  digits[DIGITS] = '\0';
  return number_parse (digits + strspn (digits, "0"), UINT64_MAX, &file) ? file : 0;
}

static int compare (const void *left, const void *right)
{
  const uint64_t *a = left, *b = right;

  return (*a > *b) - (*a < *b);
}

static int add_file (uint64_t **files, size_t *count, uint64_t file)
{
  uint64_t *grown = realloc (*files, (*count + 1) * sizeof (*grown));

  if (grown == NULL)
    return -ENOMEM;
  grown[(*count)++] = file;
  *files = grown;
  return 0;
}

int journal_list_files (int directory, uint64_t **ret_files, size_t *ret_count, struct error *err)
{
  cleanup_free uint64_t *files = NULL;
  int fd = openat (directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  const struct dirent *entry;
  size_t count = 0;
  int r = 0;

  if (dir == NULL) {
    error_set_errno (err, errno, "list the journal");
    close_p (&fd);
    return err->code;
  }
  while (r == 0 && (entry = readdir (dir)) != NULL)
    if (file_of_name (entry->d_name) > 0)
      r = add_file (&files, &count, file_of_name (entry->d_name));
  closedir (dir);
  if (r < 0)
    return error_oom (err);
  if (count > 0)
    qsort (files, count, sizeof (*files), compare);
  *ret_files = take_ptr (files);
  *ret_count = count;
  return 0;
}

int journal_next_file (int directory, uint64_t after, uint64_t *ret_file, struct error *err)
{
  cleanup_free uint64_t *files = NULL;
  size_t count = 0;
  int r = journal_list_files (directory, &files, &count, err);

  if (r < 0)
    return r;
  for (size_t i = 0; i < count; i++)
    if (files[i] > after) {
      *ret_file = files[i];
      return 0;
    }
  return -ENOENT;
}

/* Padded to a fixed size, so that it always overwrites the old head; smaller than a disk sector. */
#define HEAD_BYTES 256

JSON_READER (journal_into_hash)
{
  if (strlen (node->text) != SHA256_HEX - 1)
    return json_fail (place, node, err, "not a hash");
  memcpy (at, node->text, SHA256_HEX);
  return 0;
}

static const struct json_field rows[] = {
  { "file", JSON_NUMBER, json_into_u64, offsetof (struct journal_head, file) },
  { "size", JSON_NUMBER, json_into_u64, offsetof (struct journal_head, size) },
  { "seq", JSON_NUMBER, json_into_u64, offsetof (struct journal_head, seq) },
  { "hash", JSON_STRING, journal_into_hash, offsetof (struct journal_head, hash) },
};

int journal_head_read (int fd, struct journal_head *ret_head, struct error *err)
{
  static const struct json_limits limits = { HEAD_BYTES, 2, 8, .comments = false };
  static const struct json_place place = { .name = JOURNAL_HEAD };
  cleanup_json struct json_node *tree = NULL;
  struct journal_head head = { 0 };
  char text[HEAD_BYTES];
  ssize_t n = pread (fd, text, sizeof (text), 0);
  int r;

  if (n < 0)
    return error_set_errno (err, errno, "read the head of the journal");
  r = json_read (JOURNAL_HEAD, text, (size_t) n, &limits, &tree, err);
  if (r == 0)
    r = json_read_object (&place, tree, rows, ARRAY_LEN (rows), &head, err);
  if (r == 0 && (tree->count != ARRAY_LEN (rows) || head.file == 0))
    r = error_set (err, -EBADMSG, "the head of the journal is incomplete");
  if (r < 0)
    return r == -ENOMEM ? r : (err->code = -EBADMSG);
  *ret_head = head;
  return 0;
}

int journal_head_write (int fd, const struct journal_head *head, struct error *err)
{
  char text[HEAD_BYTES];
  int len = snprintf (text, sizeof (text), "{\"file\":%llu,\"size\":%llu,\"seq\":%llu,\"hash\":\"%s\"}",
                      (unsigned long long) head->file, (unsigned long long) head->size,
                      (unsigned long long) head->seq, head->hash);

  memset (text + len, ' ', sizeof (text) - (size_t) len - 1);
  text[sizeof (text) - 1] = '\n';
  if (pwrite (fd, text, sizeof (text), 0) != (ssize_t) sizeof (text))
    return error_set_errno (err, errno ? errno : EIO, "write the head of the journal");
  return 0;
}

int journal_head_look (int directory, struct journal_head *ret_head, struct error *err)
{
  cleanup_close int lock = openat (directory, JOURNAL_LOCK, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  cleanup_close int fd = openat (directory, JOURNAL_HEAD, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

  if (fd < 0)
    return error_set_errno (err, errno, "open the head of the journal");
  /* Writers hold the lock for microseconds. A copy of a journal has neither lock nor writers. */
  if (lock >= 0 && flock (lock, LOCK_SH) < 0)
    return error_set_errno (err, errno, "lock the journal");
  return journal_head_read (fd, ret_head, err);
}
