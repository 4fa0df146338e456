/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of Tyrum's, where data cases cannot look: paths by name, base64, and answers. */
#include <config.h>

#include "toolrunner-step.h"

#include <errno.h>

#include "base-base64.h"
#include "toolrunner-step-result.h"
#include "unit.h"

static void test_paths (void **state)
{
  static const struct {
    const char *path, *normal;
  } rows[] = {
    { "", "" },           { ".", "" },        { "./", "" },         { "a", "a" },      { "a/", "a" },
    { "a//b", "a/b" },    { "a/./b", "a/b" }, { "a/../b", "b" },    { "a/b/..", "a" }, { "a/..", "" },
    { "..foo", "..foo" }, { "...", "..." },   { "a/..b", "a/..b" }, { "..", NULL },    { "a/../..", NULL },
    { "../a", NULL },     { "/", "/" },       { "/a/../b", "/b" },  { "/..", NULL },   { "//a", "/a" },
    { "/a/..", "/" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *normal = NULL;

    assert_int_equal (step_normal_path (rows[i].path, &normal), rows[i].normal ? 0 : -EPERM);
    CHECK (str_equal (normal, rows[i].normal), "'%s' became '%s'", rows[i].path,
           normal ? normal : "(nothing)");
  }
}

static void test_base64 (void **state)
{
  static const struct {
    const char *text, *bytes; /* NULL: refused */
  } rows[] = {
    { "", "" },
    { "Zg==", "f" },
    { "Zg", "f" },
    { "Zm8=", "fo" },
    { "Zm8", "fo" },
    { "Zm9v", "foo" },
    { "Zm9vYg==", "foob" },
    { "Zm9vYmE=", "fooba" },
    { "Zm9vYmFy", "foobar" },
    { "-_-_", "\xfb\xff\xbf" },
    { "+/+/", "\xfb\xff\xbf" },
    { "Z", NULL },
    { "Zg=", NULL },
    { "Zg===", NULL },
    { "=", NULL },
    { "Zm9v=", NULL },
    { "Zh", NULL },
    { "Zm9", NULL },
    { "Zm 9v", NULL },
    { "Zm9v\n", NULL },
    { "Zm=9", NULL },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *bytes = NULL;
    cleanup_error struct error err = { 0 };
    size_t len = 0;
    int r = base64_parse (rows[i].text, &bytes, &len, &err);

    CHECK ((r == 0) == (rows[i].bytes != NULL), "'%s': %s", rows[i].text, error_text (&err));
    if (r == 0) {
      assert_int_equal (len, strlen (rows[i].bytes));
      assert_memory_equal (bytes, rows[i].bytes, len + 1);
    }
  }
}

static void test_denials (void **state)
{
  static const char sandbox[] =
      "{\"denials\":[{\"control\":\"process.seccomp\",\"what\":\"syscall "
      "keyctl\",\"confidence\":\"observed\"},{\"what\":\"b\"},"
      "{\"control\":\"c\",\"what\":\"d\",\"confidence\":\"inferred\"},{\"what\":\"e\"},{\"what\":\"f\"}]}";
  static const char expected[] = "\"error\":\"exit code 1; denied by the sandbox: syscall keyctl "
                                 "(process.seccomp), b, d (c, inferred) and 2 more\"";
  const struct run_result result = { .reason = RUN_EXITED, .code = 1 };
  const struct answer_output said = { .text = { "", "" } };
  cleanup_error struct error err = { 0 };
  cleanup_free char *line = NULL;

  (void) state;
  CHECK (answer_command (&result, NULL, 1, &said, sandbox, &line, &err) == 0, "%s", error_text (&err));
  CHECK (strstr (line, expected) != NULL, "%s", line);
  CHECK (strstr (line, "\"cost\":{\"duration_ms\":0,\"metadata\":{\"sandbox\":{\"denials\":[{") != NULL, "%s",
         line);
}

static void test_runner (void **state)
{
  static const struct {
    const char *line, *answer; /* NULL: refused */
  } rows[] = {
    { "{\"success\":true}\n", "{\"success\":true,\"cost\":{\"metadata\":{\"sandbox\":{\"a\":1}}}}\n" },
    { "{\"success\":false,\"cost\":{\"duration_ms\":1.50,\"metadata\":{\"x\":1,\"sandbox\":0}},\"error\":"
      "\"e\"}",
      "{\"success\":false,\"error\":\"e\",\"cost\":{\"duration_ms\":1.50,\"metadata\":{\"x\":1,\"sandbox\":{"
      "\"a\":"
      "1}}}}\n" },
    { "{\"success\":true,\"cost\":null}",
      "{\"success\":true,\"cost\":{\"metadata\":{\"sandbox\":{\"a\":1}}}}\n" },
    { "", NULL },
    { "{}", NULL },
    { "[]", NULL },
    { "{\"success\":1}", NULL },
    { "{\"success\":true} {\"success\":true}", NULL },
    { "log\n{\"success\":true}", NULL },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };
    cleanup_free char *line = NULL;
    int r = answer_runner (rows[i].line, strlen (rows[i].line), "{\"a\":1}", &line, &err);

    CHECK (r == (rows[i].answer ? 0 : -EBADMSG), "row %zu: %d, %s", i, r, error_text (&err));
    CHECK (str_equal (line, rows[i].answer), "row %zu: %s", i, line ? line : "(nothing)");
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_paths),
  cmocka_unit_test (test_base64),
  cmocka_unit_test (test_denials),
  cmocka_unit_test (test_runner),
};

UNIT_MAIN (cases)
