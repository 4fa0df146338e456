/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The judge as a whole: a good run is verified, and what is not seen, waived or weaker is never called so.
 * What can be spoilt is in tables by topic (test-posture-*.c). */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <stdlib.h>

#include "plan-launch.h"
#include "posture-spoil.h"

static void test_good (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;

  (void) state;
  posture_case_make (&c);
  posture = judge (&c);
  for (enum control i = 0; i < CONTROL_COUNT; i++)
    CHECK (!posture->controls[i].promised || posture->controls[i].verdict == VERDICT_VERIFIED, "%s: %s: %s",
           control_info (i)->name, verdict_text (posture->controls[i].verdict),
           posture->controls[i].evidence);
  assert_int_equal (posture->overall, OVERALL_VERIFIED);
}

/* An error while observing is unverified: whatever is not answered, the run is not verified. But the label of
 * an LSM that was not promised is nobody's, routes are only looked at beside something else, and what is
 * read-only is so by its mount. */
static bool is_beside (const struct plan *plan, const struct asked *asked)
{
  static const char *const paths[] = { "/proc/self/attr/current", "/proc/net/route", STAGE_INIT_TARGET,
                                       PROBE_BOOT_ID, PROBE_LINUX_ONLY };

  if (asked->kind == QUESTION_CALL)
    return memcmp (asked->bytes, &probe_new_user, sizeof (probe_new_user)) == 0
           || memcmp (asked->bytes, &probe_ambient, sizeof (probe_ambient)) == 0;
  if (asked->kind == QUESTION_LIST)
    return false;
  for (size_t i = 0; i < plan->read_only.count; i++)
    if (strcmp (asked->bytes, plan->read_only.items[i]) == 0)
      return true;
  for (size_t i = 0; i < sizeof (paths) / sizeof (paths[0]); i++)
    if (strcmp (asked->bytes, paths[i]) == 0)
      return true;
  return false;
}

static void test_unanswered (void **state)
{
  size_t tried = 0, count;
  cleanup_posture_case struct posture_case first = { 0 };

  (void) state;
  posture_case_make (&first);
  count = first.inside.questions.count;
  for (size_t i = 0; i < count; i++) {
    cleanup_posture_case struct posture_case c = { 0 };
    cleanup_posture struct posture *posture = NULL;
    const struct asked *asked;

    posture_case_make (&c);
    asked = &c.inside.questions.items[i];
    if (is_beside (c.plan, asked))
      continue;
    free (c.inside.answers[i].bytes);
    c.inside.answers[i] = (struct answer){ .errnum = ENODATA };
    posture = judge (&c);
    CHECK (posture->overall == OVERALL_VIOLATED, "question %zu (%d '%s') was not answered, and all is %s", i,
           (int) asked->kind, asked->bytes, overall_text (posture->overall));
    tried++;
  }
  CHECK (tried > 40, "only %zu questions were tried", tried);
}

static void test_waived (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;

  (void) state;
  posture_case_make (&c);
  c.outside.group.pids = UINT64_MAX;
  c.plan->controls[CONTROL_LIMITS_PIDS].accepted = true;
  posture = judge (&c);
  assert_int_equal (posture->controls[CONTROL_LIMITS_PIDS].verdict, VERDICT_WAIVED);
  assert_int_equal (posture->controls[CONTROL_LIMITS_PIDS].observed, VERDICT_VIOLATED);
  assert_int_equal (posture->overall, OVERALL_PARTIAL);
}

/* A line break in a name must not look like a line of ours. */
static void test_one_line (void **state)
{
  static const char variable[] = "A\nprocess.seccomp verified=1";
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;

  (void) state;
  posture_case_make (&c);
  posture_case_answer (&c, QUESTION_ENVIRONMENT, "", 0, variable, sizeof (variable));
  posture = judge (&c);
  assert_int_equal (posture->controls[CONTROL_ENVIRONMENT_CLEAN].verdict, VERDICT_VIOLATED);
  assert_null (strchr (posture->controls[CONTROL_ENVIRONMENT_CLEAN].evidence, '\n'));
}

/* A refusal says where the promise was made: the profile's line, or that it is ours. */
static void test_rule (void **state)
{
  static const struct {
    enum control control;
    const char *rule;
  } rows[] = {
    { CONTROL_ROOT_READ_ONLY, "case.json:2" },
    { CONTROL_PATHS_HIDDEN, "case.json:3" },
    { CONTROL_LIMITS_PIDS, "built-in default" },
    { CONTROL_NAMESPACE_PID, "built-in default" },
  };
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_error struct error err = { 0 };
  cleanup_free char *broken = NULL, *document = NULL;

  (void) state;
  posture_case_make (&c);
  for (size_t i = 0; i < ARRAY_LEN (rows); i++)
    c.plan->controls[rows[i].control].enforcement =
        (struct enforcement){ ENFORCEMENT_WEAKER, BASIS_MEASURED, control_info (rows[i].control)->name };
  posture = judge (&c);
  broken = posture_broken_text (posture);
  posture_write (&w, NULL, posture);
  assert_int_equal (json_finish (&w, &document, &err), 0);
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    const char *name = control_info (rows[i].control)->name;
    cleanup_free char *said = str_format ("; rule %s)", rows[i].rule);
    cleanup_free char *written = str_format ("\"rule\":\"%s\"", rows[i].rule);
    const char *at = strstr (broken, name), *in = strstr (document, name);

    CHECK (at != NULL && strstr (at, said) == strstr (at, "; rule "), "%s: '%s'", name, broken);
    CHECK (in != NULL && strstr (in, written) == strstr (in, "\"rule\""), "%s: '%s'", name, document);
  }
}

/* What is enforced weaker is never called verified, however good it looks. */
static void test_weaker (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;

  (void) state;
  posture_case_make (&c);
  c.plan->controls[CONTROL_LIMITS_PIDS].enforcement =
      (struct enforcement){ ENFORCEMENT_WEAKER, BASIS_MEASURED, "so" };
  c.plan->controls[CONTROL_LIMITS_PIDS].required = false;
  posture = judge (&c);
  assert_int_equal (posture->controls[CONTROL_LIMITS_PIDS].verdict, VERDICT_UNVERIFIED);
  assert_int_equal (posture->overall, OVERALL_PARTIAL);
}

/* Behind a kernel of the runtime's own nothing is said of an outside that nobody saw. */
static void test_no_outside (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;

  (void) state;
  posture_case_make (&c);
  c.outside.seen = false;
  posture = judge (&c);
  assert_int_equal (posture->controls[CONTROL_ISOLATION_TYPE].verdict, VERDICT_VIOLATED);
  assert_int_equal (posture->controls[CONTROL_USER_NAMESPACE].verdict, VERDICT_UNVERIFIED);
  for (enum control i = 0; i < CONTROL_COUNT; i++)
    CHECK (posture->controls[i].seen != SEEN_BOTH, "%s was seen by both", control_info (i)->name);
}

static void check_isolation (const struct posture_case *c, enum verdict expected)
{
  cleanup_posture struct posture *posture = judge (c);

  assert_int_equal (posture->controls[CONTROL_ISOLATION_TYPE].verdict, expected);
}

/* Behind a kernel of the runtime's own, that kernel is what is seen; and the host's objects are not in it. */
static void test_own_kernel (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL, *shared = NULL;

  (void) state;
  posture_case_make (&c);
  c.outside.seen = false;
  free (c.outside.kernel);
  c.outside.kernel = strdup ("5.10 another");
  /* A name alone proves nothing: the boot id is the host's, or is hidden although this is Linux. */
  check_isolation (&c, VERDICT_VIOLATED);
  posture_case_answer (&c, QUESTION_FILE, PROBE_BOOT_ID, 0, "another!\n", 9);
  check_isolation (&c, VERDICT_VERIFIED);
  posture_case_answer (&c, QUESTION_FILE, PROBE_BOOT_ID, 0, "", 0);
  check_isolation (&c, VERDICT_VIOLATED);
  posture_case_answer (&c, QUESTION_FILE, PROBE_BOOT_ID, ENOENT, "", 0);
  check_isolation (&c, VERDICT_VIOLATED);
  posture_case_answer (&c, QUESTION_SEE, PROBE_LINUX_ONLY, ENOENT, "", 0);
  posture = judge (&c);
  assert_int_equal (posture->controls[CONTROL_ISOLATION_TYPE].verdict, VERDICT_VERIFIED);
  assert_int_equal (posture->controls[CONTROL_NAMESPACE_IPC].verdict, VERDICT_VERIFIED);
  assert_int_equal (posture->controls[CONTROL_NAMESPACE_IPC].seen, SEEN_INSIDE);
  c.outside.own_spaces[SPACE_IPC] = c.outside.spaces[SPACE_IPC];
  shared = judge (&c);
  assert_int_equal (shared->controls[CONTROL_NAMESPACE_IPC].verdict, VERDICT_VIOLATED);
}

/* Answers as bytes: each question gets one of its kind, and there is nothing more. */
static void test_answers_are_read (void **state)
{
  const struct report_item heads[] = { { .kind = QUESTION_NAMES, .length = 2 },
                                       { .kind = QUESTION_LIMITS, .errnum = EIO } };
  struct asked items[] = { { .kind = QUESTION_NAMES, .bytes = (char[]){ "" } },
                           { .kind = QUESTION_LIMITS, .bytes = (char[]){ "" } } };
  struct answer answers[2] = { { 0 } };
  struct inside inside = { .questions = { items, 2, 2 }, .answers = answers };
  uint8_t bytes[64];
  size_t length = 0;

  (void) state;
  memcpy (bytes, &heads[0], sizeof (heads[0]));
  memcpy (bytes + sizeof (heads[0]), "ab", 2);
  memcpy (bytes + sizeof (heads[0]) + 2, &heads[1], sizeof (heads[1]));
  length = 2 * sizeof (heads[0]) + 2;
  bytes[length] = 0;
  for (size_t cut = 0; cut <= length + 1; cut++) {
    cleanup_error struct error err = { 0 };

    CHECK (inside_read (&inside, 0, 2, bytes, cut, &err) == (cut == length ? 0 : -EPROTO), "%zu bytes", cut);
  }
  assert_int_equal (answers[0].length, 2);
  assert_string_equal (answers[0].bytes, "ab");
  assert_int_equal (answers[1].errnum, EIO);
  items[1].kind = QUESTION_LIST;
  {
    cleanup_error struct error err = { 0 };

    assert_int_equal (inside_read (&inside, 0, 2, bytes, length, &err), -EPROTO);
  }
  free (answers[0].bytes);
  free (answers[1].bytes);
}

/* Questions go out in batches, each whole and none twice. */
static void test_questions_are_written (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  uint8_t batch[256];
  size_t at = 0, read = 0;

  (void) state;
  posture_case_make (&c);
  while (at < c.inside.questions.count) {
    size_t before = at, used = questions_write (&c.inside.questions, &at, batch, sizeof (batch));

    assert_true (at > before && used <= sizeof (batch));
    for (size_t done = 0; done < used; read++) {
      const struct asked *asked = &c.inside.questions.items[read];
      struct report_item head;

      memcpy (&head, batch + done, sizeof (head));
      assert_int_equal (head.kind, asked->kind);
      assert_int_equal (head.length, asked->length);
      assert_memory_equal (batch + done + sizeof (head), asked->bytes, asked->length);
      done += sizeof (head) + head.length;
    }
    assert_int_equal (read, at);
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_own_kernel),
  cmocka_unit_test (test_answers_are_read),
  cmocka_unit_test (test_questions_are_written),
  cmocka_unit_test (test_good),
  cmocka_unit_test (test_unanswered),
  cmocka_unit_test (test_waived),
  cmocka_unit_test (test_weaker),
  cmocka_unit_test (test_no_outside),
  cmocka_unit_test (test_one_line),
  cmocka_unit_test (test_rule),
};

UNIT_MAIN (cases)
