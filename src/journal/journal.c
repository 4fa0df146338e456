/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the journal: one writer at a time, one write(2) for events that belong together. */
#include <config.h>

#include "journal-journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-directory.h"
#include "base-file.h"
#include "base-str.h"
#include "journal-internal.h"

/* A writer holds the lock for microseconds, or milliseconds during a repair. If it was stopped meanwhile, it
 * must not block all others for ever. */
#define LOCK_SECONDS  30
#define LOCK_PAUSE_NS 5000000L
#define LOCK_TRIES(s) ((s) * (unsigned) (1000000000L / LOCK_PAUSE_NS))

#define OPEN_OWN (O_CLOEXEC | O_NOFOLLOW)

int journal_open (const struct journal_options *options, struct journal **ret_journal, struct error *err)
{
  cleanup_journal struct journal *journal = calloc (1, sizeof (*journal));

  if (journal == NULL)
    return error_oom (err);
  *journal =
      (struct journal){ .options = *options, .directory = -1, .lock = -1, .head_fd = -1, .file_fd = -1 };
  journal_hurry (journal, LOCK_SECONDS);
  journal->directory = directory_make_own (options->state, "journal", "audit journal", err);
  if (journal->directory < 0)
    return journal->directory;
  journal->lock = openat (journal->directory, JOURNAL_LOCK, O_RDWR | O_CREAT | OPEN_OWN, 0600);
  if (journal->lock < 0)
    return error_set_errno (err, errno, "open the lock of the journal in '%s'", options->state);
  journal->options.state = NULL;
  *ret_journal = take_ptr (journal);
  return 0;
}

void journal_close (struct journal *journal)
{
  if (journal == NULL)
    return;
  close_p (&journal->directory);
  close_p (&journal->lock);
  close_p (&journal->head_fd);
  close_p (&journal->file_fd);
  free (journal);
}

void journal_hurry (struct journal *journal, unsigned seconds)
{
  journal->tries = LOCK_TRIES (seconds);
}

static int take_lock (struct journal *journal, struct error *err)
{
  struct timespec pause = { .tv_nsec = 100000 };

  for (unsigned tries = 0; tries < journal->tries; tries++) {
    if (flock (journal->lock, LOCK_EX | LOCK_NB) == 0)
      return 0;
    if (errno != EWOULDBLOCK && errno != EINTR)
      return error_set_errno (err, errno, "lock the journal");
    nanosleep (&pause, NULL);
    /* Exponential backoff, so that waiting writers do not poll in step. */
    pause.tv_nsec = pause.tv_nsec * 2 < LOCK_PAUSE_NS ? pause.tv_nsec * 2 : LOCK_PAUSE_NS;
  }
  return error_set (err, -EBUSY, "another process has held the journal's lock for too long");
}

static void drop_lock (struct journal *journal)
{
  flock (journal->lock, LOCK_UN);
}

static int open_file (struct journal *journal, uint64_t file, struct error *err)
{
  char name[JOURNAL_NAME];

  if (journal->file == file)
    return 0;
  journal_file_name (file, name);
  close_p (&journal->file_fd);
  journal->file = 0;
  journal->file_fd = openat (journal->directory, name, O_RDWR | O_APPEND | O_CREAT | OPEN_OWN, 0600);
  if (journal->file_fd < 0)
    return error_set_errno (err, errno, "open '%s' of the journal", name);
  journal->file = file;
  return 0;
}

/* The head is created before the first file, so that lines without a head always mean that it was removed. */
static int make_head (struct journal *journal, const struct journal_head *head, struct error *err)
{
  int r = file_write_atomic (journal->directory, JOURNAL_HEAD, "", 0, 0600, err);

  if (r < 0)
    return r;
  close_p (&journal->head_fd);
  journal->head_fd = openat (journal->directory, JOURNAL_HEAD, O_RDWR | OPEN_OWN);
  return journal->head_fd < 0 ? error_set_errno (err, errno, "open the head of the journal")
                              : journal_head_write (journal->head_fd, head, err);
}

/* Writes TEXT with one call. If the disk is full, none of it remains. */
static int write_text (struct journal *journal, struct journal_head *head, const struct strbuf *text,
                       struct error *err)
{
  ssize_t n;

  if (text->failed)
    return error_oom (err);
  do
    n = write (journal->file_fd, text->text, text->len);
  while (n < 0 && errno == EINTR);
  if (n != (ssize_t) text->len) {
    int errnum = n < 0 ? errno : ENOSPC;

    if (n > 0 && ftruncate (journal->file_fd, (off_t) head->size) < 0)
      errnum = errno; /* the next writer records what remains */
    return error_set_errno (err, errnum, "write the journal");
  }
  head->size += text->len;
  return journal_head_write (journal->head_fd, head, err);
}

static int add_line (struct journal_head *head, const struct journal_event *event, struct strbuf *text,
                     struct error *err)
{
  cleanup_free char *line = NULL;
  int r = journal_line_write (event, head->seq + 1, journal_now (), head->hash, &line, head->hash, err);

  if (r < 0)
    return r;
  head->seq++;
  strbuf_add (text, line);
  return text->failed ? error_oom (err) : 0;
}

/* Sets HEAD to the last good line, and records any damage after it in a new line. */
static int repair (struct journal *journal, struct journal_head *head, struct error *err)
{
  struct journal_damage damage = { 0 };
  const struct journal_event event = { .kind = JOURNAL_REPAIRED,
                                       .details = journal_damage_details,
                                       .data = &damage };
  cleanup_strbuf struct strbuf text = { 0 };
  struct stat st;
  int r = journal_find_damage (journal, head, &damage, err);

  if (r == 0 && damage.head_missing)
    r = make_head (journal, head, err);
  if (r == 0)
    r = open_file (journal, head->file, err);
  if (r == 0 && fstat (journal->file_fd, &st) < 0)
    r = error_set_errno (err, errno, "look at the journal");
  if (r < 0)
    return r;
  head->size = (uint64_t) st.st_size;
  strbuf_add (&text, damage.unended ? "\n" : "");
  if (damage.torn > 0 || damage.lost > 0 || damage.head_missing)
    r = add_line (head, &event, &text, err);
  return r < 0 ? r : write_text (journal, head, &text, err);
}

static int begin (struct journal *journal, struct journal_head *head, struct error *err)
{
  static const struct journal_head first = { .file = 1 };
  uint64_t any = 0;
  int r = -EBADMSG;

  if (journal->head_fd < 0)
    journal->head_fd = openat (journal->directory, JOURNAL_HEAD, O_RDWR | OPEN_OWN);
  if (journal->head_fd < 0 && errno != ENOENT)
    return error_set_errno (err, errno, "open the head of the journal");
  if (journal->head_fd >= 0)
    r = journal_head_read (journal->head_fd, head, err);
  /* Only a malformed head is replaced; another read error may be temporary. */
  if (r != -EBADMSG)
    return r;
  error_clear (err);
  *head = (struct journal_head){ 0 };
  r = journal_next_file (journal->directory, 0, &any, err);
  if (r != -ENOENT)
    return r;
  *head = first;
  memcpy (head->hash, journal_no_hash, sizeof (head->hash));
  return make_head (journal, head, err);
}

/* Sets HEAD to the end of the journal, after a repair if the file does not match it. */
static int find_end (struct journal *journal, struct journal_head *head, struct error *err)
{
  struct stat st = { 0 };
  int r = begin (journal, head, err);

  if (r == 0 && head->file > 0)
    r = open_file (journal, head->file, err);
  if (r < 0)
    return r;
  if (head->file > 0 && fstat (journal->file_fd, &st) < 0)
    return error_set_errno (err, errno, "look at the journal");
  /* The open file was removed: create it again. */
  if (head->file > 0 && st.st_nlink == 0) {
    journal->file = 0;
    r = open_file (journal, head->file, err);
    st.st_size = 0;
  }
  if (r < 0 || (head->file > 0 && (uint64_t) st.st_size == head->size))
    return r;
  return repair (journal, head, err);
}

/* ---- Rotation. */

struct pruned {
  uint64_t through;
  char hash[SHA256_HEX];
};

static void pruned_details (struct json_writer *w, const void *data)
{
  const struct pruned *pruned = data;

  json_number (w, "through", pruned->through);
  json_string (w, "hash", pruned->hash);
}

/* Number and hash of the line before FILE, from its first line. */
static int look_before (struct journal *journal, uint64_t file, struct pruned *ret_pruned, struct error *err)
{
  cleanup_journal_reader struct journal_reader *reader = NULL;
  cleanup_journal_line struct journal_line line = { 0 };
  struct journal_piece piece = { 0 };
  int r = journal_reader_at (journal->directory, file, 0, &reader, err);

  if (r == 0)
    r = journal_reader_next (reader, &piece, err);
  if (r == 1)
    r = journal_line_parse (piece.text, piece.len, &line, err);
  else if (r == 0)
    r = error_set (err, -EINVAL, "the file is empty");
  if (r < 0)
    return r;
  ret_pruned->through = line.seq - 1;
  memcpy (ret_pruned->hash, line.prev, sizeof (ret_pruned->hash));
  return 0;
}

/* Selects the oldest files beyond options.keep, and adds the line that records their removal. If the first
 * file to keep is malformed, nothing is removed: the files may be needed to find out why. */
static int prune (struct journal *journal, struct journal_head *head, struct strbuf *text, size_t *ret_count,
                  uint64_t **ret_files, struct error *err)
{
  cleanup_free uint64_t *files = NULL;
  cleanup_error struct error bad = { 0 };
  struct pruned pruned;
  const struct journal_event event = { .kind = JOURNAL_PRUNED, .details = pruned_details, .data = &pruned };
  size_t count = 0, keep = journal->options.keep > 0 ? journal->options.keep : 1;
  int r = journal_list_files (journal->directory, &files, &count, err);

  *ret_count = 0;
  /* The new file does not exist yet, so COUNT does not include it. */
  if (r < 0 || count <= keep || look_before (journal, files[count - keep], &pruned, &bad) < 0)
    return r;
  r = add_line (head, &event, text, err);
  if (r < 0)
    return r;
  *ret_count = count - keep;
  *ret_files = take_ptr (files);
  return 0;
}

static int remove_files (struct journal *journal, const uint64_t *files, size_t count, struct error *err)
{
  for (size_t i = 0; i < count; i++) {
    char name[JOURNAL_NAME];

    journal_file_name (files[i], name);
    if (unlinkat (journal->directory, name, 0) < 0 && errno != ENOENT)
      return error_set_errno (err, errno, "remove '%s' of the journal", name);
  }
  return 0;
}

static int rotate (struct journal *journal, struct journal_head *head, struct error *err)
{
  cleanup_strbuf struct strbuf text = { 0 };
  cleanup_free uint64_t *files = NULL;
  struct journal_head next = *head;
  size_t count = 0;
  int r;

  /* Later syncs are for the new file only. */
  if (journal->options.sync && fdatasync (journal->file_fd) < 0)
    return error_set_errno (err, errno, "sync the journal");
  next.file = head->seq + 1;
  next.size = 0;
  r = journal_head_write (journal->head_fd, &next, err);
  if (r < 0)
    return r;
  *head = next;
  r = prune (journal, head, &text, &count, &files, err);
  if (r == 0)
    r = open_file (journal, head->file, err);
  if (r == 0 && text.len > 0)
    r = write_text (journal, head, &text, err);
  if (r == 0)
    r = remove_files (journal, files, count, err);
  if (r == 0 && journal->options.sync && fsync (journal->directory) < 0)
    r = error_set_errno (err, errno, "sync the journal");
  return r;
}

static int append_locked (struct journal *journal, const struct journal_event *events, size_t count,
                          struct error *err)
{
  cleanup_strbuf struct strbuf text = { 0 };
  struct journal_head head;
  int r = find_end (journal, &head, err);

  if (r == 0 && head.size >= journal->options.max_bytes && head.size > 0)
    r = rotate (journal, &head, err);
  for (size_t i = 0; r == 0 && i < count; i++)
    r = add_line (&head, &events[i], &text, err);
  return r < 0 ? r : write_text (journal, &head, &text, err);
}

int journal_append (struct journal *journal, const struct journal_event *events, size_t count,
                    struct error *err)
{
  bool durable = false;
  int r;

  if (count == 0)
    return 0;
  for (size_t i = 0; i < count; i++)
    durable = durable || events[i].durable;
  r = take_lock (journal, err);
  if (r < 0)
    return r;
  r = append_locked (journal, events, count, err);
  drop_lock (journal);
  /* Without the lock, so that other writers can continue; one sync covers the lines of all. */
  if (r == 0 && durable && journal->options.sync && fdatasync (journal->file_fd) < 0)
    r = error_set_errno (err, errno, "sync the journal");
  return r;
}

/* ---- Digests of profiles. */

static bool read_digest (struct journal *journal, const char *name, char ret_digest[JOURNAL_DIGEST_SIZE])
{
  cleanup_error struct error none = { 0 };
  cleanup_free char *text = NULL;
  size_t len = 0;

  ret_digest[0] = '\0';
  if (file_read (journal->directory, name, JOURNAL_DIGEST_SIZE - 1, &text, &len, &none) < 0
      || !str_is_utf8 (text, len))
    return false;
  memcpy (ret_digest, text, strlen (text) + 1);
  return true;
}

int journal_swap_digest (struct journal *journal, const char *name, const char *digest,
                         char ret_before[JOURNAL_DIGEST_SIZE], struct error *err)
{
  cleanup_free char *file = str_format ("profile-%s", name);
  char before[JOURNAL_DIGEST_SIZE];
  int r = 0;

  if (file == NULL)
    return error_oom (err);
  if (strchr (name, '/') != NULL)
    return error_set (err, -EINVAL, "'%s' is not the name of a profile", name);
  if (!read_digest (journal, file, before) || strcmp (before, digest) != 0)
    r = file_write_atomic (journal->directory, file, digest, strlen (digest), 0600, err);
  if (r == 0)
    memcpy (ret_before, before, sizeof (before));
  return r;
}
