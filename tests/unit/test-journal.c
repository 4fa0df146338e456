/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The audit journal: lines, the chain, what killed writers leave, rotation, and that every kind of change is
 * found wherever it is made. */
#include <config.h>

#include "journal-journal.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-str.h"
#include "unit.h"

#define FIRST "state/journal/00000000000000000001.jsonl"
#define HEAD  "state/journal/head"
#define LINES 12

/* Every test works in a directory of its own, which is also the working directory. */
static int enter_directory (void **state)
{
  char *directory = strdup ("/tmp/tyrum-oci-test-journal-XXXXXX");

  if (directory == NULL || mkdtemp (directory) == NULL || chdir (directory) < 0)
    return -1;
  umask (022);
  *state = directory;
  return 0;
}

static int remove_entry (const char *path, const struct stat *st, int type, struct FTW *ftw)
{
  (void) st;
  (void) type;
  (void) ftw;
  return remove (path);
}

static int leave_directory (void **state)
{
  int r = chdir ("/");

  if (r == 0)
    r = nftw (*state, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
  free (*state);
  return r;
}

static struct journal *open_journal (uint64_t max_bytes, unsigned keep)
{
  const struct journal_options options = { "state", max_bytes, keep, .sync = false };
  cleanup_error struct error err = { 0 };
  struct journal *journal = NULL;

  CHECK (journal_open (&options, &journal, &err) == 0, "%s", error_text (&err));
  return journal;
}

static void details (struct json_writer *w, const void *data)
{
  json_number (w, "number", *(const unsigned *) data);
  json_string (w, "text", "a \"quoted\" line\nwith two");
}

static void append (struct journal *journal, unsigned count)
{
  for (unsigned i = 0; i < count; i++) {
    const struct journal_event event = { JOURNAL_STARTED, i % 2 ? "r-0123456789abcdef" : NULL, details, &i,
                                         false };
    cleanup_error struct error err = { 0 };

    CHECK (journal_append (journal, &event, 1, &err) == 0, "%s", error_text (&err));
  }
}

static void write_lines (unsigned count)
{
  cleanup_journal struct journal *journal = open_journal (1 << 20, 3);

  append (journal, count);
}

static char *read_text (const char *path, size_t *ret_len)
{
  cleanup_error struct error err = { 0 };
  char *text = NULL;

  CHECK (file_read (AT_FDCWD, path, 1 << 20, &text, ret_len, &err) == 0, "%s", error_text (&err));
  return text;
}

static void write_file (const char *path, const char *text, size_t len)
{
  FILE *f = fopen (path, "w");

  assert_non_null (f);
  assert_int_equal (fwrite (text, 1, len, f), len);
  assert_int_equal (fclose (f), 0);
}

static void verify_from (uint64_t from, struct journal_verdict *ret_verdict)
{
  cleanup_error struct error err = { 0 };

  CHECK (journal_verify ("state", from, 0, NULL, ret_verdict, &err) == 0, "%s", error_text (&err));
}

static void is_good (uint64_t count, int at)
{
  cleanup_journal_verdict struct journal_verdict verdict = { 0 };

  verify_from (0, &verdict);
  CHECK (verdict.bad == NULL, "line %d: %s", at, verdict.bad);
  assert_int_equal (verdict.lines, count);
}
#define IS_GOOD(count) is_good (count, __LINE__)

/* Something is wrong, it is in line WHERE of its file (0: anywhere), and the words hold SAYS. */
static void is_bad (unsigned where, const char *says, const char *what)
{
  cleanup_journal_verdict struct journal_verdict verdict = { 0 };

  verify_from (0, &verdict);
  CHECK (verdict.bad != NULL, "%s was not found", what);
  CHECK (where == 0 || verdict.bad_line == where, "%s: line %u, not %u: %s", what,
         (unsigned) verdict.bad_line, where, verdict.bad);
  CHECK (strstr (verdict.bad, says) != NULL, "%s: '%s' does not say '%s'", what, verdict.bad, says);
}

static void test_lines (void **state)
{
  cleanup_journal_line struct journal_line line = { 0 };
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;
  char hash[SHA256_HEX];
  unsigned number = 7;
  const struct journal_event event = { JOURNAL_ENDED, "r-0123456789abcdef", details, &number, true };

  (void) state;
  assert_int_equal (journal_line_write (&event, 42, 1700000000000001, journal_no_hash, &text, hash, &err), 0);
  assert_true (str_has_prefix (text, "{\"seq\":42,\"time\":\"2023-11-14T22:13:20.000001Z\",\"run\":"));
  assert_int_equal (strchr (text, '\n') - text, strlen (text) - 1);
  assert_int_equal (journal_line_parse (text, strlen (text) - 1, &line, &err), 0);
  assert_int_equal (line.seq, 42);
  assert_string_equal (line.kind, "ended");
  assert_string_equal (line.run, "r-0123456789abcdef");
  assert_string_equal (line.hash, hash);
  assert_string_equal (line.prev, journal_no_hash);
  assert_string_equal (json_get (line.details, "number")->text, "7");
  /* Any other byte in any place makes it another line, or none. */
  for (size_t i = 0; i + 1 < strlen (text); i++) {
    cleanup_journal_line struct journal_line other = { 0 };
    cleanup_error struct error bad = { 0 };
    char was = text[i];

    text[i] = was == '1' ? '2' : '1';
    CHECK (journal_line_parse (text, strlen (text) - 1, &other, &bad) < 0, "byte %zu may change", i);
    text[i] = was;
  }
  for (size_t len = 0; len + 1 < strlen (text); len++) {
    cleanup_journal_line struct journal_line other = { 0 };
    cleanup_error struct error bad = { 0 };

    CHECK (journal_line_parse (text, len, &other, &bad) == -EINVAL, "%zu bytes are a line", len);
  }
}

static void test_good (void **state)
{
  struct stat st;

  (void) state;
  IS_GOOD (0);
  write_lines (LINES);
  IS_GOOD (LINES);
  write_lines (1);
  IS_GOOD (LINES + 1);
  assert_int_equal (stat (FIRST, &st), 0);
  assert_int_equal (st.st_mode & 0777, 0600);
  assert_int_equal (stat ("state/journal", &st), 0);
  assert_int_equal (st.st_mode & 0777, 0700);
}

/* The text in lines, to be put together in another way. */
struct parts {
  char *text;
  size_t len;
  const char *at[LINES + 1];
};

static void split (struct parts *parts)
{
  const char *at;

  parts->text = read_text (FIRST, &parts->len);
  at = parts->text;
  for (unsigned i = 0; i <= LINES; i++) {
    parts->at[i] = at;
    at = i < LINES ? strchr (at, '\n') + 1 : at;
  }
  assert_int_equal (parts->at[LINES] - parts->text, parts->len);
}

static void test_edited (void **state)
{
  struct parts parts;

  (void) state;
  write_lines (LINES);
  split (&parts);
  for (unsigned i = 0; i < LINES; i++) {
    char *number = strstr (parts.text + (parts.at[i] - parts.text), "\"number\":") + strlen ("\"number\":");
    char was = *number;

    *number = was == '9' ? '8' : '9';
    write_file (FIRST, parts.text, parts.len);
    is_bad (i + 1, "its text does not match its hash", "an edit");
    *number = was;
  }
  write_file (FIRST, parts.text, parts.len);
  IS_GOOD (LINES);
  free (parts.text);
}

/* Whoever edits a line can make its hash fit, but not that of the line after it, or the head. */
static void test_edited_with_hash (void **state)
{
  struct parts parts;
  unsigned number = 99;

  (void) state;
  write_lines (LINES);
  split (&parts);
  for (unsigned i = 0; i < LINES; i++) {
    const struct journal_event event = { JOURNAL_ENDED, NULL, details, &number, false };
    cleanup_journal_line struct journal_line line = { 0 };
    cleanup_strbuf struct strbuf text = { 0 };
    cleanup_error struct error err = { 0 };
    cleanup_free char *made = NULL;
    char hash[SHA256_HEX];

    assert_int_equal (
        journal_line_parse (parts.at[i], (size_t) (parts.at[i + 1] - parts.at[i]) - 1, &line, &err), 0);
    assert_int_equal (journal_line_write (&event, i + 1, 1700000000000000, line.prev, &made, hash, &err), 0);
    strbuf_add_bytes (&text, parts.text, (size_t) (parts.at[i] - parts.text));
    strbuf_add (&text, made);
    strbuf_add_bytes (&text, parts.at[i + 1], parts.len - (size_t) (parts.at[i + 1] - parts.text));
    write_file (FIRST, text.text, text.len);
    is_bad (0, i + 1 < LINES ? "was not written after" : "the head names", "an edit with its hash");
  }
  free (parts.text);
}

static void test_dropped (void **state)
{
  struct parts parts;

  (void) state;
  write_lines (LINES);
  split (&parts);
  for (unsigned i = 0; i < LINES; i++) {
    cleanup_strbuf struct strbuf text = { 0 };

    strbuf_add_bytes (&text, parts.text, (size_t) (parts.at[i] - parts.text));
    strbuf_add_bytes (&text, parts.at[i + 1], parts.len - (size_t) (parts.at[i + 1] - parts.text));
    write_file (FIRST, text.text, text.len);
    is_bad (0,
            i == 0          ? "no line records that they were pruned"
            : i + 1 < LINES ? "dropped, added or moved"
                            : "cut off",
            "a dropped line");
  }
  free (parts.text);
}

static void test_moved_and_added (void **state)
{
  struct parts parts;

  (void) state;
  write_lines (LINES);
  split (&parts);
  for (unsigned i = 0; i + 1 < LINES; i++) {
    cleanup_strbuf struct strbuf moved = { 0 }, added = { 0 };
    size_t before = (size_t) (parts.at[i] - parts.text), one = (size_t) (parts.at[i + 1] - parts.at[i]);
    size_t two = (size_t) (parts.at[i + 2] - parts.at[i + 1]);

    strbuf_add_bytes (&moved, parts.text, before);
    strbuf_add_bytes (&moved, parts.at[i + 1], two);
    strbuf_add_bytes (&moved, parts.at[i], one);
    strbuf_add_bytes (&moved, parts.at[i + 2], parts.len - before - one - two);
    write_file (FIRST, moved.text, moved.len);
    is_bad (0, "dropped, added or moved", "a moved line");
    strbuf_add_bytes (&added, parts.text, before + one);
    strbuf_add_bytes (&added, parts.at[i], parts.len - before);
    write_file (FIRST, added.text, added.len);
    is_bad (i + 2, "dropped, added or moved", "a repeated line");
  }
  free (parts.text);
}

/* Wherever the end is cut off: in the middle of a line, or between two. Also when somebody writes on. */
static void test_truncated (void **state)
{
  struct parts parts;
  size_t head_len;
  cleanup_free char *head = NULL;

  (void) state;
  write_lines (LINES);
  split (&parts);
  head = read_text (HEAD, &head_len);
  for (size_t len = 0; len < parts.len; len += len + 400 < parts.len ? 7 : 1) {
    write_file (FIRST, parts.text, len);
    is_bad (0, "", "a cut");
    write_lines (2);
    /* With its newline back the last line is as it was. */
    if (len + 1 == parts.len)
      IS_GOOD (LINES + 2);
    else
      is_bad (0, len + 1 < (size_t) (parts.at[1] - parts.text) ? "" : "lost", "a cut with lines behind it");
    write_file (HEAD, head, head_len);
  }
  write_file (FIRST, parts.text, parts.len);
  IS_GOOD (LINES);
  assert_int_equal (unlink (FIRST), 0);
  is_bad (0, "cut off", "a file that is gone");
  write_lines (1);
  is_bad (0, "", "a file that is gone, and a line behind it");
  free (parts.text);
}

static void test_head (void **state)
{
  (void) state;
  write_lines (LINES);
  assert_int_equal (unlink (HEAD), 0);
  is_bad (0, "the head is gone", "no head");
  write_lines (1);
  is_bad (LINES + 1, "the head was gone", "no head, and a line behind it");
  {
    cleanup_journal_verdict struct journal_verdict verdict = { 0 };

    /* What was seen to does not stand in the way of what comes after it. */
    verify_from (LINES + 1, &verdict);
    CHECK (verdict.bad == NULL, "%s", verdict.bad);
  }
  write_file (HEAD, "{\"file\":1}", 10);
  is_bad (0, "the head was gone", "no head twice");
}

/* pread on a FIFO fails. Nothing is written after a head that could not be read. */
static void test_head_unreadable (void **state)
{
  cleanup_error struct error err = { 0 };
  const struct journal_event event = { JOURNAL_STARTED, NULL, NULL, NULL, false };

  (void) state;
  write_lines (LINES);
  assert_int_equal (rename (HEAD, "head.good"), 0);
  assert_int_equal (mkfifo (HEAD, 0600), 0);
  {
    cleanup_journal struct journal *journal = open_journal (1 << 20, 3);

    assert_true (journal_append (journal, &event, 1, &err) < 0);
  }
  CHECK (strstr (error_text (&err), "read the head of the journal"), "%s", error_text (&err));
  assert_int_equal (rename ("head.good", HEAD), 0);
  write_lines (1);
  IS_GOOD (LINES + 1);
}

/* A writer that is killed leaves any number of bytes of its line, and the head as it was. */
static void test_torn (void **state)
{
  static const char foreign[] = "somebody was here\nand wrote two lines\n";
  size_t before, head_len, len;
  cleanup_free char *head = NULL, *old = NULL, *text = NULL;

  (void) state;
  write_lines (LINES);
  head = read_text (HEAD, &head_len);
  old = read_text (FIRST, &before);
  write_lines (1);
  text = read_text (FIRST, &len);
  for (size_t cut = before; cut <= len; cut++) {
    cleanup_journal_verdict struct journal_verdict verdict = { 0 };
    bool whole = cut == len, none = cut == before;

    write_file (FIRST, text, cut);
    write_file (HEAD, head, head_len);
    verify_from (0, &verdict);
    CHECK (verdict.bad == NULL, "%s", verdict.bad);
    assert_int_equal (verdict.torn, whole ? 0 : cut - before);
    journal_verdict_clear (&verdict);
    write_lines (2);
    verify_from (0, &verdict);
    CHECK (verdict.bad == NULL, "cut at %zu: %s", cut - before, verdict.bad);
    /* A line that only lacks its newline gets it. */
    assert_int_equal (verdict.repaired, cut + 1 >= len || none ? 0 : 1);
    assert_int_equal (verdict.lines, LINES + 2 + !none);
  }
  /* What nobody of us wrote is told as well, and is not good. */
  write_file (FIRST, old, before);
  write_file (HEAD, head, head_len);
  {
    FILE *f = fopen (FIRST, "a");

    assert_non_null (f);
    assert_true (fputs (foreign, f) >= 0);
    assert_int_equal (fclose (f), 0);
  }
  write_lines (1);
  is_bad (LINES + 1, "does not end with a hash", "foreign lines");
}

static unsigned count_files (void)
{
  unsigned count = 0;

  for (unsigned i = 1; i < 1000; i++) {
    char name[64];

    snprintf (name, sizeof (name), "state/journal/%020u.jsonl", i);
    count += access (name, F_OK) == 0;
  }
  return count;
}

static void test_rotation (void **state)
{
  cleanup_journal struct journal *journal = open_journal (1200, 1000);

  (void) state;
  append (journal, 50);
  assert_true (count_files () > 5);
  IS_GOOD (50);
  /* Another writer goes on where this one is, and this one where that one was. */
  {
    cleanup_journal struct journal *other = open_journal (1200, 1000);

    append (other, 20);
  }
  append (journal, 1);
  IS_GOOD (71);
}

static void test_file_dropped (void **state)
{
  cleanup_journal struct journal *journal = open_journal (1200, 1000);

  (void) state;
  append (journal, 50);
  for (unsigned i = 1; i <= 50; i++) {
    char name[64];

    snprintf (name, sizeof (name), "state/journal/%020u.jsonl", i);
    if (access (name, F_OK) < 0)
      continue;
    assert_int_equal (rename (name, "aside"), 0);
    is_bad (0, "", name);
    assert_int_equal (rename ("aside", name), 0);
  }
  IS_GOOD (50);
}

static void test_pruned (void **state)
{
  cleanup_journal_verdict struct journal_verdict verdict = { 0 };
  cleanup_journal struct journal *journal = open_journal (1200, 3);
  char oldest[64];

  (void) state;
  append (journal, 100);
  assert_int_equal (count_files (), 4);
  verify_from (0, &verdict);
  CHECK (verdict.bad == NULL, "%s", verdict.bad);
  assert_true (verdict.first > 50 && verdict.last > 100);
  assert_int_equal (verdict.last - verdict.first + 1, verdict.lines);
  /* One more that is gone, and of which no line tells. */
  snprintf (oldest, sizeof (oldest), "state/journal/%020u.jsonl", (unsigned) verdict.first);
  assert_int_equal (unlink (oldest), 0);
  is_bad (0, "no line records that they were pruned", "an old file that somebody removed");
}

static void test_anchor (void **state)
{
  cleanup_journal_verdict struct journal_verdict verdict = { 0 }, again = { 0 };
  cleanup_error struct error err = { 0 };

  (void) state;
  write_lines (LINES);
  verify_from (0, &verdict);
  assert_int_equal (verdict.last, LINES);
  write_lines (3);
  assert_int_equal (journal_verify ("state", 0, LINES, verdict.head, &again, &err), 0);
  CHECK (again.bad == NULL, "%s", again.bad);
  journal_verdict_clear (&again);
  assert_int_equal (journal_verify ("state", 0, LINES - 1, verdict.head, &again, &err), 0);
  assert_non_null (again.bad);
  journal_verdict_clear (&again);
  /* A whole new journal is as good as the old one, but for who kept a hash. */
  assert_int_equal (unlink (FIRST), 0);
  assert_int_equal (unlink (HEAD), 0);
  write_lines (LINES + 3);
  IS_GOOD (LINES + 3);
  assert_int_equal (journal_verify ("state", 0, LINES, verdict.head, &again, &err), 0);
  assert_string_equal (again.bad, "line 12 does not have the hash of the anchor");
}

static void test_batch (void **state)
{
  cleanup_journal struct journal *journal = open_journal (1 << 20, 3);
  unsigned number = 1;
  const struct journal_event events[] = {
    { JOURNAL_REQUESTED, "r-0123456789abcdef", details, &number, false },
    { JOURNAL_PLAN, "r-0123456789abcdef", details, &number, false },
    { JOURNAL_PROFILE_CHANGED, NULL, NULL, NULL, true },
  };
  cleanup_error struct error err = { 0 };

  (void) state;
  assert_int_equal (journal_append (journal, events, 3, &err), 0);
  IS_GOOD (3);
}

static void long_details (struct json_writer *w, const void *data)
{
  json_string (w, "text", data);
}

/* All events of a call or none. */
static void test_too_long (void **state)
{
  cleanup_journal struct journal *journal = open_journal (1 << 20, 3);
  cleanup_free char *text = calloc (1, 256 * 1024);
  const struct journal_event events[] = {
    { JOURNAL_REQUESTED, NULL, NULL, NULL, false },
    { JOURNAL_DENIAL, NULL, long_details, text, false },
  };
  cleanup_error struct error err = { 0 };

  (void) state;
  assert_non_null (text);
  memset (text, 'x', 256 * 1024 - 1);
  assert_int_equal (journal_append (journal, events, 2, &err), -EFBIG);
  assert_string_equal (error_text (&err), "event 'denial' makes a line of more than 131072 bytes");
  IS_GOOD (0);
  append (journal, 1);
  IS_GOOD (1);
}

static void test_digests (void **state)
{
  cleanup_journal struct journal *journal = open_journal (1 << 20, 3);
  cleanup_error struct error err = { 0 };
  char before[JOURNAL_DIGEST_SIZE];

  (void) state;
  assert_int_equal (journal_swap_digest (journal, "ci", "sha256:1", before, &err), 0);
  assert_string_equal (before, "");
  assert_int_equal (journal_swap_digest (journal, "ci", "sha256:1", before, &err), 0);
  assert_string_equal (before, "sha256:1");
  assert_int_equal (journal_swap_digest (journal, "ci", "sha256:2", before, &err), 0);
  assert_string_equal (before, "sha256:1");
  assert_int_equal (journal_swap_digest (journal, "other", "sha256:2", before, &err), 0);
  assert_string_equal (before, "");
  assert_true (journal_swap_digest (journal, "../x", "sha256:2", before, &err) < 0);
}

static void test_directory (void **state)
{
  const struct journal_options options = { "state", 1 << 20, 3, .sync = false };
  cleanup_journal struct journal *journal = NULL;
  cleanup_error struct error err = { 0 };

  (void) state;
  write_lines (1);
  assert_int_equal (chmod ("state/journal", 0770), 0);
  assert_int_equal (journal_open (&options, &journal, &err), -EPERM);
  assert_non_null (strstr (error_text (&err), "can be written by others"));
  error_clear (&err);
  assert_int_equal (chmod ("state/journal", 0700), 0);
  assert_int_equal (rename ("state/journal", "elsewhere"), 0);
  assert_int_equal (symlink ("../elsewhere", "state/journal"), 0);
  assert_true (journal_open (&options, &journal, &err) < 0);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown (test, enter_directory, leave_directory)

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_lines),       IN_DIRECTORY (test_good),
  IN_DIRECTORY (test_edited),          IN_DIRECTORY (test_edited_with_hash),
  IN_DIRECTORY (test_dropped),         IN_DIRECTORY (test_moved_and_added),
  IN_DIRECTORY (test_truncated),       IN_DIRECTORY (test_head),
  IN_DIRECTORY (test_head_unreadable), IN_DIRECTORY (test_torn),
  IN_DIRECTORY (test_rotation),        IN_DIRECTORY (test_file_dropped),
  IN_DIRECTORY (test_pruned),          IN_DIRECTORY (test_anchor),
  IN_DIRECTORY (test_batch),           IN_DIRECTORY (test_too_long),
  IN_DIRECTORY (test_digests),         IN_DIRECTORY (test_directory),
};

UNIT_MAIN (cases)
