/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A part of a run that is in no list, in this one file: the supervisor prepares, starts and undoes it like
 * any other.
 *
 * It stands in the list of the fake backend twice, before all other parts and after them. Each hook is
 * written to a log, looks at what has to be there when it is called, and can be made to fail. Between any
 * two other parts stands one that only fails, where it is told to: whatever was prepared by then is undone.
 */
#define FAKE_BACKEND_ONLY
#include "test-fake-backend.c"

#include <dirent.h>

#include "supervisor-internal.h"

#define PARTS_MAX 64

struct fake_state {
  int calls;
};

static char calls[512];
static const char *failing; /* the call that fails, or NULL */

/* Writes down NAME.HOOK; whether it is to fail. */
static bool is_failing (const char *name, const char *hook)
{
  char call[64];

  snprintf (call, sizeof (call), "%s.%s", name, hook);
  if (calls[0] != '\0')
    strcat (calls, " ");
  strcat (calls, call);
  return failing != NULL && strcmp (failing, call) == 0;
}

static bool has_directory (const struct run *run)
{
  cleanup_free char *path = str_format ("%s/runs/%s", run->options->host->state_dir, run->options->id);

  return path != NULL && access (path, F_OK) == 0;
}

static void check_state (void *state, int expected)
{
  struct fake_state *fake_state = state;

  CHECK (fake_state->calls++ == expected, "the state has %d calls, not %d: %s", fake_state->calls - 1,
         expected, calls);
}

#define FAKE_PART(NAME, HAS_DIRECTORY)                                                                       \
  static void NAME##_init (struct run *run, void *state)                                                     \
  {                                                                                                          \
    (void) run;                                                                                              \
    is_failing (#NAME, "init");                                                                              \
    check_state (state, 0);                                                                                  \
  }                                                                                                          \
  static int NAME##_prepare (struct run *run, void *state, struct error *err)                                \
  {                                                                                                          \
    check_state (state, 1);                                                                                  \
    CHECK (has_directory (run) == HAS_DIRECTORY && run->init->pid == 0, "prepare of " #NAME);                \
    return is_failing (#NAME, "prepare") ? error_set (err, -EPERM, #NAME " cannot be prepared") : 0;         \
  }                                                                                                          \
  static int NAME##_start (struct run *run, void *state, struct error *err)                                  \
  {                                                                                                          \
    check_state (state, 2);                                                                                  \
    CHECK (run->init->pid > 0 && run->result.posture != NULL, "start of " #NAME);                            \
    return is_failing (#NAME, "start") ? error_set (err, -EPERM, #NAME " cannot be started") : 0;            \
  }                                                                                                          \
  static void NAME##_ended (struct run *run, void *state)                                                    \
  {                                                                                                          \
    check_state (state, 3);                                                                                  \
    is_failing (#NAME, "ended");                                                                             \
    CHECK (run->init->pidfd >= 0 && run->result.code == 3, "end of " #NAME);                                 \
  }                                                                                                          \
  static void NAME##_undo (struct run *run, void *state, struct error *err)                                  \
  {                                                                                                          \
    CHECK (run_part_state (run, &NAME) == state, "state of " #NAME);                                         \
    CHECK (has_directory (run) == HAS_DIRECTORY, "undo of " #NAME);                                          \
    if (is_failing (#NAME, "undo"))                                                                          \
      error_set (err, -EPERM, #NAME " cannot be undone");                                                    \
  }                                                                                                          \
  static const struct run_part NAME = { .name = #NAME,                                                       \
                                        .size = sizeof (struct fake_state),                                  \
                                        .init = NAME##_init,                                                 \
                                        .prepare = NAME##_prepare,                                           \
                                        .start = NAME##_start,                                               \
                                        .ended = NAME##_ended,                                               \
                                        .undo = NAME##_undo }

static const struct run_part first, last;
FAKE_PART (first, false);
FAKE_PART (last, true);

static size_t failing_place; /* of the part that fails; 0: none does */

static int fail_between (struct run *run, void *state, struct error *err)
{
  size_t place = *(size_t *) state;

  (void) run;
  return place == failing_place ? error_set (err, -EPERM, "place %zu cannot be prepared", place) : 0;
}

static size_t places_set;

static void set_place (struct run *run, void *state)
{
  (void) run;
  *(size_t *) state = ++places_set;
}

static const struct run_part between[PARTS_MAX] = {
  [0 ... PARTS_MAX
   - 1] = { .name = "between", .size = sizeof (size_t), .init = set_place, .prepare = fail_between },
};
static size_t place_count;

/* The list of the fake backend with a part more at each end. */
static int add_parts (void **state)
{
  static const struct run_part *parts[2 * PARTS_MAX];
  static struct run_driver driver;
  size_t count = 0;

  driver = run_by_programs;
  parts[count++] = &first;
  for (const struct run_part *const *p = driver.parts; *p != NULL; p++) {
    assert_true (count < ARRAY_LEN (parts) - 3);
    parts[count++] = *p;
    parts[count++] = &between[place_count++];
  }
  parts[count++] = &last;
  driver.parts = parts;
  fake.driver = &driver;
  return declare (state);
}

/* One run in which CALL fails: *RET_OUTPUT is what the command printed. */
static int run_with (struct scene *scene, const char *call, char output[64], struct error *err)
{
  calls[0] = '\0';
  places_set = 0;
  failing = call;
  return try_fake (scene, "echo started; exit 3", output, err);
}

static void check_calls (const char *expected)
{
  CHECK (strcmp (calls, expected) == 0, "'%s' instead of '%s'", calls, expected);
}

/* A run that fails with ERROR after these CALLS, without its command and with nothing left. */
static void check_failing (const char *call, const char *error, const char *expected)
{
  cleanup (scene_clear) struct scene scene = { 0 };
  cleanup_error struct error err = { 0 };
  cleanup_free char *directory = NULL;
  char output[64];

  assert_int_equal (run_with (&scene, call, output, &err), -EPERM);
  assert_string_equal (error_text (&err), error);
  assert_string_equal (output, "");
  check_calls (expected);
  directory = str_format ("%s/runs/%s", scene.state, scene.id);
  assert_true (directory != NULL && access (directory, F_OK) < 0);
}

static void test_prepare_fails (void **state)
{
  (void) state;
  check_failing ("first.prepare", "first cannot be prepared",
                 "first.init last.init first.prepare first.undo");
  check_failing ("last.prepare", "last cannot be prepared",
                 "first.init last.init first.prepare last.prepare last.undo first.undo");
}

static size_t open_descriptors (void)
{
  DIR *dir = opendir ("/proc/self/fd");
  size_t count = 0;

  assert_non_null (dir);
  while (readdir (dir) != NULL)
    count++;
  closedir (dir);
  return count;
}

static void test_prepare_fails_anywhere (void **state)
{
  size_t before = open_descriptors ();

  (void) state;
  assert_true (place_count > 10);
  for (failing_place = 1; failing_place <= place_count; failing_place++) {
    cleanup_free char *error = str_format ("place %zu cannot be prepared", failing_place);
    /* The parts at both ends are prepared and undone as far as they were reached. */
    check_failing (NULL, error, "first.init last.init first.prepare first.undo");
    CHECK (open_descriptors () == before, "a failure at place %zu leaves descriptors open", failing_place);
  }
  failing_place = 0;
}

static void test_order (void **state)
{
  cleanup (scene_clear) struct scene scene = { 0 };
  cleanup_error struct error err = { 0 };
  char output[64];

  (void) state;
  CHECK (run_with (&scene, NULL, output, &err) == 0, "%s", error_text (&err));
  assert_string_equal (output, "started\n");
  assert_int_equal (scene.result.code, 3);
  CHECK (scene.result.left == NULL, "%s is left", scene.result.left);
  check_calls (
      "first.init last.init first.prepare last.prepare first.start last.start first.ended last.ended "
      "last.undo first.undo");
}

static void test_start_fails (void **state)
{
  (void) state;
  check_failing ("first.start", "first cannot be started",
                 "first.init last.init first.prepare last.prepare first.start last.undo first.undo");
  check_failing (
      "last.start", "last cannot be started",
      "first.init last.init first.prepare last.prepare first.start last.start last.undo first.undo");
}

/* The command has ended as it has, and all other parts are undone. */
static void test_undo_fails (void **state)
{
  cleanup (scene_clear) struct scene scene = { 0 };
  cleanup_error struct error err = { 0 };
  char output[64];

  (void) state;
  CHECK (run_with (&scene, "last.undo", output, &err) == 0, "%s", error_text (&err));
  assert_int_equal (scene.result.code, 3);
  assert_string_equal (scene.result.left, "clean up last: last cannot be undone");
  check_calls (
      "first.init last.init first.prepare last.prepare first.start last.start first.ended last.ended "
      "last.undo first.undo");
}

static void test_refused (void **state)
{
  cleanup (scene_clear) struct scene scene = { 0 };
  cleanup_error struct error err = { 0 };
  char output[64];

  (void) state;
  fake_verb = "--fake-lie";
  CHECK (run_with (&scene, NULL, output, &err) == 0, "%s", error_text (&err));
  fake_verb = "--fake-create";
  assert_int_equal (scene.result.reason, RUN_REFUSED);
  check_calls ("first.init last.init first.prepare last.prepare last.undo first.undo");
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_prepare_fails), cmocka_unit_test (test_prepare_fails_anywhere),
  cmocka_unit_test (test_order),         cmocka_unit_test (test_start_fails),
  cmocka_unit_test (test_undo_fails),    cmocka_unit_test (test_refused),
};

int main (int argc, char **argv)
{
  if (argc == 3 && (strcmp (argv[1], "--fake-create") == 0 || strcmp (argv[1], "--fake-lie") == 0))
    runtime_main (argv[2], strcmp (argv[1], "--fake-lie") == 0);
  fake_verb = "--fake-create";
  cmocka_set_message_output (CM_OUTPUT_TAP);
  if (geteuid () == 0)
    return cmocka_run_group_tests (cases, add_parts, NULL);
  puts ("1..0 # SKIP only root can start the fake container");
  return EXIT_SUCCESS;
}
