/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the journal piece by piece, from file to file. */
#include <config.h>

#include "journal-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-directory.h"
#include "base-limits.h"

struct journal_reader {
  int owned_directory; /* closed with the reader; -1: DIRECTORY belongs to the caller */
  int directory;       /* -1: there is no journal */
  int fd;              /* -1: no file yet */
  int watch;           /* inotify, or -1 */
  uint64_t file, line, offset;
  size_t start, len; /* of the unread part of the buffer; OFFSET is the file offset of START */
  char buffer[LIMIT_JOURNAL_LINE_BYTES + 1];
};

int journal_reader_at (int directory, uint64_t file, uint64_t offset, struct journal_reader **ret_reader,
                       struct error *err)
{
  cleanup_journal_reader struct journal_reader *reader = calloc (1, sizeof (*reader));
  char name[JOURNAL_NAME];

  if (reader == NULL)
    return error_oom (err);
  reader->owned_directory = reader->fd = reader->watch = -1;
  reader->directory = directory;
  reader->file = file;
  reader->offset = offset;
  if (file > 0) {
    journal_file_name (file, name);
    reader->fd = openat (directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (reader->fd < 0 && errno != ENOENT)
      return error_set_errno (err, errno, "open '%s' of the journal", name);
  }
  *ret_reader = take_ptr (reader);
  return 0;
}

int journal_reader_open (const char *state, struct journal_reader **ret_reader, struct error *err)
{
  cleanup_close int directory = directory_open_own (state, "journal", "audit journal", err);
  int r;

  if (directory == -ENOENT)
    error_clear (err);
  else if (directory < 0)
    return directory;
  r = journal_reader_at (directory < 0 ? -1 : directory, 0, 0, ret_reader, err);
  if (r == 0 && directory >= 0)
    (*ret_reader)->owned_directory = take_fd (&directory);
  return r;
}

/* Opens the file after the current one. 1: it is open; 0: there is none. */
static int next_file (struct journal_reader *reader, struct error *err)
{
  char name[JOURNAL_NAME];
  uint64_t file = 0;
  int r = reader->directory < 0 ? -ENOENT : journal_next_file (reader->directory, reader->file, &file, err);

  if (r == -ENOENT)
    return 0;
  if (r < 0)
    return r;
  journal_file_name (file, name);
  close_p (&reader->fd);
  reader->fd = openat (reader->directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  /* ENOENT: it was pruned since it was listed, and the caller tries the next one. */
  if (reader->fd < 0 && errno != ENOENT)
    return error_set_errno (err, errno, "open '%s' of the journal", name);
  reader->file = file;
  reader->line = reader->offset = 0;
  reader->start = reader->len = 0;
  return 1;
}

/* Reads more of the current file. Returns the number of bytes read. */
static ssize_t fill (struct journal_reader *reader, struct error *err)
{
  ssize_t n;

  if (reader->fd < 0 || reader->len == LIMIT_JOURNAL_LINE_BYTES)
    return 0;
  memmove (reader->buffer, reader->buffer + reader->start, reader->len);
  reader->start = 0;
  do
    n = pread (reader->fd, reader->buffer + reader->len, LIMIT_JOURNAL_LINE_BYTES - reader->len,
               (off_t) (reader->offset + reader->len));
  while (n < 0 && errno == EINTR);
  if (n < 0)
    return error_set_errno (err, errno, "read the journal");
  reader->len += (size_t) n;
  return n;
}

static void take_piece (struct journal_reader *reader, size_t len, bool ended,
                        struct journal_piece *ret_piece)
{
  *ret_piece = (struct journal_piece){ .text = reader->buffer + reader->start,
                                       .len = len,
                                       .ended = ended,
                                       .file = reader->file,
                                       .line = reader->line + 1,
                                       .offset = reader->offset };
  reader->line += ended;
  reader->offset += len + ended;
  reader->start += len + ended;
  reader->len -= len + ended;
}

/* 1: *RET_PIECE is a piece of the current file. */
static int next_piece (struct journal_reader *reader, struct journal_piece *ret_piece, struct error *err)
{
  for (;;) {
    const char *start = reader->buffer + reader->start;
    const char *end = memchr (start, '\n', reader->len);
    ssize_t n;

    if (end != NULL) {
      take_piece (reader, (size_t) (end - start), true, ret_piece);
      return 1;
    }
    if (reader->len == LIMIT_JOURNAL_LINE_BYTES) {
      take_piece (reader, reader->len, false, ret_piece);
      return 1;
    }
    n = fill (reader, err);
    if (n <= 0)
      return (int) n;
  }
}

int journal_reader_next (struct journal_reader *reader, struct journal_piece *ret_piece, struct error *err)
{
  int r = next_piece (reader, ret_piece, err);
  bool more = true;

  while (r == 0 && more) {
    uint64_t file;

    r = reader->directory < 0 ? -ENOENT : journal_next_file (reader->directory, reader->file, &file, err);
    if (r == -ENOENT)
      return 0;
    /* There is a later file, so this one is complete; but lines may have been added before the later one was
     * found. */
    if (r == 0)
      r = next_piece (reader, ret_piece, err);
    if (r != 0)
      break;
    if (reader->len > 0) {
      take_piece (reader, reader->len, false, ret_piece);
      return 1;
    }
    r = next_file (reader, err);
    more = r == 1;
    if (r == 1)
      r = next_piece (reader, ret_piece, err);
  }
  return r;
}

void journal_reader_rest (const struct journal_reader *reader, struct journal_piece *ret_piece)
{
  *ret_piece = (struct journal_piece){ .text = reader->buffer + reader->start,
                                       .len = reader->len,
                                       .file = reader->file,
                                       .line = reader->line + 1,
                                       .offset = reader->offset };
}

int journal_reader_skip (struct journal_reader *reader, struct error *err)
{
  struct journal_piece piece;
  int r;

  while ((r = next_file (reader, err)) == 1)
    continue;
  while (r == 0 && (r = journal_reader_next (reader, &piece, err)) == 1)
    r = 0;
  return r;
}

int journal_reader_watch (struct journal_reader *reader, int *ret_fd, struct error *err)
{
  char directory[64];

  if (reader->directory < 0)
    return error_set (err, -ENOENT, "there is no journal to follow yet");
  snprintf (directory, sizeof (directory), "/proc/self/fd/%d", reader->directory);
  reader->watch = inotify_init1 (IN_CLOEXEC | IN_NONBLOCK);
  if (reader->watch < 0 || inotify_add_watch (reader->watch, directory, IN_MODIFY | IN_CREATE) < 0)
    return error_set_errno (err, errno, "watch the journal");
  *ret_fd = reader->watch;
  return 0;
}

void journal_reader_close (struct journal_reader *reader)
{
  if (reader == NULL)
    return;
  close_p (&reader->fd);
  close_p (&reader->watch);
  close_p (&reader->owned_directory);
  free (reader);
}
