/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Seccomp lists: what can be written, and what is refused, with its place. */
#include <config.h>

#include "profile-seccomp.h"

#include <errno.h>

#include "base-str.h"
#include "seccomp-case.h"

/* Every form that a list can have. Each refusal below changes one thing in it. */
static const char sample[] =
    "// a list\n"
    "{ \"version\": 1, \"name\": \"mine\", \"meaning\": \"A few calls.\",\n"
    "  \"unknown\": \"ENOSYS\",\n"
    "  \"allow\": { \"files\": [\"read\", \"write\"], /* group */ \"none\": [] },\n"
    "  \"when\": {\n"
    "    \"socket\": { \"allow\": [\n"
    "      [{ \"argument\": 0, \"in\": [1, \"AF_INET\", \"0xa\"] }],\n"
    "      [{ \"argument\": 2, \"not_in\": [\"0xffffffff\"] }, { \"argument\": 0, \"in\": [16] }]\n"
    "    ], \"else\": \"EAFNOSUPPORT\" },\n"
    "    \"clone\": { \"else\": \"EPERM\",\n"
    "      \"allow\": [[{ \"argument\": 0, \"clear\": [\"CLONE_NEWNS\", \"CLONE_NEWUSER\"] }]] } },\n"
    "  \"deny\": { \"EPERM\": [\"mount\",\n"
    "    \"keyctl\"], \"ENOSYS\": [\"clone3\"] } }\n";

/* TEXT with the first WHAT replaced; TEXT itself where WHAT is NULL. */
static char *replaced (const char *text, const char *what, const char *with)
{
  const char *at = what ? strstr (text, what) : text + strlen (text);
  char *made;

  CHECK (at != NULL, "'%s' is not in the sample", what);
  made = str_format ("%.*s%s%s", (int) (at - text), text, what ? with : "", what ? at + strlen (what) : "");
  assert_non_null (made);
  return made;
}

static void test_sample (void **state)
{
  cleanup_seccomp_list struct seccomp_list *list = text_list (sample);

  (void) state;
  assert_string_equal (list->name, "mine");
  assert_string_equal (list->meaning, "A few calls.");
  assert_string_equal (list->file, "list.json");
  assert_int_equal (list->unknown_errnum, ENOSYS);
  assert_int_equal (list->rule_count, 5);
  assert_string_equal (list->rules[0].name, "read");
  assert_int_equal (list->rules[0].test_count, 0);
  assert_int_equal (list->rules[0].line, 4);
  assert_string_equal (list->rules[1].name, "write");
}

static void test_sample_conditions (void **state)
{
  cleanup_seccomp_list struct seccomp_list *list = text_list (sample);
  const struct seccomp_rule *rules = list->rules;

  (void) state;
  assert_string_equal (rules[2].name, "socket");
  assert_int_equal (rules[2].line, 7);
  assert_int_equal (rules[2].test_count, 1);
  assert_int_equal (rules[2].tests[0].argument, 0);
  assert_int_equal (rules[2].tests[0].compare, SECCOMP_IN);
  assert_int_equal (rules[2].tests[0].count, 3);
  assert_int_equal (rules[2].tests[0].values[0], 1);
  assert_int_equal (rules[2].tests[0].values[1], 2);
  assert_int_equal (rules[2].tests[0].values[2], 10);
  assert_string_equal (rules[3].name, "socket");
  assert_int_equal (rules[3].test_count, 2);
  assert_int_equal (rules[3].tests[0].argument, 2);
  assert_int_equal (rules[3].tests[0].compare, SECCOMP_NOT_IN);
  assert_int_equal (rules[3].tests[0].values[0], UINT32_MAX);
  assert_string_equal (rules[4].name, "clone");
  assert_int_equal (rules[4].tests[0].compare, SECCOMP_CLEAR);
  assert_int_equal (rules[4].tests[0].count, 1);
  assert_int_equal (rules[4].tests[0].values[0], 0x10020000);
}

/* A denial later names the line, so each entry keeps its own. */
static void test_sample_denies (void **state)
{
  static const struct {
    const char *name;
    int errnum;
    unsigned line;
  } rows[] = {
    { "socket", EAFNOSUPPORT, 6 }, { "clone", EPERM, 10 },   { "mount", EPERM, 12 },
    { "keyctl", EPERM, 13 },       { "clone3", ENOSYS, 13 },
  };
  cleanup_seccomp_list struct seccomp_list *list = text_list (sample);

  (void) state;
  assert_int_equal (list->deny_count, ARRAY_LEN (rows));
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    assert_string_equal (list->denies[i].name, rows[i].name);
    assert_int_equal (list->denies[i].errnum, rows[i].errnum);
    assert_int_equal (list->denies[i].line, rows[i].line);
  }
}

static const struct {
  const char *what, *with, *message;
} refusals[] = {
  /* The document. */
  { "\"version\": 1", "\"version\": 2",
    "list.json:2:14: version: version 2 is not supported; this program reads version 1" },
  { "\"version\": 1, ", "", "list.json:2:1: key 'version' is missing" },
  { "\"name\": \"mine\", ", "", "list.json:2:1: key 'name' is missing" },
  { "\"meaning\": \"A few calls.\",", "", "list.json:2:1: key 'meaning' is missing" },
  { "\"unknown\": \"ENOSYS\",", "", "list.json:2:1: key 'unknown' is missing" },
  { "\"allow\": { \"files\": [\"read\", \"write\"], /* group */ \"none\": [] },", "",
    "list.json:2:1: key 'allow' is missing" },
  { "\"unknown\"", "\"unknwon\"", "list.json:3:3: unknown key 'unknwon', did you mean 'unknown'?" },
  { "\"unknown\": \"ENOSYS\"", "\"unknown\": 38",
    "list.json:3:14: unknown: expected a string, found a number" },
  { "\"unknown\": \"ENOSYS\"", "\"unknown\": \"ENOSYSS\"",
    "list.json:3:14: unknown: 'ENOSYSS' is not the name of an error, such as EPERM or ENOSYS; did you mean "
    "'ENOSYS'?" },
  { "\"mine\"", "\"My list\"",
    "list.json:2:25: name: 'My list' is not a name of lower-case letters, digits, '-' and '_'" },
  { "\"mine\"", "\"\"", "list.json:2:25: name: '' is not a name of lower-case letters, digits, '-' and '_'" },
  { "// a list", "[", "list.json:14:1: premature EOF" },
  /* Names. */
  { "\"read\"", "\"READ\"", "list.json:4:24: allow.files[0]: 'READ' is not the name of a system call" },
  { "\"read\"", "\"\"", "list.json:4:24: allow.files[0]: '' is not the name of a system call" },
  { "\"read\"", "7", "list.json:4:24: allow.files[0]: expected a string, found a number" },
  { "[\"read\", \"write\"]", "\"read\"", "list.json:4:23: allow.files: expected an array, found a string" },
  { "\"write\"", "\"read\"", "list.json:4:32: 'read' is named again (first on line 4)" },
  { "\"keyctl\"", "\"write\"", "list.json:13:5: 'write' is named again (first on line 4)" },
  { "\"keyctl\"", "\"socket\"", "list.json:13:5: 'socket' is named again (first on line 6)" },
  { "\"clone\"", "\"write\"", "list.json:10:5: 'write' is named again (first on line 4)" },
  { "\"clone\"", "\"socket\"", "list.json:10:5: key 'socket' is repeated (first on line 6)" },
  { "\"clone\"", "\"Clone\"", "list.json:10:14: when.Clone: 'Clone' is not the name of a system call" },
  /* Conditions. */
  { "\"else\": \"EPERM\",", "", "list.json:10:14: when.clone: key 'else' is missing" },
  { "\"else\": \"EPERM\"", "\"else\": \"EPREM\"",
    "list.json:10:24: when.clone.else: 'EPREM' is not the name of an error, such as EPERM or ENOSYS; did "
    "you "
    "mean 'EPERM'?" },
  { "\"else\": \"EPERM\",", "\"otherwise\": \"EPERM\",",
    "list.json:10:16: when.clone: unknown key 'otherwise'" },
  { "[[{ \"argument\": 0, \"clear\": [\"CLONE_NEWNS\", \"CLONE_NEWUSER\"] }]]", "[]",
    "list.json:10:14: when.clone: no condition allows the call; name 'clone' under 'deny'" },
  { "[[{ \"argument\": 0, \"clear\": [\"CLONE_NEWNS\", \"CLONE_NEWUSER\"] }]]", "[[]]",
    "list.json:11:17: when.clone.allow[0]: no test, so 'clone' would always be allowed; name it under "
    "'allow'" },
  { "\"argument\": 2, ", "", "list.json:8:8: when.socket.allow[1][0]: key 'argument' is missing" },
  { "\"argument\": 2", "\"argument\": 6",
    "list.json:8:22: when.socket.allow[1][0].argument: '6' is not a number from 0 to 5" },
  { "\"argument\": 2", "\"argument\": 0",
    "list.json:8:53: when.socket.allow[1][1]: argument 0 is tested twice; one test can name several values" },
  { ", \"not_in\": [\"0xffffffff\"]", "",
    "list.json:8:8: when.socket.allow[1][0]: one of the keys 'in', 'not_in' and 'clear' is missing" },
  { "\"not_in\"", "\"in\": [1], \"not_in\"",
    "list.json:8:46: when.socket.allow[1][0].not_in: a test has exactly one of 'in', 'not_in' and 'clear'" },
  { "\"not_in\"", "\"notin\"",
    "list.json:8:25: when.socket.allow[1][0]: unknown key 'notin', did you mean 'not_in'?" },
  { "[\"0xffffffff\"]", "[]",
    "list.json:8:35: when.socket.allow[1][0].not_in: 0 values; from 1 to 64 are allowed" },
  { "[\"CLONE_NEWNS\", \"CLONE_NEWUSER\"]", "[0, \"AF_UNSPEC\"]",
    "list.json:11:48: when.clone.allow[0][0].clear[1]: 'AF_UNSPEC' is not a known constant; use a number "
    "such as \"0x5412\"" },
  { "\"CLONE_NEWUSER\"", "\"CLONE_NEWUSR\"",
    "list.json:11:60: when.clone.allow[0][0].clear[1]: 'CLONE_NEWUSR' is not a known constant; use a "
    "number such as \"0x5412\"; did you mean 'CLONE_NEWUSER'?" },
  { "[\"CLONE_NEWNS\", \"CLONE_NEWUSER\"]", "[0]",
    "list.json:11:44: when.clone.allow[0][0].clear: names no bit, so the test would always hold" },
  { "\"0xffffffff\"", "\"0x100000000\"",
    "list.json:8:36: when.socket.allow[1][0].not_in[0]: '0x100000000' is not a number of up to eight digits "
    "0-9 "
    "and a-f" },
  { "\"0xffffffff\"", "\"0xFF\"",
    "list.json:8:36: when.socket.allow[1][0].not_in[0]: '0xFF' is not a number of up to eight digits 0-9 "
    "and "
    "a-f" },
  { "\"0xffffffff\"", "4294967296",
    "list.json:8:36: when.socket.allow[1][0].not_in[0]: '4294967296' is not a whole number from 0 to "
    "4294967295" },
  { "\"0xffffffff\"", "-1",
    "list.json:8:36: when.socket.allow[1][0].not_in[0]: '-1' is not a whole number from 0 to 4294967295" },
  { "\"0xffffffff\"", "true",
    "list.json:8:36: when.socket.allow[1][0].not_in[0]: expected a number or the name of a constant, found "
    "true "
    "or false" },
  /* Denials. */
  { "\"EPERM\": [\"mount\"", "\"EPREM\": [\"mount\"",
    "list.json:12:22: deny.EPREM: 'EPREM' is not the name of an error, such as EPERM or ENOSYS; did you "
    "mean "
    "'EPERM'?" },
  { "\"EPERM\": [\"mount\"", "\"EPERM\": [\"mo unt\"",
    "list.json:12:23: deny.EPERM[0]: 'mo unt' is not the name of a system call" },
  { "\"clone3\"", "null", "list.json:13:27: deny.ENOSYS[0]: expected a string, found null" },
};

static void test_refusals (void **state)
{
  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (refusals); i++) {
    cleanup_error struct error err = { 0 };
    cleanup_free char *text = replaced (sample, refusals[i].what, refusals[i].with);
    struct seccomp_list *list = NULL;
    int r = seccomp_list_parse ("list.json", text, strlen (text), &list, &err);

    CHECK (r == -EINVAL && list == NULL, "row %zu, '%s', is not refused", i, refusals[i].with);
    assert_string_equal (error_text (&err), refusals[i].message);
  }
}

/* COUNT times ITEM with commas, where a limit is at COUNT. */
static char *many (const char *before, const char *item, size_t count, const char *after)
{
  cleanup_strbuf struct strbuf buf = { 0 };

  strbuf_add (&buf, before);
  for (size_t i = 0; i < count; i++)
    strbuf_addf (&buf, "%s%s", i ? "," : "", item);
  strbuf_add (&buf, after);
  return strbuf_take (&buf);
}

static void check_limit (const char *what, const char *before, const char *item, size_t limit,
                         const char *after, const char *message)
{
  for (size_t over = 0; over < 2; over++) {
    cleanup_error struct error err = { 0 };
    cleanup_free char *with = many (before, item, limit + over, after);
    cleanup_free char *text = replaced (sample, what, with);
    cleanup_seccomp_list struct seccomp_list *list = NULL;
    int r = seccomp_list_parse ("list.json", text, strlen (text), &list, &err);

    CHECK (r == (over ? -EINVAL : 0), "%s: %zu gives %d: %s", what, limit + over, r, error_text (&err));
    if (over)
      assert_string_equal (error_text (&err), message);
  }
}

static void test_limits (void **state)
{
  (void) state;
  check_limit ("[\"0xffffffff\"]", "[", "1", SECCOMP_VALUES_MAX, "]",
               "list.json:8:35: when.socket.allow[1][0].not_in: 65 values; from 1 to 64 are allowed");
  check_limit ("[[{ \"argument\": 0, \"clear\": [\"CLONE_NEWNS\", \"CLONE_NEWUSER\"] }]]", "[",
               "[{\"argument\": 0, \"in\": [1]}]", SECCOMP_WAYS_MAX, "]",
               "list.json:11:16: when.clone.allow: more than 32 entries");
}

static void test_long_name (void **state)
{
  char name[LIMIT_NAME_BYTES + 4] = "\"";

  (void) state;
  for (size_t over = 0; over < 2; over++) {
    cleanup_error struct error err = { 0 };
    cleanup_seccomp_list struct seccomp_list *list = NULL;
    cleanup_free char *text = NULL;
    size_t len = LIMIT_NAME_BYTES + over;

    memset (name + 1, 'a', len);
    memcpy (name + 1 + len, "\"", 2);
    text = replaced (sample, "\"read\"", name);
    assert_int_equal (seccomp_list_parse ("list.json", text, strlen (text), &list, &err), over ? -EINVAL : 0);
  }
}

/* An unset "when" and "deny" are the rule for simple lists. */
static void test_shortest (void **state)
{
  cleanup_seccomp_list struct seccomp_list *list = text_list (
      "{\"version\":1,\"name\":\"a\",\"meaning\":\"\",\"unknown\":\"EPERM\",\"allow\":{\"x\":[\"exit\"]}}");

  (void) state;
  assert_int_equal (list->unknown_errnum, EPERM);
  assert_int_equal (list->rule_count, 1);
  assert_int_equal (list->deny_count, 0);
}

static void test_shipped (void **state)
{
  static const char *const names[] = { "default", "strict" };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    cleanup_seccomp_list struct seccomp_list *list = shipped_list (names[i]);

    assert_string_equal (list->name, names[i]);
    assert_int_equal (list->unknown_errnum, ENOSYS);
    CHECK (list->meaning[0] != '\0', "'%s' has no meaning", names[i]);
    for (size_t n = 0; n < list->deny_count; n++)
      CHECK (list->denies[n].line > 1, "'%s' has lost its line", list->denies[n].name);
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_sample),        cmocka_unit_test (test_sample_conditions),
  cmocka_unit_test (test_sample_denies), cmocka_unit_test (test_refusals),
  cmocka_unit_test (test_limits),        cmocka_unit_test (test_long_name),
  cmocka_unit_test (test_shortest),      cmocka_unit_test (test_shipped),
};

UNIT_MAIN (cases)
