/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Documents about a run: its result, the state of the sandbox, and the result of a run without one. */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <stdlib.h>

#include "base-json-read.h"
#include "doctor-status.h"
#include "journal-result.h"
#include "posture-spoil.h"

static struct json_node *read_json (const char *text)
{
  static const struct json_limits limits = { .bytes = 65536, .depth = 8, .nodes = 4096 };
  cleanup_error struct error err = { 0 };
  struct json_node *root = NULL;

  CHECK (json_read ("text", text, strlen (text), &limits, &root, &err) == 0, "%s", error_text (&err));
  return root;
}

/* The value at "a.b.c" as text: of strings and numbers their own, else a word for it. */
static const char *at (const struct json_node *node, const char *where)
{
  cleanup_free char *copy = strdup (where);
  char *rest = copy;

  for (char *key = strsep (&rest, "."); key != NULL && node != NULL; key = strsep (&rest, "."))
    node = json_get (node, key);
  if (node == NULL)
    return "(absent)";
  switch (node->type) {
  case JSON_NULL: return "null";
  case JSON_BOOL: return node->flag ? "true" : "false";
  case JSON_STRING:
  case JSON_NUMBER: return node->text;
  default: return "(more)";
  }
}

struct expected {
  const char *where, *value;
};

static void check (const char *text, const struct expected *rows, size_t count)
{
  cleanup_json struct json_node *root = read_json (text);

  for (size_t i = 0; i < count; i++)
    CHECK (strcmp (at (root, rows[i].where), rows[i].value) == 0, "%s is %s, not %s", rows[i].where,
           at (root, rows[i].where), rows[i].value);
}

static void check_result (const struct plan *plan, const struct run_result *result, const struct error *error,
                          const struct expected *rows, size_t count)
{
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;

  assert_int_equal (result_write (plan, result, error, &text, &err), 0);
  check (text, rows, count);
}

static void test_ended (void **state)
{
  static const struct expected rows[] = {
    { "schema", "tyrum-oci/result/1" },
    { "run", "r-1" },
    { "profile.name", "case" },
    { "backend", "libcrun" },
    { "exit.code", "3" },
    { "exit.signal", "null" },
    { "exit.reason", "exited" },
    { "exit.error", "(absent)" },
    { "cause", "unknown" },
    { "usage.wall_ms", "40" },
    { "usage.cpu_ms", "5" },
    { "usage.memory_peak", "4096" },
    { "usage.stdout_bytes", "7" },
    { "usage.oom_kills", "0" },
    { "usage.counted", "true" },
    { "truncated.stdout", "true" },
    { "truncated.stderr", "false" },
    { "calls_received", "true" },
    { "posture.verdict", "verified" },
  };
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;
  char id[] = "r-1";
  struct run_result result = { .id = id,
                               .reason = RUN_EXITED,
                               .code = 3,
                               .wall_ms = 40,
                               .counters = { .known = true, .cpu_ns = 5999999, .memory_peak = 4096 },
                               .out_bytes = 7,
                               .out_cut = true,
                               .calls_received = true };

  (void) state;
  posture_case_make (&c);
  result.posture = posture = judge (&c);
  check_result (c.plan, &result, NULL, rows, ARRAY_LEN (rows));
}

static void test_signalled (void **state)
{
  static const struct expected rows[] = {
    { "exit.code", "137" },       { "exit.signal", "9" }, { "exit.reason", "signalled" },
    { "usage.counted", "false" }, { "posture", "null" },  { "cause", "unknown" },
  };
  cleanup_posture_case struct posture_case c = { 0 };
  char id[] = "r-1";
  const struct run_result result = { .id = id, .reason = RUN_SIGNALLED, .code = 137, .signal = 9 };

  (void) state;
  posture_case_make (&c);
  check_result (c.plan, &result, NULL, rows, ARRAY_LEN (rows));
}

/* The KILL after the grace period is not the command's own signal. */
static void test_killed (void **state)
{
  static const struct expected rows[] = {
    { "exit.code", "137" },
    { "exit.signal", "null" },
    { "exit.killed", "true" },
    { "exit.reason", "killed" },
  };
  cleanup_posture_case struct posture_case c = { 0 };
  char id[] = "r-1";
  const struct run_result result = {
    .id = id, .reason = RUN_KILLED, .code = 137, .signal = 9, .killed = true
  };

  (void) state;
  posture_case_make (&c);
  check_result (c.plan, &result, NULL, rows, ARRAY_LEN (rows));
}

/* Nothing ran: the document says so, and claims nothing that nobody saw. */
static void test_not_started (void **state)
{
  static const struct expected rows[] = {
    { "run", "null" },           { "exit.code", "125" },        { "exit.reason", "refused" },
    { "exit.error", "no room" }, { "cause", "sandbox" },        { "usage.counted", "false" },
    { "posture", "null" },       { "calls_received", "false" },
  };
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_error struct error why = { 0 };

  (void) state;
  posture_case_make (&c);
  error_set (&why, -ENOSPC, "no room");
  check_result (c.plan, NULL, &why, rows, ARRAY_LEN (rows));
}

static void test_cause (void **state)
{
  struct denial denial = { .control = CONTROL_SECCOMP, .count = 1 };
  struct run_result result = { .reason = RUN_EXITED };

  (void) state;
  assert_null (result_cause (&result));
  result.code = 1;
  assert_string_equal (result_cause (&result), "unknown");
  result.denials = (struct denials){ &denial, 1 };
  assert_string_equal (result_cause (&result), "sandbox");
  /* What happened beside it is not why. */
  denial.aside = true;
  assert_string_equal (result_cause (&result), "unknown");
  result.reason = RUN_REFUSED;
  assert_string_equal (result_cause (&result), "sandbox");
}

static void test_status (void **state)
{
  static const struct expected rows[] = {
    { "schema", "tyrum-oci/status/1" },        { "sandbox.hardening_profile", "case" },
    { "sandbox.backend", "libcrun" },          { "sandbox.runtime", "crun 1.0" },
    { "sandbox.posture.verdict", "verified" },
  };
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;
  unsigned promised, verified;
  struct status status = { .runtime = "crun 1.0" };

  (void) state;
  posture_case_make (&c);
  posture = judge (&c);
  status.plan = c.plan;
  status.posture = posture;
  assert_int_equal (status_write (&status, &text, &err), 0);
  check (text, rows, ARRAY_LEN (rows));
  status_count (posture, &promised, &verified);
  assert_true (promised > 20);
  assert_int_equal (promised, verified);
  posture->controls[CONTROL_SECCOMP].verdict = VERDICT_WAIVED;
  status_count (posture, &promised, &verified);
  assert_int_equal (promised, verified + 1);
}

/* Tyrum's client knows two names and five fields; nothing is claimed that does not hold. */
static void test_status_for_tyrum (void **state)
{
  static const struct expected rows[] = {
    { "mode", "enforce" },
    { "policy_observe_only", "false" },
    { "hardening_profile", "hardened" },
    { "elevated_execution_available", "null" },
  };
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;
  cleanup_error struct error err = { 0 }, name = { 0 }, broken = { 0 };
  cleanup_json struct json_node *root = NULL;
  cleanup_free char *text = NULL;
  struct status status = { 0 };

  (void) state;
  posture_case_make (&c);
  posture = judge (&c);
  status.plan = c.plan;
  status.posture = posture;
  assert_int_equal (status_write_tyrum (&status, &text, &name), -EINVAL);
  free (c.plan->profile_name);
  c.plan->profile_name = strdup ("hardened");
  assert_int_equal (status_write_tyrum (&status, &text, &err), 0);
  check (text, rows, ARRAY_LEN (rows));
  root = read_json (text);
  assert_int_equal (root->count, 5);
  assert_int_equal (strlen (at (root, "effective_policy_sha256")), 64);
  posture->overall = OVERALL_VIOLATED;
  assert_int_equal (status_write_tyrum (&status, &text, &broken), -EPERM);
}

static void test_without_a_sandbox (void **state)
{
  static const char profile_text[] = "{ \"version\": 1, \"name\": \"rawdog\", \"meaning\": \"for tests\","
                                     " \"isolation\": { \"type\": \"disabled\" } }";
  static const struct expected rows[] = {
    { "run", "r-2" },
    { "profile.name", "rawdog" },
    { "backend", "none" },
    { "exit.code", "143" },
    { "exit.signal", "15" },
    { "usage.counted", "false" },
    { "posture.verdict", "none" },
    { "posture.reason", UNCONFINED_REASON },
  };
  cleanup_profile struct profile *profile = NULL;
  cleanup_error struct error err = { 0 };
  cleanup_json struct json_node *root = NULL;
  cleanup_free char *text = NULL;
  const struct run_result result = { .reason = RUN_SIGNALLED, .code = 143, .signal = 15 };

  (void) state;
  CHECK (profile_parse ("rawdog.json", profile_text, strlen (profile_text), true, &profile, &err) == 0, "%s",
         error_text (&err));
  assert_int_equal (profile_resolve (profile, &err), 0);
  assert_int_equal (unconfined_result_write (profile, "r-2", &result, &text, &err), 0);
  check (text, rows, ARRAY_LEN (rows));
  root = read_json (text);
  assert_int_equal (json_get (root, "controls")->count, 0);
  assert_int_equal (json_get (json_get (root, "posture"), "controls")->count, 0);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_ended),
  cmocka_unit_test (test_signalled),
  cmocka_unit_test (test_killed),
  cmocka_unit_test (test_not_started),
  cmocka_unit_test (test_cause),
  cmocka_unit_test (test_status),
  cmocka_unit_test (test_status_for_tyrum),
  cmocka_unit_test (test_without_a_sandbox),
};

UNIT_MAIN (cases)
