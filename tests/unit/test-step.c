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

static void test_blanks (void **state)
{
  static const char *const blank[] = {
    "",
    " ",
    "\t\n\v\f\r ",
    "\u00a0",
    "\u1680",
    "\u2000\u2005\u200a",
    "\u2028\u2029",
    "\u202f\u205f",
    "\u3000",
    "\ufeff",
    " \u00a0\ufeff ",
  };
  static const char *const names[] = {
    "x", " x ", "\u200b", "\u00a1", "\u180e", "\xc2\x85", "\u2060", "\x1f"
  };
  const char *text = "\ufeff\v {} \u2029\f";
  size_t len = strlen (text);

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (blank); i++)
    CHECK (step_is_blank (blank[i]), "%zu is not blank", i);
  for (size_t i = 0; i < ARRAY_LEN (names); i++)
    CHECK (!step_is_blank (names[i]), "%zu is blank", i);
  step_trim (&text, &len);
  assert_int_equal (len, 2);
  assert_memory_equal (text, "{}", 2);
}

static void test_denials (void **state)
{
  static const char document[] =
      "{\"run\":\"r-1\",\"profile\":{\"name\":\"p\",\"digest\":\"sha256:0\",\"file\":\"f\"},"
      "\"posture\":{\"verdict\":\"enforced\",\"controls\":[]},\"exit\":{\"code\":1,\"signal\":null,"
      "\"reason\":\"exited\"},"
      "\"denials\":[{\"control\":\"process.seccomp\",\"what\":\"syscall "
      "keyctl\",\"confidence\":\"observed\",\"rule\":\"x\"},{\"what\":\"b\"},"
      "{\"control\":\"c\",\"what\":\"d\",\"confidence\":\"inferred\"},{\"what\":\"e\"},{\"what\":\"f\"}]}";
  static const char error[] =
      "\"error\":\"command failed with exit code 1; denied by the sandbox: syscall keyctl "
      "(process.seccomp), b, d (c, inferred) and 2 more\"";
  static const char cost[] =
      "\"cost\":{\"duration_ms\":0,\"metadata\":{\"sandbox\":{\"schema\":\"tyrum-oci/result-summary/1\","
      "\"run\":\"r-1\",\"profile\":{\"name\":\"p\",\"digest\":\"sha256:0\"},\"posture\":{\"verdict\":"
      "\"enforced\"},\"exit\":{\"code\":1,\"signal\":null,\"reason\":\"exited\"},\"denials\":[{\"control\":"
      "\"process.seccomp\",\"what\":\"syscall keyctl\",\"confidence\":\"observed\"},{\"what\":\"b\"},";
  const struct run_result result = { .reason = RUN_EXITED, .code = 1 };
  struct answer_run run = { .command = "c", .result = &result, .text = { "", "" } };
  cleanup_error struct error err = { 0 };
  cleanup_free char *line = NULL, *full = NULL;

  (void) state;
  run.sandbox.document = document;
  CHECK (answer_command (&run, &line, &err) == 0, "%s", error_text (&err));
  CHECK (strstr (line, error) != NULL, "%s", line);
  CHECK (strstr (line, cost) != NULL, "%s", line);
  run.sandbox.full = true;
  CHECK (answer_command (&run, &full, &err) == 0, "%s", error_text (&err));
  CHECK (strstr (full, "\"rule\":\"x\"") != NULL && strstr (full, "\"file\":\"f\"") != NULL, "%s", full);
}

/* The whole document has no notes, so they stand beside it; and whatever a runner inside has there goes. */
static void test_notes (void **state)
{
  const struct run_result result = { .reason = RUN_EXITED };
  cleanup_strlist struct strlist notes = { 0 };
  struct answer_run run = { .command = "c", .result = &result, .text = { "", "" } };
  cleanup_error struct error err = { 0 };
  cleanup_free char *full = NULL, *summary = NULL, *runner = NULL;
  static const struct json_node none = { .type = JSON_OBJECT };
  static const char line[] = "{\"success\":true,\"cost\":{\"metadata\":{\"notes\":1,\"x\":2}}}";

  (void) state;
  assert_int_equal (strlist_add (&notes, "one note"), 0);
  run.args = &none;
  run.sandbox = (struct answer_sandbox){ "{\"run\":\"r\"}", true, &notes };
  CHECK (answer_command (&run, &full, &err) == 0, "%s", error_text (&err));
  CHECK (strstr (full, "\"metadata\":{\"sandbox\":{\"run\":\"r\"},\"notes\":[\"one note\"]}") != NULL, "%s",
         full);
  CHECK (answer_runner (line, strlen (line), &run.sandbox, &runner, &err) == 0, "%s", error_text (&err));
  CHECK (strstr (runner, "{\"x\":2,\"sandbox\":{\"run\":\"r\"},\"notes\":[\"one note\"]}") != NULL, "%s",
         runner);
  run.sandbox.full = false;
  CHECK (answer_command (&run, &summary, &err) == 0, "%s", error_text (&err));
  CHECK (strstr (summary, "\"notes\":[\"one note\"]}}}") != NULL, "%s", summary);
}

/* A signal before the command has started is told as one during it. */
static void test_ended_before (void **state)
{
  cleanup_error struct error why = { 0 }, err = { 0 };
  struct answer_run run = { .command = "c", .why = &why, .text = { "", "" } };
  cleanup_free char *line = NULL, *other = NULL;

  (void) state;
  error_set (&why, -EINTR, "interrupted before the command was started");
  run.end_signal = 15;
  assert_int_equal (answer_command (&run, &line, &err), 0);
  assert_string_equal (line, "{\"success\":false,\"error\":\"toolrunner terminated by signal SIGTERM\"}\n");
  run.end_signal = 0;
  assert_int_equal (answer_command (&run, &other, &err), 0);
  assert_string_equal (
      other, "{\"success\":false,\"error\":\"sandbox: interrupted before the command was started\"}\n");
}

/* However many denials and notes there are, and however long, the summary has its bound. */
static void test_summary (void **state)
{
  const struct run_result result = { .reason = RUN_EXITED };
  struct answer_run run = { .command = "c", .result = &result, .text = { "", "" } };
  cleanup_strlist struct strlist notes = { 0 };
  cleanup_strbuf struct strbuf document = { 0 };
  cleanup_error struct error err = { 0 };
  cleanup_free char *line = NULL;
  const char *sandbox, *end;
  char text[3001];

  (void) state;
  memset (text, 'x', sizeof (text) - 1);
  text[sizeof (text) - 1] = '\0';
  strbuf_addf (&document, "{\"run\":\"r-1\",\"exit\":{\"error\":\"%s\"},\"denials\":[", text);
  for (int i = 0; i < 300; i++)
    strbuf_addf (&document, "%s{\"control\":\"%s\",\"what\":\"\\u0001%s\"}", i ? "," : "", text, text);
  strbuf_add (&document, "]}");
  for (int i = 0; i < 30; i++)
    assert_int_equal (strlist_add (&notes, text), 0);
  run.sandbox = (struct answer_sandbox){ document.text, false, &notes };
  CHECK (answer_command (&run, &line, &err) == 0, "%s", error_text (&err));
  sandbox = strstr (line, "\"sandbox\":");
  end = sandbox ? strstr (sandbox, "}}}\n") : NULL;
  CHECK (end != NULL && end - sandbox <= (long) (SANDBOX_SUMMARY_MAX + strlen ("\"sandbox\":")), "%s", line);
  CHECK (strstr (line, "\"run\":\"r-1\"") != NULL && strstr (line, "\"denials_left_out\":29") != NULL, "%s",
         line);
}

static void test_ends (void **state)
{
  static const struct {
    struct run_result result;
    const char *answer;
  } rows[] = {
    { { .reason = RUN_EXITED },
      "{\"success\":true,\"result\":{\"ok\":true,\"exit_code\":0,\"stdout\":\"[7]\",\"stderr\":\"e\"," },
    { { .reason = RUN_EXITED, .code = 3 },
      "{\"success\":false,\"error\":\"command failed with exit code 3\"," },
    { { .reason = RUN_SIGNALLED, .code = 137, .signal = 9 },
      "{\"success\":false,\"error\":\"command terminated by signal SIGKILL\",\"result\":{\"ok\":false,"
      "\"exit_code\":null,\"signal\":\"SIGKILL\"," },
    { { .reason = RUN_DEADLINE, .code = 124, .signal = 15 },
      "{\"success\":false,\"error\":\"command terminated by signal SIGTERM; timed out after 5 ms\"," },
    { { .reason = RUN_DEADLINE, .code = 124 }, "{\"success\":false,\"error\":\"timed out after 5 ms\"," },
    { { .reason = RUN_LIMIT, .code = 137, .signal = 9, .counters.oom_kills = 1 },
      "{\"success\":false,\"error\":\"command terminated by signal SIGKILL; a limit of the sandbox was "
      "reached: "
      "limits.memory\"," },
    /* The gateway ended the step: that is not how the command ended, whatever it made of the signal. */
    { { .reason = RUN_SIGNALLED, .code = 137, .signal = 9, .end_signal = 15 },
      "{\"success\":false,\"error\":\"toolrunner terminated by signal SIGTERM\",\"result\":{\"ok\":false,"
      "\"exit_code\":null,\"stdout\":" },
    { { .reason = RUN_EXITED, .end_signal = 15 },
      "{\"success\":false,\"error\":\"toolrunner terminated by signal SIGTERM\",\"result\":{\"ok\":false,"
      "\"exit_code\":null,\"stdout\":" },
    { { .reason = RUN_EXITED, .code = 126, .exec_errno = EACCES },
      "{\"success\":false,\"error\":\"command failed with exit code unknown\",\"result\":{\"ok\":false,"
      "\"exit_code\":null,\"stdout\":\"\",\"stderr\":\"spawn c EACCES\"," },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    struct answer_run run = { .command = "c", .timeout_ms = 5, .text = { "[7]", "e" }, .len = { 3, 1 } };
    cleanup_error struct error err = { 0 };
    cleanup_free char *line = NULL;

    run.result = &rows[i].result;
    run.sandbox.document = "{}";
    CHECK (answer_command (&run, &line, &err) == 0, "row %zu: %s", i, error_text (&err));
    CHECK (str_has_prefix (line, rows[i].answer), "row %zu: %s", i, line);
    CHECK ((strstr (line, "\"evidence\":{\"json\":[7]}") != NULL) == (rows[i].result.exec_errno == 0),
           "row %zu: %s", i, line);
  }
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
  const struct answer_sandbox sandbox = { "{\"a\":1}", true, NULL };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };
    cleanup_free char *line = NULL;
    int r = answer_runner (rows[i].line, strlen (rows[i].line), &sandbox, &line, &err);

    CHECK (r == (rows[i].answer ? 0 : -EBADMSG), "row %zu: %d, %s", i, r, error_text (&err));
    CHECK (str_equal (line, rows[i].answer), "row %zu: %s", i, line ? line : "(nothing)");
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_paths),   cmocka_unit_test (test_base64),       cmocka_unit_test (test_blanks),
  cmocka_unit_test (test_notes),   cmocka_unit_test (test_ended_before), cmocka_unit_test (test_denials),
  cmocka_unit_test (test_summary), cmocka_unit_test (test_ends),         cmocka_unit_test (test_runner),
};

UNIT_MAIN (cases)
