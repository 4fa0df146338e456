/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The audit journal: what was asked, decided and done, a line for each event, that cannot be edited unseen.
 *
 * A directory holds files of JSON lines, each file named after the number of its first line, the one with the
 * highest number being written. A line has its number, the time, the run, the kind of event, an object of
 * details, the hash of the line before it, and the hash of itself up to that point. So a line that was
 * edited contradicts its own hash, and one that was dropped, added or moved the line after it. What
 * was cut off at the end is told by the head, a small file that names the last line.
 *
 * Writers take turns by a lock, and each writes its lines with one call. One that is killed leaves whole
 * lines, which the next one takes over, or part of a line, which stays where it is: the next line,
 * "mended", says how many bytes are no line and what their hash is. The same line says what is missing
 * where the head names more than there is. Nothing that was written is changed.
 *
 * Files are begun anew by size, and the oldest go when there are too many; the chain goes on in the new
 * file, and a line "pruned" says up to where lines were removed, and the hash of the last of them.
 *
 * Whoever can write the directory can also make up a whole new journal. Against that helps only a hash that
 * is kept elsewhere: verify takes one (an anchor). docs/audit.md says what is found and what is not.
 *
 * Must never: change or remove a line but by pruning, start a line before the one before it is whole or
 * accounted for, or report an event as written that is not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "base-json-read.h"
#include "base-json-write.h"
#include "base-sha256.h"

enum journal_kind {
  JOURNAL_REQUESTED,
  JOURNAL_PLAN,
  JOURNAL_REFUSED,
  JOURNAL_STARTED,
  JOURNAL_POSTURE,
  JOURNAL_DENIAL,
  JOURNAL_LIMIT,
  JOURNAL_WAIVER,
  JOURNAL_ELEVATION,
  JOURNAL_ENDED,
  JOURNAL_JOINED, /* of an engine's container: another process in it, other limits for it */
  JOURNAL_UPDATED,
  JOURNAL_PROFILE_CHANGED,
  JOURNAL_REPAIRED, /* the journal's own: what a writer found that the one before it left */
  JOURNAL_PRUNED,
  JOURNAL_KIND_COUNT
};

const char *journal_kind_text (enum journal_kind kind);

/* NAME is one of the kinds; the words of --kind. */
extern const char *const journal_kind_names[JOURNAL_KIND_COUNT + 1];

/* ---- Writing. */

struct journal_options {
  const char *state;  /* the directory for what outlives runs; the journal is STATE/journal */
  uint64_t max_bytes; /* begin a new file beyond this */
  unsigned keep;      /* how many full files stay */
  bool sync;          /* durable events are on the disk when they are reported as written */
};

/* Fills the object of details. */
typedef void journal_details (struct json_writer *w, const void *data);

struct journal_event {
  enum journal_kind kind;
  const char *run; /* NULL: it belongs to none */
  journal_details *details;
  const void *data;
  bool durable; /* with all lines before it */
};

struct journal;

int journal_open (const struct journal_options *options, struct journal **ret_journal, struct error *err);

/* Waits no longer than so for another writer, where usually it is half a minute: for who has less time. */
void journal_hurry (struct journal *journal, unsigned seconds);

/* Adds the events, which stand together. All of them are written, or none. */
int journal_append (struct journal *journal, const struct journal_event *events, size_t count,
                    struct error *err);

/* Which digest the profile NAME had when it was last used; "" where it never was. DIGEST is what it has now,
 * and is remembered. */
#define JOURNAL_DIGEST_SIZE 80
int journal_swap_digest (struct journal *journal, const char *name, const char *digest,
                         char ret_before[JOURNAL_DIGEST_SIZE], struct error *err);

void journal_close (struct journal *journal);
DEFINE_CLEANUP (struct journal, journal_close)
#define cleanup_journal cleanup (journal_close_p)

/* ---- A line as text. Pure. */

struct journal_line {
  uint64_t seq;
  char *time; /* RFC 3339, UTC */
  char *run;  /* NULL: none */
  char *kind;
  struct json_node *tree;          /* the whole line */
  const struct json_node *details; /* in it */
  char prev[SHA256_HEX], hash[SHA256_HEX];
};

/* The hash before the first line of all. */
extern const char journal_no_hash[SHA256_HEX];

/* TEXT is without its newline. A line whose own hash is wrong is refused with -EBADMSG, anything else that is
 * not a line with -EINVAL. */
int journal_line_parse (const char *text, size_t len, struct journal_line *ret_line, struct error *err);

/* A line with its newline. TIME is in microseconds since 1970. */
int journal_line_write (const struct journal_event *event, uint64_t seq, uint64_t time,
                        const char prev[SHA256_HEX], char **ret_text, char ret_hash[SHA256_HEX],
                        struct error *err);

void journal_line_clear (struct journal_line *line);
#define cleanup_journal_line cleanup (journal_line_clear)

/* ---- Reading. Takes no lock, so nobody waits for a reader. */

struct journal_reader;

/* What stands between two newlines, or behind the last one. */
struct journal_piece {
  const char *text; /* valid until the next call */
  size_t len;       /* without the newline */
  bool ended;       /* there is a newline behind it */
  uint64_t file;    /* number of the file's first line, which names it */
  uint64_t line;    /* in the file, from 1 */
  uint64_t offset;  /* of its first byte in the file */
};

/* Starts with the first line that there is. No journal is one without lines. */
int journal_reader_open (const char *state, struct journal_reader **ret_reader, struct error *err);

/* Goes behind the last line. */
int journal_reader_skip (struct journal_reader *reader, struct error *err);

/* 1: *RET_PIECE is the next one; 0: there is none yet. What stands at the very end without a newline is
 * not given, since its writer may still be at it; journal_reader_rest tells how much that is. Pieces
 * are at most LIMIT_JOURNAL_LINE_BYTES long, and what is longer comes in several. */
int journal_reader_next (struct journal_reader *reader, struct journal_piece *ret_piece, struct error *err);
void journal_reader_rest (const struct journal_reader *reader, struct journal_piece *ret_piece);

/* A descriptor that becomes readable when something may have been added. */
int journal_reader_watch (struct journal_reader *reader, int *ret_fd, struct error *err);

void journal_reader_close (struct journal_reader *reader);
DEFINE_CLEANUP (struct journal_reader, journal_reader_close)
#define cleanup_journal_reader cleanup (journal_reader_close_p)

/* ---- Verifying. */

struct journal_verdict {
  uint64_t lines;              /* that were looked at and are good */
  uint64_t first, last;        /* their numbers; 0: none */
  char head[SHA256_HEX];       /* hash of the last one */
  char *bad;                   /* the first thing that is wrong; NULL: nothing is */
  uint64_t bad_file, bad_line; /* where: file by its number, line in it; 0: in no file */
  uint64_t mended;             /* how often a writer was killed in the middle of a line */
  uint64_t torn;               /* bytes at the end that are no line yet */
};

/* Looks at every line. ANCHOR_HASH is NULL, or what line ANCHOR_SEQ has to have. FROM: what is wrong before
 * this line was seen to already; 0 for the whole. */
int journal_verify (const char *state, uint64_t from, uint64_t anchor_seq, const char *anchor_hash,
                    struct journal_verdict *ret_verdict, struct error *err);

void journal_verdict_clear (struct journal_verdict *verdict);
#define cleanup_journal_verdict cleanup (journal_verdict_clear)
