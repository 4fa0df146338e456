/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes and parses one line of the journal. Pure. */
#include <config.h>

#include "journal-journal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base-json-object.h"
#include "base-limits.h"
#include "journal-internal.h"

const char journal_no_hash[SHA256_HEX] = "0000000000000000000000000000000000000000000000000000000000000000";

const char *const journal_kind_names[JOURNAL_KIND_COUNT + 1] = {
  [JOURNAL_REQUESTED] = "requested", [JOURNAL_PLAN] = "plan",
  [JOURNAL_REFUSED] = "refused",     [JOURNAL_STARTED] = "started",
  [JOURNAL_POSTURE] = "posture",     [JOURNAL_DENIAL] = "denial",
  [JOURNAL_LIMIT] = "limit",         [JOURNAL_WAIVER] = "waiver",
  [JOURNAL_ELEVATION] = "elevation", [JOURNAL_ENDED] = "ended",
  [JOURNAL_JOINED] = "joined",       [JOURNAL_UPDATED] = "updated",
  [JOURNAL_REPAIRED] = "repaired",   [JOURNAL_PROFILE_CHANGED] = "profile_changed",
  [JOURNAL_PRUNED] = "pruned",       [JOURNAL_KIND_COUNT] = NULL,
};

const char *journal_kind_text (enum journal_kind kind)
{
  return journal_kind_names[kind];
}

void journal_time_text (uint64_t time, char text[JOURNAL_TIME])
{
  time_t seconds = (time_t) (time / 1000000);
  struct tm tm = { 0 };
  size_t len;

  gmtime_r (&seconds, &tm);
  len = strftime (text, JOURNAL_TIME, "%Y-%m-%dT%H:%M:%S", &tm);
  snprintf (text + len, JOURNAL_TIME - len, ".%06uZ", (unsigned) (time % 1000000));
}

/* Follows the text that is hashed. */
#define TAIL_KEY ",\"hash\":\""
#define TAIL_LEN (sizeof (TAIL_KEY) - 1 + SHA256_HEX - 1 + 2)

int journal_line_write (const struct journal_event *event, uint64_t seq, uint64_t time,
                        const char prev[SHA256_HEX], char **ret_text, char ret_hash[SHA256_HEX],
                        struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_free char *text = NULL;
  char when[JOURNAL_TIME], hash[SHA256_HEX];
  int r;

  journal_time_text (time, when);
  json_object_begin (&w, NULL);
  json_number (&w, "seq", seq);
  json_string (&w, "time", when);
  if (event->run != NULL)
    json_string (&w, "run", event->run);
  json_string (&w, "kind", journal_kind_text (event->kind));
  json_object_begin (&w, "details");
  if (event->details != NULL)
    event->details (&w, event->data);
  json_object_end (&w);
  json_string (&w, "prev", prev);
  if (w.buf.failed)
    return error_oom (err);
  sha256_hex (w.buf.text, w.buf.len, hash);
  json_string (&w, "hash", hash);
  json_object_end (&w);
  r = json_finish (&w, &text, err);
  if (r < 0)
    return r;
  if (strlen (text) > LIMIT_JOURNAL_LINE_BYTES)
    return error_set (err, -EFBIG, "event '%s' makes a line of more than %zu bytes",
                      journal_kind_text (event->kind), LIMIT_JOURNAL_LINE_BYTES);
  *ret_text = take_ptr (text);
  memcpy (ret_hash, hash, sizeof (hash));
  return 0;
}

/* Finds the hash at the end of a line; false if the line does not end with one. */
static bool split_hash (const char *text, size_t len, const char **ret_hash)
{
  const char *tail;

  if (len <= TAIL_LEN)
    return false;
  tail = text + len - TAIL_LEN;
  *ret_hash = tail + sizeof (TAIL_KEY) - 1;
  return memcmp (tail, TAIL_KEY, sizeof (TAIL_KEY) - 1) == 0 && memcmp (text + len - 2, "\"}", 2) == 0;
}

static JSON_READER (into_hash)
{
  if (strlen (node->text) != SHA256_HEX - 1 || strspn (node->text, "0123456789abcdef") != SHA256_HEX - 1)
    return json_fail (place, node, err, "not a hash in hexadecimal");
  memcpy (at, node->text, SHA256_HEX);
  return 0;
}

static JSON_READER (into_details)
{
  *(const struct json_node **) at = node;
  return 0;
}

#define ROW(key, type, read, field)                                                                          \
  {                                                                                                          \
    key, type, read, offsetof (struct journal_line, field)                                                   \
  }
static const struct json_field rows[] = {
  ROW ("seq", JSON_NUMBER, json_into_u64, seq),        ROW ("time", JSON_STRING, json_into_text, time),
  ROW ("run", JSON_STRING, json_into_text, run),       ROW ("kind", JSON_STRING, json_into_text, kind),
  ROW ("details", JSON_OBJECT, into_details, details), ROW ("prev", JSON_STRING, into_hash, prev),
  ROW ("hash", JSON_STRING, into_hash, hash),
};

/* The parser refuses repeated keys, so their number shows that all are there; only "run" is optional. */
static int check_members (const struct journal_line *line, struct error *err)
{
  if (line->tree->count == ARRAY_LEN (rows) - (line->run == NULL) && line->seq > 0)
    return 0;
  return error_set (err, -EINVAL, "line: a member is missing");
}

int journal_line_parse (const char *text, size_t len, struct journal_line *ret_line, struct error *err)
{
  static const struct json_limits limits = { LIMIT_JOURNAL_LINE_BYTES, LIMIT_JOURNAL_DEPTH,
                                             LIMIT_JOURNAL_NODES, .comments = false };
  static const struct json_place place = { .name = "line" };
  cleanup_journal_line struct journal_line line = { 0 };
  char hash[SHA256_HEX];
  const char *stated;
  int r;

  if (!split_hash (text, len, &stated))
    return error_set (err, -EINVAL, "line: it does not end with a hash");
  r = json_read ("line", text, len, &limits, &line.tree, err);
  if (r == 0)
    r = json_read_object (&place, line.tree, rows, ARRAY_LEN (rows), &line, err);
  if (r == 0)
    r = check_members (&line, err);
  if (r < 0)
    return r == -ENOMEM ? r : (err->code = -EINVAL);
  sha256_hex (text, len - TAIL_LEN, hash);
  if (memcmp (stated, hash, SHA256_HEX - 1) != 0 || strcmp (line.hash, hash) != 0)
    return error_set (err, -EBADMSG, "line %llu: its text does not match its hash",
                      (unsigned long long) line.seq);
  *ret_line = line;
  line = (struct journal_line){ 0 };
  return 0;
}

void journal_line_clear (struct journal_line *line)
{
  free (line->time);
  free (line->run);
  free (line->kind);
  json_free (line->tree);
  *line = (struct journal_line){ 0 };
}
