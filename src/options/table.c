/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "options-table.h"

#include <stdlib.h>
#include <string.h>

#define GAP        2u
#define COLUMN_MIN 10u

void table_add_tone (struct table *table, const char *text, enum tone tone)
{
  cleanup_strbuf struct strbuf clean = { 0 };
  struct table_cell *cells = realloc (table->cells, (table->count + 1) * sizeof (*cells));
  struct table_cell cell = { .tone = tone };

  if (cells == NULL) {
    table->failed = true;
    return;
  }
  table->cells = cells;
  text_clean (&clean, text);
  cell.text = strbuf_take (&clean);
  table->failed = table->failed || cell.text == NULL;
  cells[table->count++] = cell;
}

void table_add (struct table *table, const char *text)
{
  table_add_tone (table, text, TONE_PLAIN);
}

static size_t longest_word (const char *text)
{
  size_t longest = 0;

  while (*text != '\0') {
    size_t len = strcspn (text, " ");
    size_t columns = text_columns (text, len);

    longest = columns > longest ? columns : longest;
    text += len;
    text += strspn (text, " ");
  }
  return longest;
}

/* For each column the widths of its longest cell and of its longest word. */
static void measure (const struct table *table, size_t widths[TABLE_COLUMNS], size_t words[TABLE_COLUMNS])
{
  for (size_t c = 0; c < table->columns; c++)
    widths[c] = words[c] = 0;
  for (size_t i = 0; i < table->count; i++) {
    const char *text = table->cells[i].text;
    size_t columns = text_columns (text, strlen (text)), word = longest_word (text);
    size_t c = table->columns > 0 ? i % table->columns : 0;

    widths[c] = columns > widths[c] ? columns : widths[c];
    words[c] = word > words[c] ? word : words[c];
  }
}

static unsigned gap_of (const struct table *table)
{
  return table->gap ? table->gap : GAP;
}

size_t table_width (const struct table *table)
{
  size_t widths[TABLE_COLUMNS], words[TABLE_COLUMNS];
  size_t total = gap_of (table) * (table->columns - 1);

  if (table->failed)
    return 0;
  measure (table, widths, words);
  for (size_t c = 0; c < table->columns; c++)
    total += widths[c];
  return total;
}

/* Narrows the widest column that is above its floor, again and again, until OVER characters are saved.
 * Returns how many could not be saved. */
static size_t shrink (size_t widths[TABLE_COLUMNS], const size_t floors[TABLE_COLUMNS], size_t columns,
                      size_t over)
{
  for (; over > 0; over--) {
    size_t widest = columns;

    for (size_t c = 0; c < columns; c++)
      if (widths[c] > floors[c] && (widest == columns || widths[c] > widths[widest]))
        widest = c;
    if (widest == columns)
      return over;
    widths[widest]--;
  }
  return 0;
}

/* Breaks text between words first, and inside words only if the table is still too wide. */
static void fit (const struct table *table, size_t widths[TABLE_COLUMNS], size_t width)
{
  size_t words[TABLE_COLUMNS], floors[TABLE_COLUMNS];
  size_t total = table_width (table);

  measure (table, widths, words);
  for (size_t c = 0; c < table->columns; c++)
    floors[c] = (table->keep & (1u << c)) != 0 ? words[c] : COLUMN_MIN;
  if (total > width)
    shrink (widths, floors, table->columns, shrink (widths, words, table->columns, total - width));
}

/* How many bytes of TEXT go on a line of WIDTH columns: up to a blank, else up to a punctuation character,
 * else all that fit. */
static size_t line_length (const char *text, size_t width)
{
  size_t len = strlen (text), space = 0, sign = 0, columns = 0, at = 0;

  if (text_columns (text, len) <= width)
    return len;
  while (at < len) {
    if (text[at] == ' ')
      space = at;
    if (columns == width)
      break;
    columns++;
    if (strchr (",./:_-", text[at++]) != NULL)
      sign = at;
    while (at < len && ((unsigned char) text[at] & 0xc0) == 0x80)
      at++;
  }
  if (space > 0)
    return space;
  return sign > 0 ? sign : at;
}

/* Prints one line of a row. REST is the text of each cell that is left, and is advanced. */
static bool print_line (const struct table *table, const struct table_cell *cells,
                        const char *rest[TABLE_COLUMNS], const size_t widths[TABLE_COLUMNS],
                        struct output *output)
{
  size_t owed = 0; /* blanks, written only if text follows */
  bool more = false;

  for (size_t c = 0; c < table->columns; c++) {
    size_t len = line_length (rest[c], widths[c]);

    if (len > 0) {
      strbuf_addf (&output->out, "%*s", (int) owed, "");
      text_tone (&output->out, rest[c], len, cells[c].tone, output->colour);
      owed = 0;
    }
    owed += widths[c] + gap_of (table) - text_columns (rest[c], len);
    rest[c] += len;
    rest[c] += strspn (rest[c], " ");
    more = more || rest[c][0] != '\0';
  }
  strbuf_add (&output->out, "\n");
  return more;
}

int table_print (const struct table *table, struct output *output, struct error *err)
{
  size_t widths[TABLE_COLUMNS];

  if (table->failed)
    return error_oom (err);
  fit (table, widths, output->width);
  for (size_t i = 0; i + table->columns <= table->count; i += table->columns) {
    const char *rest[TABLE_COLUMNS];

    for (size_t c = 0; c < table->columns; c++)
      rest[c] = table->cells[i + c].text;
    while (print_line (table, &table->cells[i], rest, widths, output))
      ;
  }
  return 0;
}

void table_clear (struct table *table)
{
  for (size_t i = 0; i < table->count; i++)
    free (table->cells[i].text);
  free (table->cells);
  *table = (struct table){ 0 };
}
