/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The output of a verb, collected before it is written.
 *
 * A verb fills OUT, for standard output, and NOTES, for standard error; main writes both. So a verb that
 * fails prints no partial output, and tests can call it. Text from outside (arguments, profiles, file names)
 * passes through text_clean, which removes control sequences for terminals.
 */
#pragma once

#include <stdbool.h>

#include "base-str.h"

struct output {
  struct strbuf out;
  struct strbuf notes;
  unsigned width; /* in columns */
  bool colour;
  int status; /* the exit status of a verb that succeeded: 1 for profile lint that found an error */

  /* Writes and empties both buffers, for a verb that takes long; NULL: not possible. */
  int (*flush) (struct output *output);
};

void output_clear (struct output *output);
#define cleanup_output cleanup (output_clear)

/* Columns if standard output is no terminal. */
#define OUTPUT_WIDTH 110u

/* Adds "tyrum-oci: note: TEXT" to the notes. */
void output_note (struct output *output, const char *text);

/* Adds TEXT as one line, with every control character written as \xNN. */
void text_clean (struct strbuf *buf, const char *text);
/* The same, but newlines are kept. */
void text_clean_lines (struct strbuf *buf, const char *text);

/* Adds TEXT in lines of at most WIDTH columns, broken between words. Every line but the first is indented by
 * INDENT; the first one starts at column AT. Ends with a newline. Paragraphs are separated by "\n\n". */
void text_wrap (struct strbuf *buf, const char *text, unsigned at, unsigned indent, unsigned width);

/* The width of TEXT: characters, not bytes. */
size_t text_columns (const char *text, size_t len);

enum tone { TONE_PLAIN, TONE_BOLD, TONE_GOOD, TONE_WARN, TONE_BAD };

/* Adds TEXT unchanged, with escape sequences for TONE if COLOUR. */
void text_tone (struct strbuf *buf, const char *text, size_t len, enum tone tone, bool colour);

/* Adds why a command could not be executed, in a shell's format. It is not a note: it explains the exit
 * status. */
void output_not_executed (struct output *output, const char *command, int errnum);
