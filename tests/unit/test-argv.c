/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Command lines of our own programs: every kind of word, and where reading stops. */
#include <config.h>

#include "base-argv.h"

#include "base-cleanup.h"
#include "unit.h"

static const struct argv_option options[] = { { "socket", true }, { "sock", false }, { "quiet", false } };

static struct argv_reader reader_of (char *const *argv)
{
  return (struct argv_reader){ .rest = argv, .options = options, .count = ARRAY_LEN (options) };
}

static void test_words (void **state)
{
  static const struct {
    const char *words[3];
    enum argv_kind kind;
    size_t option;
    const char *value;
    size_t used;
  } cases[] = {
    { { "--socket", "/x" }, ARGV_OPTION, 0, "/x", 2 },
    { { "--socket=/x", "y" }, ARGV_OPTION, 0, "/x", 1 },
    { { "--socket=", "y" }, ARGV_OPTION, 0, "", 1 },
    { { "--socket=--x=y" }, ARGV_OPTION, 0, "--x=y", 1 },
    { { "--socket", "-" }, ARGV_OPTION, 0, "-", 2 },
    { { "--socket" }, ARGV_NO_VALUE, 0, NULL, 1 },
    { { "--socket", "--quiet" }, ARGV_NO_VALUE, 0, NULL, 1 },
    { { "--socket", "--" }, ARGV_NO_VALUE, 0, NULL, 1 },
    { { "--sock", "/x" }, ARGV_OPTION, 1, NULL, 1 },
    { { "--quiet" }, ARGV_OPTION, 2, NULL, 1 },
    { { "--quiet=" }, ARGV_SURPLUS, 2, "", 1 },
    { { "--quiet=yes" }, ARGV_SURPLUS, 2, "yes", 1 },
    { { "--qui" }, ARGV_UNKNOWN, 0, NULL, 1 },
    { { "--quietly" }, ARGV_UNKNOWN, 0, NULL, 1 },
    { { "--=x" }, ARGV_UNKNOWN, 0, NULL, 1 },
    { { "-quiet" }, ARGV_UNKNOWN, 0, NULL, 1 },
    { { "-q", "x" }, ARGV_UNKNOWN, 0, NULL, 1 },
    { { "---" }, ARGV_UNKNOWN, 0, NULL, 1 },
    { { "-" }, ARGV_OPERAND, 0, NULL, 1 },
    { { "" }, ARGV_OPERAND, 0, NULL, 1 },
    { { "word", "--quiet" }, ARGV_OPERAND, 0, NULL, 1 },
    { { "--", "--quiet" }, ARGV_SEPARATOR, 0, NULL, 1 },
    { { NULL }, ARGV_END, 0, NULL, 0 },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (cases); i++) {
    char words[2][16], *argv[3] = { NULL };
    struct argv_reader reader = reader_of (argv);

    for (size_t w = 0; w < 2 && cases[i].words[w] != NULL; w++) {
      strcpy (words[w], cases[i].words[w]);
      argv[w] = words[w];
    }
    CHECK (argv_next (&reader) == cases[i].kind, "case %zu", i);
    CHECK (reader.option == cases[i].option, "case %zu: row %zu", i, reader.option);
    CHECK ((size_t) (reader.rest - argv) == cases[i].used, "case %zu: where it stops", i);
    CHECK (reader.word == argv[0], "case %zu: the word", i);
    CHECK (cases[i].value == NULL ? reader.value == NULL
                                  : reader.value != NULL && strcmp (reader.value, cases[i].value) == 0,
           "case %zu: value '%s'", i, reader.value ? reader.value : "(none)");
  }
}

static void test_whole_line (void **state)
{
  char line[7][16] = { "--quiet", "--socket", "/x", "one", "--sock", "--", "--quiet" };
  char *const argv[] = { line[0], line[1], line[2], line[3], line[4], line[5], line[6], NULL };
  const enum argv_kind expected[] = { ARGV_OPTION, ARGV_OPTION, ARGV_OPERAND, ARGV_OPTION, ARGV_SEPARATOR };
  struct argv_reader reader = reader_of (argv);

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (expected); i++)
    CHECK (argv_next (&reader) == expected[i], "word %zu", i);
  assert_ptr_equal (reader.rest, argv + 6);
}

int main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_words),
    cmocka_unit_test (test_whole_line),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
