/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every allocation fails once (oom-walk.h). A module more is a function and a row more. What a job needs is
 * made in make_inputs, outside.
 */
#include <config.h>

#include <errno.h>
#include <stdlib.h>

#include "base-json-read.h"
#include "base-json-write.h"
#include "control-catalogue.h"
#include "control-lattice.h"
#include "journal-journal.h"
#include "oom-walk.h"
#include "profile-configuration.h"
#include "random-settings.h"
#include "toolrunner-step-result.h"
#include "toolrunner-step.h"
#include "unit.h"

static struct settings one, two, said;

static int make_inputs (void **state)
{
  struct rng rng = { 1 };

  (void) state;
  random_settings (&rng, RANDOM_ANY, &one);
  random_settings (&rng, RANDOM_ANY, &two);
  random_settings (&rng, RANDOM_SAID, &said);
  return settings_complete (&said, NULL);
}

static int free_inputs (void **state)
{
  (void) state;
  settings_clear (&one);
  settings_clear (&two);
  settings_clear (&said);
  return 0;
}

static int read_json (const char *text, struct error *err)
{
  const struct json_limits limits = { .bytes = 65536, .depth = 8, .nodes = 100, .comments = true };
  cleanup_json struct json_node *tree = NULL;
  int r = json_read ("f", text, strlen (text), &limits, &tree, err);

  CHECK ((tree != NULL) == (r == 0), "json_read returns %d and %s tree", r, tree ? "a" : "no");
  return r;
}

static int run_json_read (struct error *err)
{
  return read_json ("{ \"a\": [1, 2.5, true, null, \"text\"], // nine items: the list grows\n"
                    "  \"b\": [0,1,2,3,4,5,6,7,8], \"c\": {\"d\": {\"e\": \"\\u00e9\"}},\n"
                    "  \"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0,\"k\":0,\"l\":0 }",
                    err);
}

static int run_json_read_syntax (struct error *err)
{
  return read_json ("{ \"a\": [1, {\"b\": \"c\"}, ] }", err);
}

static int run_json_read_pending_key (struct error *err)
{
  return read_json ("{ \"a\": 1, \"b\": [2], \"a\": 3 }", err);
}

static void write_json (struct json_writer *w, const char *text)
{
  static char one_item[] = "item";
  char *items[] = { one_item, one_item };
  const struct strlist list = { .items = items, .count = ARRAY_LEN (items) };

  json_object_begin (w, NULL);
  for (int i = 0; i < 40; i++) /* the buffer grows */
    json_string (w, "key \"quoted\"", "line\nbreak");
  json_string (w, "text", text);
  json_number (w, "number", 1);
  json_milli (w, "milli", 1500);
  json_strings (w, "list", &list);
  json_object_end (w);
}

static int finish_json (const char *text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };
  cleanup_free char *written = NULL;
  int r;

  write_json (&w, text);
  r = json_finish (&w, &written, err);
  CHECK ((written != NULL) == (r == 0), "json_finish returns %d and %s text", r, written ? "a" : "no");
  return r;
}

static int run_json_finish (struct error *err)
{
  return finish_json ("text", err);
}

static int run_json_finish_bad_text (struct error *err)
{
  return finish_json ("\xff", err);
}

static int run_error (struct error *err)
{
  error_set (err, -EINVAL, "'%s' is refused", "x");
  return error_prefix (err, "profile '%s'", "f");
}

static int run_error_errno (struct error *err)
{
  return error_set_errno (err, ENOENT, "cannot open '%s'", "x");
}

static int run_sets (struct error *err)
{
  cleanup_strlist struct strlist a = { 0 }, b = { 0 }, all = { 0 }, both = { 0 }, copy = { 0 };

  if (strset_add (&a, "x") < 0 || strset_add (&a, "a") < 0 || strset_add (&b, "x") < 0
      || strset_add (&b, "b") < 0 || strset_union (&a, &b, &all) < 0 || strset_intersect (&a, &b, &both) < 0
      || strlist_copy (&all, &copy) < 0)
    return error_oom (err);
  return 0;
}

static int run_value_parse (struct error *err)
{
  cleanup_value struct value value = { 0 };
  int r = value_parse (SETTING_SECCOMP_LIST, "default", &value, err);

  if (r == 0)
    r = value_parse (SETTING_SECCOMP_LIST, "own.json", &value, err);
  /* A value that is set has its text, also when replacing it failed. */
  CHECK (value.state == VALUE_UNSET || value.text != NULL, "a value without its text");
  return r;
}

static int run_value_parse_level (struct error *err)
{
  cleanup_value struct value value = { 0 };

  return value_parse (SETTING_NETWORK_MODE, "nome", &value, err);
}

static int run_value_add (struct error *err)
{
  cleanup_value struct value value = { 0 };
  int r = value_add (SETTING_REQUIRE, "limits.memory", &value, err);

  if (r == 0)
    r = value_add (SETTING_REQUIRE, "limits.cpu", &value, err);
  if (r == 0)
    r = value_add (SETTING_REQUIRE, "*", &value, err);
  return r;
}

static int run_value_add_grant (struct error *err)
{
  cleanup_value struct value value = { 0 };
  int r = 0;

  for (int i = 0; i < 3 && r == 0; i++) {
    struct grant grant = { .name = str_format ("/mnt/%d", 3 - i), .source = strdup ("/srv") };

    if (grant.name == NULL || grant.source == NULL) {
      free (grant.name);
      free (grant.source);
      return error_oom (err);
    }
    r = value_add_grant (SETTING_MOUNTS, &grant, &value, err);
  }
  return r;
}

static int run_settings_copy (struct error *err)
{
  cleanup_settings struct settings copy = { 0 };

  (void) err;
  return settings_copy (&one, &copy);
}

static int run_settings_complete (struct error *err)
{
  cleanup_settings struct settings settings = { 0 };

  return settings_complete (&settings, err);
}

static int run_settings_meet (struct error *err)
{
  cleanup_settings struct settings met = { 0 };

  (void) err;
  return settings_meet (&one, &two, &met);
}

static int run_value_text (struct error *err)
{
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    cleanup_free char *text = value_text (s, &one.values[s]);
    cleanup_free char *origin = origin_text (&one.values[s].origin);

    if (text == NULL || origin == NULL)
      return error_oom (err);
  }
  return 0;
}

static int run_control_value_text (struct error *err)
{
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    cleanup_free char *text = control_value_text (c, &said);

    if (text == NULL)
      return error_oom (err);
  }
  return 0;
}

static int run_configuration (struct error *err)
{
  static const char text[] =
      "{\"version\":1,\"toolrunner\":{\"mode\":\"runner\",\"profile\":\"p\",\"command\":[\"a\",\"b\"]}}";
  cleanup_configuration struct configuration *configuration = NULL;

  return configuration_parse ("c.json", text, strlen (text), &configuration, err);
}

static int run_step (struct error *err)
{
  static const char text[] =
      "{\"tenant_id\":\"t\",\"turn_id\":\"u\",\"step_id\":\"s\",\"attempt_id\":\"a\",\"key\":\"k\","
      "\"workspace_id\":\"w\",\"plan_id\":\"p\",\"step_index\":0,\"action\":{\"type\":\"CLI\","
      "\"args\":{\"cmd\":\"x\",\"args\":[\"y\"],\"cwd\":\"/w/a/../b\"}}}";
  cleanup_step_command struct step_command command = { 0 };
  cleanup_step struct step step = { 0 };
  cleanup_free char *secret = NULL;
  int r = step_parse (text, strlen (text), &step, err);

  if (r == 0)
    r = step_find_secret (&step, &secret, err);
  if (r == 0)
    r = step_command_read (&step, &command, err);
  return r < 0 ? r : step_command_cwd (&step, "/w", &command, err);
}

static int run_answer (struct error *err)
{
  static const char inner[] = "{\"success\":true,\"cost\":{\"metadata\":{\"x\":1}}}";
  static const char contract[] =
      "{\"__playbook\":{\"output\":{\"type\":\"json\",\"schema\":{\"properties\":{\"a\":false}}}}}";
  const struct json_limits limits = { 1000, 20, 100, .comments = false };
  const struct run_result killed = { .reason = RUN_SIGNALLED, .signal = 9, .code = 137 };
  const struct run_result exited = { .reason = RUN_EXITED };
  cleanup_json struct json_node *args = NULL;
  struct answer_run run = { .command = "c", .text = { "{\"a\":\"\xff\"}", "b" }, .len = { 9, 1 } };
  const struct answer_sandbox full = { "{}", true, NULL };
  cleanup_free char *first = NULL, *second = NULL, *third = NULL, *passed = NULL;
  int r = json_read ("args", contract, strlen (contract), &limits, &args, err);

  run.args = args;
  run.result = &killed;
  run.sandbox.document = "{\"denials\":[{\"what\":\"x\"}]}";
  if (r == 0)
    r = answer_command (&run, &first, err);
  run.result = &exited;
  if (r == 0)
    r = answer_command (&run, &second, err);
  if (r == 0)
    r = answer_not_spawned ("c", ENOENT, &third, err);
  return r < 0 ? r : answer_runner (inner, strlen (inner), &full, &passed, err);
}

static int run_journal_line (struct error *err)
{
  const struct journal_event event = { .kind = JOURNAL_STARTED, .run = "r-0123456789abcdef" };
  cleanup_journal_line struct journal_line line = { 0 };
  cleanup_free char *text = NULL;
  char hash[SHA256_HEX];
  int r = journal_line_write (&event, 1, 0, journal_no_hash, &text, hash, err);

  return r < 0 ? r : journal_line_parse (text, strlen (text) - 1, &line, err);
}

static struct oom_row rows[] = {
  { "error_set", run_error, -EINVAL },
  { "error_set_errno", run_error_errno, -ENOENT },
  { "strset and strlist", run_sets, 0 },
  { "json_read", run_json_read, 0 },
  { "json_read, a syntax error", run_json_read_syntax, -EINVAL },
  { "json_read, a repeated key", run_json_read_pending_key, -EINVAL },
  { "json_finish", run_json_finish, 0 },
  { "json_finish, not UTF-8", run_json_finish_bad_text, -EILSEQ },
  { "value_parse", run_value_parse, 0 },
  { "value_parse, no such level", run_value_parse_level, -EINVAL },
  { "value_add", run_value_add, 0 },
  { "value_add_grant", run_value_add_grant, 0 },
  { "settings_copy", run_settings_copy, 0 },
  { "settings_complete", run_settings_complete, 0 },
  { "settings_meet", run_settings_meet, 0 },
  { "value_text", run_value_text, 0 },
  { "control_value_text", run_control_value_text, 0 },
  { "configuration_parse", run_configuration, 0 },
  { "step_parse and what follows it", run_step, 0 },
  { "answers to a step", run_answer, 0 },
  { "journal_line_write and journal_line_parse", run_journal_line, 0 },
};

/* The tool itself: the second allocation fails, and only that one or all that follow. */
static void test_allocations_fail_on_command (void **state)
{
  (void) state;
  for (int and_after = 0; and_after < 2; and_after++) {
    long before = oom_live ();
    char *volatile first, *volatile second, *volatile third, *volatile fourth; /* or clang leaves them out */
    bool struck;

    oom_fail_at (2, and_after);
    first = strdup ("1");
    second = malloc (1);
    third = str_format ("%d", 3);
    fourth = calloc (1, 1);
    struck = oom_stop ();
    assert_true (struck);
    assert_non_null (first);
    assert_null (second);
    assert_int_equal (third == NULL, and_after);
    assert_int_equal (fourth == NULL, and_after);
    assert_int_equal (oom_live () - before, and_after ? 1 : 3);
    free (first);
    free (third);
    free (fourth);
    assert_int_equal (oom_live (), before);
  }
}

int main (void)
{
  struct CMUnitTest cases[ARRAY_LEN (rows) + 1] = { cmocka_unit_test (test_allocations_fail_on_command) };

  oom_cases (rows, ARRAY_LEN (rows), cases + 1);
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (cases, make_inputs, free_inputs);
}
