/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A backend that is in no table, in this one file: the supervisor runs it like any other.
 *
 * Its "container" is a process that runs the real tyrum-oci-init in a pid namespace, as another user and
 * without new privileges; this program is its runtime, too. It declares what that enforces, and the rest as
 * weaker. The same backend with a runtime that forgets no_new_privileges is refused before the command
 * starts.
 */
#include <config.h>

#include "control-backend.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base-file.h"
#include "base-json-read.h"
#include "base-limits.h"
#include "engine-reply.h"
#include "render-oci.h"
#include "state-run-dir.h"
#include "supervisor-driver.h"
#include "supervisor-run.h"
#include "unit.h"

/* ---- The runtime: PROGRAM --fake-create|--fake-lie BUNDLE. */

static void __attribute__ ((noreturn)) give_up (const char *what)
{
  perror (what);
  _exit (EXIT_FAILURE);
}

static char **list_of (const struct json_node *array)
{
  char **list = calloc (array->count + 1, sizeof (*list));

  for (size_t i = 0; list != NULL && i < array->count; i++)
    list[i] = array->items[i]->text;
  return list;
}

/* Where the stage has what the document wants at TARGET. */
static int open_source (const struct json_node *mounts, const char *target)
{
  for (size_t i = 0; i < mounts->count; i++)
    if (strcmp (json_get (mounts->items[i], "destination")->text, target) == 0)
      return open (json_get (mounts->items[i], "source")->text, O_PATH | O_CLOEXEC);
  return -1;
}

static gid_t number (const struct json_node *tree, const char *way)
{
  return (gid_t) strtoul (reply_at (tree, way)->text, NULL, 10);
}

static void __attribute__ ((noreturn)) runtime_main (const char *bundle, bool lies)
{
  static const struct json_limits limits = { LIMIT_PROFILE_BYTES, 64, 100000, .comments = false };
  struct json_node *tree = NULL;
  struct error err = { 0 };
  char *path = str_format ("%s/config.json", bundle), *text = NULL, **argv, **env;
  size_t len = 0;
  int init;

  if (path == NULL || file_read (AT_FDCWD, path, LIMIT_PROFILE_BYTES, &text, &len, &err) < 0
      || json_read (path, text, len, &limits, &tree, &err) < 0)
    give_up ("read the document");
  argv = list_of (reply_at (tree, "process.args"));
  env = list_of (reply_at (tree, "process.env"));
  init = open_source (json_get (tree, "mounts"), STAGE_INIT_TARGET);
  if (argv == NULL || env == NULL || init < 0)
    give_up ("find init");
  /* The supervisor is the parent of what is left when this process has ended. */
  if (unshare (CLONE_NEWPID) < 0)
    give_up ("make a pid namespace");
  if (fork () != 0)
    _exit (EXIT_SUCCESS);
  if (chdir ("/") < 0 || setgroups (0, NULL) < 0 || setgid (number (tree, "process.user.gid")) < 0
      || setuid (number (tree, "process.user.uid")) < 0)
    give_up ("become the user");
  if (!lies && prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
    give_up ("give up new privileges");
  fexecve (init, argv, env);
  give_up ("execute init");
}

/* ---- The backend. */

static const char *fake_verb;

static int fake_find (const char *runtime, const char *helper, char **ret_path, struct error *err)
{
  (void) runtime;
  (void) helper;
  *ret_path = realpath ("/proc/self/exe", NULL);
  return *ret_path ? 0 : error_set_errno (err, errno, "find ourselves");
}

/* Created and started in one go; its processes are the supervisor's to end. */
static int fake_argv (const struct runtime_call *call, enum runtime_step step, struct strlist *ret_argv,
                      struct error *err)
{
  if (step != STEP_CREATE)
    return 0;
  return strlist_add (ret_argv, call->program) < 0 || strlist_add (ret_argv, fake_verb) < 0
                 || strlist_add (ret_argv, call->bundle) < 0
             ? error_oom (err)
             : 0;
}

static char *fake_failure (const struct runtime_call *call, enum runtime_step step, int control)
{
  (void) call;
  (void) step;
  (void) control;
  return NULL;
}

static const struct runtime_program fake_program = {
  .find = fake_find,
  .argv = fake_argv,
  .failure = fake_failure,
};

static struct enforcement_row fake_rows[CONTROL_COUNT + 1];

static const enum control enforced[] = { CONTROL_ISOLATION_TYPE,    CONTROL_USER_NON_ROOT,
                                         CONTROL_NO_NEW_PRIVILEGES, CONTROL_ENVIRONMENT_CLEAN,
                                         CONTROL_LIMITS_WALL,       CONTROL_LIMITS_OUTPUT };

static struct backend fake = {
  .name = "fake",
  .isolation = ISOLATION_LOCAL,
  .rows = fake_rows,
  .observed = true,
  .document = "oci",
  .render = render_oci,
  .driver = &run_by_programs,
  .program = &fake_program,
};

static int declare (void **state)
{
  (void) state;
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    fake_rows[c] = (struct enforcement_row){ c, -1, ENFORCEMENT_WEAKER, true, "a plain process" };
  for (size_t i = 0; i < ARRAY_LEN (enforced); i++)
    fake_rows[enforced[i]].level = ENFORCEMENT_ENFORCED;
  return 0;
}

/* ---- Runs of it. */

static const char fake_profile[] =
    "{ \"version\": 1, \"name\": \"fake\", \"meaning\": \"for tests\", \"isolation\": { \"type\": \"local\" "
    "},"
    " \"process\": { \"user\": \"10001:10001\", \"user_namespace\": \"host\", \"no_new_privileges\": true },"
    " \"limits\": { \"wall\": \"20s\", \"output\": \"4K\" },"
    " \"require\": [\"process.no_new_privileges\"] }";

struct scene {
  struct host_facts *host;
  struct plan *plan;
  char *init;
  char state[64];
  char id[RUN_ID_SIZE];
  struct run_result result;
};

static void scene_clear (struct scene *scene)
{
  cleanup_free char *runs = str_format ("%s/runs", scene->state), *ids = str_format ("%s/ids", scene->state);

  run_result_clear (&scene->result);
  plan_free (scene->plan);
  host_facts_free (scene->host);
  free (scene->init);
  /* Nothing may be left in them. */
  if (runs != NULL)
    rmdir (runs);
  if (ids != NULL)
    rmdir (ids);
  rmdir (scene->state);
}

static void make_plan (struct scene *scene, const char *script)
{
  cleanup_profile struct profile *profile = NULL;
  cleanup_request struct request request = { .backend = &fake, .run_id = strdup (scene->id) };
  cleanup_error struct error err = { 0 };
  struct ceiling ceiling = { 0 };
  const char *top = getenv ("TYRUM_OCI_TEST_SRCDIR");
  cleanup_free char *path = NULL, *list = NULL;
  size_t len;

  assert_int_equal (profile_parse ("fake.json", fake_profile, strlen (fake_profile), true, &profile, &err),
                    0);
  assert_int_equal (profile_resolve (profile, &err), 0);
  /* Init loads it, whatever the runtime does. */
  path = str_format ("%s/profiles/seccomp/strict.json", top ? top : ".");
  CHECK (file_read (AT_FDCWD, path, LIMIT_PROFILE_BYTES, &list, &len, &err) == 0
             && seccomp_list_parse (path, list, len, &profile->seccomp, &err) == 0,
         "%s", error_text (&err));
  assert_true (strlist_add (&request.argv, "/bin/sh") == 0 && strlist_add (&request.argv, "-c") == 0
               && strlist_add (&request.argv, script) == 0);
  CHECK (plan_build (profile, &request, &ceiling, scene->host, &scene->plan, &err) == 0, "%s",
         error_text (&err));
}

/* Runs SCRIPT, and reads what it printed into OUTPUT. What run_execute returns. */
static int try_fake (struct scene *scene, const char *script, char output[64], struct error *ret_err)
{
  const char *build = getenv ("TYRUM_OCI_TEST_BUILDDIR");
  cleanup_error struct error err = { 0 };
  int ends[2], r;
  ssize_t n;

  strcpy (scene->state, "/tmp/test-fake-backend.XXXXXX");
  assert_non_null (mkdtemp (scene->state));
  scene->init = str_format ("%s/tyrum-oci-init", build ? build : ".");
  assert_int_equal (host_look (&scene->host, &err), 0);
  assert_int_equal (host_look_root (scene->host, &err), 0);
  free (scene->host->state_dir);
  scene->host->state_dir = strdup (scene->state);
  assert_int_equal (run_id_make (scene->id, &err), 0);
  make_plan (scene, script);
  assert_int_equal (pipe2 (ends, O_CLOEXEC), 0);
  r = run_execute (&(const struct run_options){ .host = scene->host,
                                                .plan = scene->plan,
                                                .init = scene->init,
                                                .cache = scene->state,
                                                .helper_path = "",
                                                .in = -1,
                                                .out = ends[1],
                                                .err = STDERR_FILENO,
                                                .id = scene->id },
                   &scene->result, ret_err);
  close (ends[1]);
  n = read (ends[0], output, 63);
  output[n > 0 ? n : 0] = '\0';
  close (ends[0]);
  return r;
}

#ifndef FAKE_BACKEND_ONLY /* test-fake-part.c has runs of its own */

static void run_fake (struct scene *scene, const char *script, char output[64])
{
  cleanup_error struct error err = { 0 };

  CHECK (try_fake (scene, script, output, &err) == 0, "%s", error_text (&err));
}

static void test_runs (void **state)
{
  cleanup (scene_clear) struct scene scene = { 0 };
  cleanup_free char *directory = NULL, *broken = NULL;
  char output[64];

  (void) state;
  run_fake (&scene, "id -u; exit 3", output);
  broken = posture_broken_text (scene.result.posture);
  CHECK (scene.result.reason == RUN_EXITED, "%s: %s", run_reason_text (scene.result.reason), broken);
  assert_string_equal (output, "10001\n");
  assert_int_equal (scene.result.code, 3);
  for (size_t i = 0; i < ARRAY_LEN (enforced); i++) {
    const struct posture_control *control = &scene.result.posture->controls[enforced[i]];

    CHECK (control->verdict == VERDICT_VERIFIED, "%s: %s", control_info (enforced[i])->name,
           control->evidence ? control->evidence : "");
  }
  CHECK (scene.result.left == NULL, "%s is left", scene.result.left);
  directory = str_format ("%s/runs/%s", scene.state, scene.id);
  assert_true (directory != NULL && access (directory, F_OK) < 0);
}

/* What its rows promise is observed on it, too. */
static void test_lie_is_refused (void **state)
{
  cleanup (scene_clear) struct scene scene = { 0 };
  char output[64];

  (void) state;
  fake_verb = "--fake-lie";
  run_fake (&scene, "echo started", output);
  fake_verb = "--fake-create";
  assert_string_equal (output, "");
  assert_int_equal (scene.result.reason, RUN_REFUSED);
  assert_int_equal (scene.result.posture->controls[CONTROL_NO_NEW_PRIVILEGES].verdict, VERDICT_VIOLATED);
}

/* A kind of isolation is enforced by backends of that kind only. */
static void test_kind (void **state)
{
  struct enforcement enforcement;

  (void) state;
  assert_false (enforcement_of_value (CONTROL_ISOLATION_TYPE, &fake, ISOLATION_LOCAL, &enforcement));
  assert_true (enforcement_of_value (CONTROL_ISOLATION_TYPE, &fake, ISOLATION_VM, &enforcement));
  assert_true (enforcement_of_value (CONTROL_ISOLATION_TYPE, backends[0], ISOLATION_LOCAL, &enforcement));
  assert_int_equal (enforcement.level, ENFORCEMENT_IMPOSSIBLE);
}

static const struct CMUnitTest cases[] = { cmocka_unit_test (test_kind) };
static const struct CMUnitTest cases_of_root[] = {
  cmocka_unit_test (test_kind),
  cmocka_unit_test (test_runs),
  cmocka_unit_test (test_lie_is_refused),
};

int main (int argc, char **argv)
{
  if (argc == 3 && (strcmp (argv[1], "--fake-create") == 0 || strcmp (argv[1], "--fake-lie") == 0))
    runtime_main (argv[2], strcmp (argv[1], "--fake-lie") == 0);
  fake_verb = "--fake-create";
  cmocka_set_message_output (CM_OUTPUT_TAP);
  if (geteuid () == 0)
    return cmocka_run_group_tests (cases_of_root, declare, NULL);
  print_message ("# only root can start the fake container\n");
  return cmocka_run_group_tests (cases, declare, NULL);
}

#endif
