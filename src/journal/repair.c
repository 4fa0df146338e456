/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds damage by a killed writer, a power cut or tampering, and describes it for the next line.
 *
 * Called under the lock when the size of the file is not that in the head. Whole lines after the head that
 * continue the chain were written by a writer that was killed before it updated the head: they are valid. All
 * other bytes after the head are torn, and stay in the file. Lines that the head names and that are missing
 * are lost.
 */
#include <config.h>

#include "journal-internal.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base-json-object.h"
#include "base-limits.h"

/* A walk over one file. */
struct scan {
  struct journal_head at; /* the last good line so far; SEQ 0: none yet */
  bool loose;             /* accept good lines after bad ones: the scan began at the start of the file */
  char time[JOURNAL_TIME];
  struct sha256 torn_hash;
  uint64_t torn;
  bool unended;
};

static void add_torn (struct scan *scan, const struct journal_piece *piece)
{
  if (scan->torn == 0)
    sha256_init (&scan->torn_hash);
  sha256_update (&scan->torn_hash, piece->text, piece->len);
  scan->torn += piece->len;
  scan->unended = !piece->ended;
  if (piece->ended) {
    sha256_update (&scan->torn_hash, "\n", 1);
    scan->torn++;
  }
}

static void take_line (struct scan *scan, const struct journal_line *line, const struct journal_piece *piece)
{
  scan->at.seq = line->seq;
  memcpy (scan->at.hash, line->hash, sizeof (scan->at.hash));
  scan->at.size = piece->offset + piece->len + 1;
  if (strlen (line->time) < sizeof (scan->time))
    memcpy (scan->time, line->time, strlen (line->time) + 1);
  scan->torn = 0;
  scan->unended = !piece->ended;
}

static int look_at (struct scan *scan, const struct journal_piece *piece, struct error *err)
{
  cleanup_journal_line struct journal_line line = { 0 };
  cleanup_error struct error bad = { 0 };
  int r = journal_line_parse (piece->text, piece->len, &line, &bad);

  if (r == -ENOMEM)
    return error_oom (err);
  /* A line that lacks only its newline is accepted; the writer adds the newline. */
  if (r == 0
      && (scan->loose
          || (scan->torn == 0 && line.seq == scan->at.seq + 1 && strcmp (line.prev, scan->at.hash) == 0)))
    take_line (scan, &line, piece);
  else
    add_torn (scan, piece);
  return 0;
}

static int scan_file (int directory, struct scan *scan, uint64_t offset, struct error *err)
{
  cleanup_journal_reader struct journal_reader *reader = NULL;
  struct journal_piece piece;
  int r = journal_reader_at (directory, scan->at.file, offset, &reader, err);

  if (r < 0)
    return r;
  while ((r = journal_reader_next (reader, &piece, err)) == 1 && piece.file == scan->at.file) {
    r = look_at (scan, &piece, err);
    if (r < 0)
      return r;
  }
  if (r < 0)
    return r;
  journal_reader_rest (reader, &piece);
  return r == 0 && piece.file == scan->at.file && piece.len > 0 ? look_at (scan, &piece, err) : 0;
}

/* Finds the last good line before file FILE. */
static int scan_before (int directory, uint64_t file, struct scan *scan, struct error *err)
{
  cleanup_free uint64_t *files = NULL;
  size_t count = 0;
  int r = journal_list_files (directory, &files, &count, err);

  while (r == 0 && count-- > 0) {
    struct scan before = { .at = { .file = files[count] }, .loose = true };

    if (files[count] >= file)
      continue;
    r = scan_file (directory, &before, 0, err);
    if (r < 0 || before.at.seq == 0)
      continue;
    scan->at.seq = before.at.seq;
    memcpy (scan->at.hash, before.at.hash, sizeof (scan->at.hash));
    memcpy (scan->time, before.time, sizeof (scan->time));
    break;
  }
  return r;
}

static bool was_restarted (const struct scan *scan)
{
  char booted[JOURNAL_TIME];
  struct timespec up;

  clock_gettime (CLOCK_BOOTTIME, &up);
  journal_time_text (journal_now () - ((uint64_t) up.tv_sec * 1000000 + (uint64_t) up.tv_nsec / 1000),
                     booted);
  return scan->time[0] != '\0' && strcmp (scan->time, booted) < 0;
}

static int newest_file (int directory, uint64_t *ret_file, struct error *err)
{
  cleanup_free uint64_t *files = NULL;
  size_t count = 0;
  int r = journal_list_files (directory, &files, &count, err);

  *ret_file = r == 0 && count > 0 ? files[count - 1] : 0;
  return r;
}

int journal_find_damage (struct journal *journal, struct journal_head *head,
                         struct journal_damage *ret_damage, struct error *err)
{
  struct journal_damage damage = { .head_missing = head->file == 0 };
  struct scan scan = { .at = *head, .loose = head->file == 0 };
  uint64_t size = head->size;
  int r = 0;

  if (damage.head_missing)
    r = newest_file (journal->directory, &scan.at.file, err);
  if (r == 0)
    r = scan_file (journal->directory, &scan, damage.head_missing ? 0 : size, err);
  /* Nothing was read, because the file is shorter than in the head: scan it from its start. */
  if (r == 0 && !damage.head_missing && scan.at.size == size && scan.torn == 0 && size > 0) {
    scan = (struct scan){ .at = { .file = head->file }, .loose = true };
    r = scan_file (journal->directory, &scan, 0, err);
  }
  if (r == 0 && scan.at.seq == 0) {
    memcpy (scan.at.hash, journal_no_hash, sizeof (scan.at.hash));
    r = scan_before (journal->directory, scan.at.file, &scan, err);
  }
  if (r < 0)
    return r;
  damage.unended = scan.unended;
  if (scan.torn > 0) {
    damage.torn = scan.torn + scan.unended;
    sha256_update (&scan.torn_hash, "\n", scan.unended);
    sha256_final_hex (&scan.torn_hash, damage.torn_hash);
  }
  if (head->seq > scan.at.seq) {
    damage.lost = head->seq - scan.at.seq;
    memcpy (damage.lost_hash, head->hash, sizeof (damage.lost_hash));
    scan.at.seq = head->seq;
  }
  damage.restarted = was_restarted (&scan);
  *head = scan.at;
  *ret_damage = damage;
  return 0;
}

void journal_damage_details (struct json_writer *w, const void *data)
{
  const struct journal_damage *damage = data;

  if (damage->torn > 0) {
    json_number (w, "torn_bytes", damage->torn);
    json_string (w, "torn_sha256", damage->torn_hash);
  }
  if (damage->lost > 0) {
    json_number (w, "lost_lines", damage->lost);
    json_string (w, "lost_hash", damage->lost_hash);
  }
  json_bool (w, "head_missing", damage->head_missing);
  json_bool (w, "restarted", damage->restarted);
}

bool journal_damage_read (const struct json_node *details, struct journal_damage *ret_damage)
{
  static const struct json_field rows[] = {
    { "torn_bytes", JSON_NUMBER, json_into_u64, offsetof (struct journal_damage, torn) },
    { "torn_sha256", JSON_STRING, journal_into_hash, offsetof (struct journal_damage, torn_hash) },
    { "lost_lines", JSON_NUMBER, json_into_u64, offsetof (struct journal_damage, lost) },
    { "lost_hash", JSON_STRING, journal_into_hash, offsetof (struct journal_damage, lost_hash) },
    { "head_missing", JSON_BOOL, json_into_bool, offsetof (struct journal_damage, head_missing) },
    { "restarted", JSON_BOOL, json_into_bool, offsetof (struct journal_damage, restarted) },
  };
  static const struct json_place place = { .name = "repaired" };
  cleanup_error struct error ignored = { 0 };
  struct journal_damage damage = { 0 };

  if (json_read_object (&place, details, rows, ARRAY_LEN (rows), &damage, &ignored) < 0)
    return false;
  *ret_damage = damage;
  return true;
}
