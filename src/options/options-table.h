/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text tables: aligned columns that fit the width, with wrapped cells.
 *
 * Cells are added row by row; the first row is the heading. If the table is too wide, the widest columns are
 * narrowed first, by breaking text between words; if that is not enough, inside words, except in columns in
 * KEEP. Cell text may come from outside: it is cleaned here (text_clean).
 */
#pragma once

#include "base-error.h"
#include "options-output.h"

#define TABLE_COLUMNS 17

struct table_cell {
  char *text;
  enum tone tone;
};

struct table {
  size_t columns; /* at most TABLE_COLUMNS */
  unsigned gap;   /* blanks between columns; 0 means two */
  unsigned keep;  /* bit per column: its words are never broken */
  struct table_cell *cells;
  size_t count;
  bool failed; /* sticky; table_print reports it */
};

void table_add (struct table *table, const char *text);
void table_add_tone (struct table *table, const char *text, enum tone tone);

/* The width of the table without wrapping. */
size_t table_width (const struct table *table);

/* Adds the lines to OUTPUT's standard output. */
int table_print (const struct table *table, struct output *output, struct error *err);

void table_clear (struct table *table);
#define cleanup_table cleanup (table_clear)
