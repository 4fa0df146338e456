/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a verb has to say, collected before any of it is written.
 *
 * A verb fills OUT, which goes to standard output, and NOTES, our own words for standard error; main writes
 * both. So a verb that fails halfway prints nothing half, and a test can call it like any function. Text that
 * comes from outside (arguments, profiles, file names) passes through text_clean on its way to a terminal,
 * which would otherwise obey what is in it.
 */
#pragma once

#include <stdbool.h>

#include "base-str.h"

struct output {
  struct strbuf out;
  struct strbuf notes;
  unsigned width; /* columns to fill */
  bool colour;
  int status; /* the exit status of a verb that worked: profile lint that found an error gives 1 */

  /* Writes what there is so far and empties it, for a verb that goes on for long; NULL: nobody listens. */
  int (*flush) (struct output *output);
};

void output_clear (struct output *output);
#define cleanup_output cleanup (output_clear)

/* Columns where standard output is no terminal. */
#define OUTPUT_WIDTH 110u

/* Adds "tyrum-oci: note: TEXT" to the notes. */
void output_note (struct output *output, const char *text);

/* Adds TEXT with every control character written as \xNN; what is left is one line. */
void text_clean (struct strbuf *buf, const char *text);
/* The same, with lines left as they are. */
void text_clean_lines (struct strbuf *buf, const char *text);

/* Adds TEXT in lines of at most WIDTH columns, broken between words. Every line but the first is indented by
 * INDENT; the first one starts at column AT. Ends with a newline. Paragraphs are separated by "\n\n". */
void text_wrap (struct strbuf *buf, const char *text, unsigned at, unsigned indent, unsigned width);

/* Columns that TEXT takes: characters, not bytes. */
size_t text_columns (const char *text, size_t len);

enum tone { TONE_PLAIN, TONE_BOLD, TONE_GOOD, TONE_WARN, TONE_BAD };

/* Adds TEXT as it is, in a tone where COLOUR says so. */
void text_tone (struct strbuf *buf, const char *text, size_t len, enum tone tone, bool colour);

/* Why a command could not be executed, as a shell says it: this is no note, but why the exit status is what
 * it is. */
void output_not_executed (struct output *output, const char *command, int errnum);
