/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Verifies the journal: hashes, chain, head, anchor. Reports the first finding. */
#include <config.h>

#include "journal-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base-cleanup.h"
#include "base-directory.h"
#include "base-str.h"

/* If files are pruned while we read, we start again, so often at most. */
#define TRIES 5

struct check {
  struct journal_verdict verdict;
  struct journal_head head;
  bool head_known;
  uint64_t from, anchor_seq;
  const char *anchor_hash;
  uint64_t end_file, end_size; /* the end of the journal when we started; later lines are not read */

  uint64_t seq; /* of the last good line; 0: none yet */
  char hash[SHA256_HEX];
  uint64_t pruned_through; /* lines up to this one are missing, and a line must record that; 0: none */
  char pruned_hash[SHA256_HEX];
  bool anchored;

  struct sha256 bad_hash; /* of the bytes since the last good line */
  uint64_t bad_bytes;
  bool bad_whole; /* they contain a whole line */
  struct journal_piece bad_piece;
  char *bad_why;
  struct error *err;
};

/* Records the first finding. Returns 1, which ends the walk. */
static int found (struct check *check, const struct journal_piece *piece, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

static int found (struct check *check, const struct journal_piece *piece, const char *format, ...)
{
  va_list ap;
  int n;

  if (check->verdict.bad != NULL)
    return 1;
  va_start (ap, format);
  n = vasprintf (&check->verdict.bad, format, ap);
  va_end (ap);
  if (n < 0) {
    check->verdict.bad = NULL;
    return error_oom (check->err);
  }
  check->verdict.bad_file = piece ? piece->file : 0;
  check->verdict.bad_line = piece ? piece->line : 0;
  return 1;
}

static unsigned long long number (uint64_t value)
{
  return value;
}

/* Records bytes that are not a valid line; the next line may account for them. */
static int add_bad (struct check *check, const struct journal_piece *piece, const struct error *why)
{
  if (check->bad_bytes == 0) {
    sha256_init (&check->bad_hash);
    check->bad_piece = *piece;
    check->bad_whole = false;
    free (check->bad_why);
    check->bad_why = strdup (error_is_set (why) ? error_text (why) : "it is part of a line");
    if (check->bad_why == NULL)
      return error_oom (check->err);
  } else
    check->bad_whole = true;
  sha256_update (&check->bad_hash, piece->text, piece->len);
  sha256_update (&check->bad_hash, "\n", piece->ended);
  check->bad_bytes += piece->len + piece->ended;
  return 0;
}

static int report_bad (struct check *check)
{
  return found (check, &check->bad_piece, "%s", check->bad_why);
}

/* If there are bad bytes before LINE, LINE must record them as damage. */
static int account_for (struct check *check, const struct journal_line *line,
                        const struct journal_damage *damage)
{
  char hash[SHA256_HEX];

  if (check->bad_bytes == 0)
    return 0;
  sha256_final_hex (&check->bad_hash, hash);
  /* A killed writer leaves part of one line; more than that is tampering. */
  if (strcmp (line->kind, journal_kind_text (JOURNAL_REPAIRED)) != 0 || damage->torn != check->bad_bytes
      || strcmp (damage->torn_hash, hash) != 0 || check->bad_whole)
    return report_bad (check);
  check->verdict.repaired++;
  check->bad_bytes = 0;
  return 0;
}

static int check_place (struct check *check, const struct journal_piece *piece,
                        const struct journal_line *line, const struct journal_damage *damage)
{
  if (damage->lost > 0 && damage->lost < line->seq && line->seq - damage->lost == check->seq + 1
      && strcmp (line->prev, check->hash) == 0)
    return found (check, piece, "lines %llu to %llu are lost: they were gone when line %llu was written%s",
                  number (check->seq + 1), number (line->seq - 1), number (line->seq),
                  damage->restarted ? ", and the host had been started again since" : "");
  if (damage->head_missing)
    return found (check, piece, "the head was gone when line %llu was written; lines may be lost before it",
                  number (line->seq));
  if (line->seq != check->seq + 1)
    return found (check, piece, "line %llu stands where line %llu should: a line was dropped, added or moved",
                  number (line->seq), number (check->seq + 1));
  if (strcmp (line->prev, check->hash) != 0)
    return found (check, piece, "line %llu was not written after the line %llu that stands before it",
                  number (line->seq), number (check->seq));
  return 0;
}

/* The first line in the journal: line 1, or the first one that was not pruned. */
static int check_first (struct check *check, const struct journal_piece *piece,
                        const struct journal_line *line)
{
  if (line->seq == 1)
    return strcmp (line->prev, journal_no_hash) == 0
               ? 0
               : found (check, piece, "line 1 has the hash of a line before it");
  check->pruned_through = line->seq - 1;
  memcpy (check->pruned_hash, line->prev, sizeof (check->pruned_hash));
  return 0;
}

static void note_pruned (struct check *check, const struct journal_line *line)
{
  const struct json_node *through = json_get (line->details, "through");
  const struct json_node *hash = json_get (line->details, "hash");
  char wanted[32];

  snprintf (wanted, sizeof (wanted), "%llu", number (check->pruned_through));
  if (strcmp (line->kind, journal_kind_text (JOURNAL_PRUNED)) == 0 && through != NULL && hash != NULL
      && str_equal (through->text, wanted) && str_equal (hash->text, check->pruned_hash))
    check->pruned_through = 0;
}

static int take_line (struct check *check, const struct journal_piece *piece, const struct journal_line *line)
{
  struct journal_damage damage = { 0 };
  bool known = line->seq < check->from; /* findings here are ignored */
  int r = 0;

  if (strcmp (line->kind, journal_kind_text (JOURNAL_REPAIRED)) == 0
      && !journal_damage_read (line->details, &damage))
    r = found (check, piece, "line %llu has malformed details", number (line->seq));
  if (known)
    check->bad_bytes = 0;
  else if (r == 0)
    r = account_for (check, line, &damage);
  if (r == 0 && check->seq == 0)
    r = check_first (check, piece, line);
  else if (r == 0 && !known && line->seq != check->from)
    r = check_place (check, piece, line, &damage);
  if (r == 0 && check->head_known && line->seq == check->head.seq
      && strcmp (line->hash, check->head.hash) != 0)
    r = found (check, piece, "line %llu is not the one that the head names", number (line->seq));
  if (r == 0 && check->anchor_hash != NULL && line->seq == check->anchor_seq) {
    check->anchored = true;
    if (strcmp (line->hash, check->anchor_hash) != 0)
      r = found (check, piece, "line %llu does not have the hash of the anchor", number (line->seq));
  }
  if (r != 0)
    return r;
  if (check->pruned_through > 0)
    note_pruned (check, line);
  check->seq = line->seq;
  memcpy (check->hash, line->hash, sizeof (check->hash));
  check->verdict.lines++;
  if (check->verdict.first == 0)
    check->verdict.first = line->seq;
  return 0;
}

static int check_piece (struct check *check, const struct journal_piece *piece)
{
  cleanup_journal_line struct journal_line line = { 0 };
  cleanup_error struct error bad = { 0 };
  int r = piece->ended ? journal_line_parse (piece->text, piece->len, &line, &bad) : -EINVAL;

  if (r == -ENOMEM)
    return error_oom (check->err);
  return r < 0 ? add_bad (check, piece, &bad) : take_line (check, piece, &line);
}

/* Whether the bad bytes at the end lie after the head as it was when we started: then a writer was killed
 * there, or is still writing. Other writers may have started a new file since. */
static bool is_after_head (const struct check *check)
{
  if (!check->head_known || check->bad_whole)
    return false;
  return check->bad_piece.file > check->head.file
         || (check->bad_piece.file == check->head.file && check->bad_piece.offset >= check->head.size);
}

static int check_end (struct check *check, const struct journal_piece *rest)
{
  const struct error none = { 0 };

  if (rest->len > 0 && add_bad (check, rest, &none) < 0)
    return -ENOMEM;
  if (check->bad_bytes > 0 && !is_after_head (check))
    return report_bad (check);
  check->verdict.torn = check->bad_bytes;
  if (check->head_known && check->seq < check->head.seq)
    return found (check, rest, "lines %llu to %llu were cut off at the end", number (check->seq + 1),
                  number (check->head.seq));
  if (!check->head_known && check->seq > 0)
    return found (check, NULL,
                  "the head is gone or cannot be read, so lines may have been cut off at the end");
  if (check->pruned_through > 0 && check->pruned_through + 1 >= check->from && check->from == 0)
    return found (check, NULL, "lines 1 to %llu are missing, and no line records that they were pruned",
                  number (check->pruned_through));
  if (check->anchor_hash != NULL && !check->anchored)
    return found (check, NULL, "line %llu, which the anchor names, is missing", number (check->anchor_seq));
  return 0;
}

/* Whether PIECE was written after we started. Otherwise writers that are faster than we are would keep us
 * reading for ever. */
static bool is_later (const struct check *check, const struct journal_piece *piece)
{
  return piece->file > check->end_file
         || (piece->file == check->end_file && piece->offset >= check->end_size);
}

static int walk (struct check *check, const char *state, uint64_t *ret_file)
{
  cleanup_journal_reader struct journal_reader *reader = NULL;
  struct journal_piece piece = { 0 };
  bool later = false;
  int r = journal_reader_open (state, &reader, check->err);

  if (r < 0)
    return r;
  while (!later && (r = journal_reader_next (reader, &piece, check->err)) == 1) {
    later = is_later (check, &piece);
    r = later ? 0 : check_piece (check, &piece);
    if (r != 0)
      break;
  }
  *ret_file = piece.file;
  if (r == 0 && later)
    piece.len = 0;
  else if (r == 0)
    journal_reader_rest (reader, &piece);
  if (r == 0)
    r = check_end (check, &piece);
  return r < 0 ? r : 0;
}

static void check_clear (struct check *check)
{
  journal_verdict_clear (&check->verdict);
  free (check->bad_why);
}

/* An error for lack of memory or descriptors must not be reported as a missing head. */
static int look_at_head (struct check *check, int directory)
{
  struct error bad = { 0 };
  int r = directory >= 0 ? journal_head_look (directory, &check->head, &bad) : -ENOENT;

  check->head_known = r == 0;
  if (r == 0 || r == -ENOENT || r == -ELOOP || r == -EBADMSG) {
    error_clear (&bad);
    return 0;
  }
  *check->err = bad;
  return r;
}

/* Called after the head was read, so that the line that it names lies before the end. */
static int look_at_end (struct check *check, int directory)
{
  cleanup_free uint64_t *files = NULL;
  char name[JOURNAL_NAME];
  struct stat st;
  size_t count = 0;
  int r = directory >= 0 ? journal_list_files (directory, &files, &count, check->err) : 0;

  if (r < 0 || count == 0)
    return r;
  check->end_file = files[count - 1];
  journal_file_name (check->end_file, name);
  if (fstatat (directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
    check->end_size = (uint64_t) st.st_size;
  else if (errno != ENOENT)
    return error_set_errno (check->err, errno, "look at '%s' of the journal", name);
  return 0;
}

/* *RET_AGAIN: files were pruned while we read, so the findings are not valid. */
static int verify_once (struct check *check, int directory, const char *state, bool *ret_again)
{
  struct error bad = { 0 };
  uint64_t at = 0, oldest = 0;
  int r = look_at_head (check, directory);

  memcpy (check->hash, journal_no_hash, sizeof (check->hash));
  if (r == 0)
    r = look_at_end (check, directory);
  if (r == 0)
    r = walk (check, state, &at);
  check->verdict.last = check->seq;
  memcpy (check->verdict.head, check->hash, sizeof (check->hash));
  *ret_again = r == 0 && check->verdict.bad != NULL && directory >= 0
               && journal_next_file (directory, 0, &oldest, &bad) == 0 && oldest > check->verdict.first
               && oldest > at;
  error_clear (&bad);
  return r;
}

int journal_verify (const char *state, uint64_t from, uint64_t anchor_seq, const char *anchor_hash,
                    struct journal_verdict *ret_verdict, struct error *err)
{
  cleanup_close int directory = directory_open_own (state, "journal", "audit journal", err);
  bool again = true;
  int r = 0;

  if (directory == -ENOENT)
    error_clear (err);
  else if (directory < 0)
    return directory;
  for (unsigned tries = 0; r == 0 && again; tries++) {
    cleanup (check_clear) struct check check = {
      .from = from, .anchor_seq = anchor_seq, .anchor_hash = anchor_hash, .err = err
    };

    r = verify_once (&check, directory, state, &again);
    again = again && tries < TRIES;
    if (r == 0 && !again) {
      *ret_verdict = check.verdict;
      check.verdict = (struct journal_verdict){ 0 };
    }
  }
  return r;
}

void journal_verdict_clear (struct journal_verdict *verdict)
{
  free (verdict->bad);
  *verdict = (struct journal_verdict){ 0 };
}
