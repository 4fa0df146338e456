/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The audit journal: one line for each event, hash-chained so that changes are detected.
 *
 * A directory holds files of JSON lines, each file named after the number of its first line; the one with the
 * highest number is current. A line has its number, the time, the run, the kind of event, an object of
 * details, the hash of the line before it, and the hash of its own text up to that point. An edited line does
 * not match its own hash; a dropped, added or moved line does not match the next one. The head, a small file
 * that names the last line, reveals lines that were cut off at the end.
 *
 * Writers take turns by a lock, and each writes its lines with one call. A killed writer leaves whole lines,
 * which the next one accepts, or part of a line, which stays in the file: the next line, "repaired", records
 * the number of these bytes and their hash. The same line records lines that the head names and that are
 * missing. Nothing that was written is changed.
 *
 * A file that is full is followed by a new one, in which the chain continues. The oldest files are removed
 * when there are too many; a line "pruned" records the number and hash of the last removed line.
 *
 * A process that can write the directory can also forge a whole new journal. Only a hash that is stored
 * elsewhere detects that: verify takes one (an anchor). docs/audit.md lists what is detected and what is not.
 *
 * Must never: change or remove a line except by pruning, start a line before the previous one is complete or
 * recorded as damaged, or report an event as written that is not.
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
  JOURNAL_JOINED, /* an engine's container: another process joined; its limits were updated */
  JOURNAL_UPDATED,
  JOURNAL_PROFILE_CHANGED,
  JOURNAL_REPAIRED, /* of the journal itself: damage that a writer found */
  JOURNAL_PRUNED,
  JOURNAL_KIND_COUNT
};

const char *journal_kind_text (enum journal_kind kind);

/* The values of --kind; NULL-terminated. */
extern const char *const journal_kind_names[JOURNAL_KIND_COUNT + 1];

/* ---- Writing. */

struct journal_options {
  const char *state;  /* the directory of persistent state; the journal is STATE/journal */
  uint64_t max_bytes; /* a file of this size is followed by a new one */
  unsigned keep;      /* how many full files are kept */
  bool sync;          /* durable events are on disk when journal_append returns */
};

/* Fills the object of details. */
typedef void journal_details (struct json_writer *w, const void *data);

struct journal_event {
  enum journal_kind kind;
  const char *run; /* NULL: none */
  journal_details *details;
  const void *data;
  bool durable; /* sync it, with all lines before it */
};

struct journal;

int journal_open (const struct journal_options *options, struct journal **ret_journal, struct error *err);

/* Sets how long to wait for another writer; the default is 30 seconds. */
void journal_hurry (struct journal *journal, unsigned seconds);

/* Adds consecutive lines for the events. All of them are written, or none. */
int journal_append (struct journal *journal, const struct journal_event *events, size_t count,
                    struct error *err);

/* Returns the digest that profile NAME had at its last use ("": never used), and stores DIGEST as the new
 * one. */
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

/* The "prev" of line 1. */
extern const char journal_no_hash[SHA256_HEX];

/* TEXT is without its newline. -EBADMSG: the hash of the line is wrong; -EINVAL: malformed. */
int journal_line_parse (const char *text, size_t len, struct journal_line *ret_line, struct error *err);

/* A line with its newline. TIME is in microseconds since 1970. */
int journal_line_write (const struct journal_event *event, uint64_t seq, uint64_t time,
                        const char prev[SHA256_HEX], char **ret_text, char ret_hash[SHA256_HEX],
                        struct error *err);

void journal_line_clear (struct journal_line *line);
#define cleanup_journal_line cleanup (journal_line_clear)

/* ---- Reading. Takes no lock, so no writer waits for a reader. */

struct journal_reader;

/* The text between two newlines, or after the last one. */
struct journal_piece {
  const char *text; /* valid until the next call */
  size_t len;       /* without the newline */
  bool ended;       /* a newline follows */
  uint64_t file;    /* number of the file's first line, which names it */
  uint64_t line;    /* in the file, from 1 */
  uint64_t offset;  /* of its first byte in the file */
};

/* Starts at the first line. A missing journal is read as an empty one. */
int journal_reader_open (const char *state, struct journal_reader **ret_reader, struct error *err);

/* Skips to the end. */
int journal_reader_skip (struct journal_reader *reader, struct error *err);

/* 1: *RET_PIECE is the next one; 0: there is none yet. Text at the very end without a newline is not
 * returned, because its writer may still be writing; journal_reader_rest returns it. A piece has at most
 * LIMIT_JOURNAL_LINE_BYTES; longer ones are split. */
int journal_reader_next (struct journal_reader *reader, struct journal_piece *ret_piece, struct error *err);
void journal_reader_rest (const struct journal_reader *reader, struct journal_piece *ret_piece);

/* A descriptor that becomes readable when lines may have been added. */
int journal_reader_watch (struct journal_reader *reader, int *ret_fd, struct error *err);

void journal_reader_close (struct journal_reader *reader);
DEFINE_CLEANUP (struct journal_reader, journal_reader_close)
#define cleanup_journal_reader cleanup (journal_reader_close_p)

/* ---- Time, as every line has it. */

/* Microseconds since 1970. */
uint64_t journal_now (void);

#define JOURNAL_TIME 32

/* RFC 3339. */
void journal_time_text (uint64_t time, char text[JOURNAL_TIME]);

/* ---- Verifying. */

struct journal_verdict {
  uint64_t lines;              /* number of good lines */
  uint64_t first, last;        /* their numbers; 0: none */
  char head[SHA256_HEX];       /* hash of the last one */
  char *bad;                   /* the first finding; NULL: none */
  uint64_t bad_file, bad_line; /* its file by number, and line in it; 0: in no file */
  uint64_t repaired;           /* how often a writer was killed in the middle of a line */
  uint64_t torn;               /* bytes at the end that are not a complete line */
};

/* Checks every line. ANCHOR_HASH is NULL, or the hash that line ANCHOR_SEQ must have. FROM: findings before
 * this line are ignored; 0: none are. */
int journal_verify (const char *state, uint64_t from, uint64_t anchor_seq, const char *anchor_hash,
                    struct journal_verdict *ret_verdict, struct error *err);

void journal_verdict_clear (struct journal_verdict *verdict);
#define cleanup_journal_verdict cleanup (journal_verdict_clear)
