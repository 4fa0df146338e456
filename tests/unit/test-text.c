/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What comes from inside a run on its way to a terminal. */
#include <config.h>

#include "options-output.h"

#include <string.h>

#include "base-cleanup.h"
#include "unit.h"

static void test_clean (void **state)
{
  static const struct {
    const char *text, *line, *lines;
  } rows[] = {
    { "", "", "" },
    { "plain", "plain", "plain" },
    { "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
    { "a\nb", "a\\x0ab", "a\nb" },
    { "\033[31mred\a", "\\x1b[31mred\\x07", "\\x1b[31mred\\x07" },
    { "a\r\tb\x7f\n", "a\\x0d\\x09b\\x7f\\x0a", "a\\x0d\\x09b\\x7f\n" },
    { "\xc2\x9b"
      "31m",
      "\\xc2\\x9b31m", "\\xc2\\x9b31m" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_strbuf struct strbuf line = { 0 }, lines = { 0 };

    strbuf_add (&line, "");
    strbuf_add (&lines, "");
    text_clean (&line, rows[i].text);
    text_clean_lines (&lines, rows[i].text);
    CHECK (strcmp (line.text, rows[i].line) == 0, "row %zu is '%s'", i, line.text);
    CHECK (strcmp (lines.text, rows[i].lines) == 0, "row %zu in lines is '%s'", i, lines.text);
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_clean),
};

UNIT_MAIN (cases)
