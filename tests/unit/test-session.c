/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The session API without a command line, root or a container: what is refused, what a sink can refuse, and a
 * run without a sandbox, which the operator of this test allows. */
#include <config.h>

#include "session-session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "unit.h"

/* What came, a letter each, and what was said with it. */
struct watched {
  char kinds[32];
  enum session_event_kind refuse; /* SESSION_PROGRESS: nothing is */
  char why[512], output[2][64];
  int code;
};

static const char letters[] = {
  [SESSION_PLANNED] = 'p', [SESSION_REFUSED] = 'r',  [SESSION_POSTURE] = 'o', [SESSION_STARTED] = 's',
  [SESSION_DENIAL] = 'd',  [SESSION_LIMIT] = 'l',    [SESSION_OUTPUT] = 'w',  [SESSION_ENDED] = 'e',
  [SESSION_NOTE] = 'n',    [SESSION_PROGRESS] = 'g',
};

static int look (void *data, const struct session_event *event, struct error *err)
{
  struct watched *seen = data;
  size_t len = strlen (seen->kinds);

  assert_true (len + 1 < sizeof (seen->kinds));
  seen->kinds[len] = letters[event->kind];
  if (event->kind == SESSION_REFUSED)
    snprintf (seen->why, sizeof (seen->why), "%s", error_text (event->refused));
  if (event->kind == SESSION_OUTPUT && event->output.bytes != NULL)
    snprintf (seen->output[event->output.stream - 1], sizeof (seen->output[0]), "%.*s",
              (int) event->output.len, event->output.bytes);
  if (event->kind == SESSION_ENDED)
    seen->code = event->run->result.code;
  return event->kind == seen->refuse ? error_set (err, -EPERM, "the sink says no") : 0;
}

static char top[] = "/tmp/tyrum-oci-test-XXXXXX";

static char *below (const char *name)
{
  static char paths[4][128];
  static unsigned next;
  char *path = paths[next++ % ARRAY_LEN (paths)];

  snprintf (path, sizeof (paths[0]), "%s/%s", top, name);
  return path;
}

static void put (const char *name, const char *text)
{
  struct error err = { 0 };

  assert_int_equal (file_write_atomic (AT_FDCWD, below (name), text, strlen (text), 0600, &err), 0);
}

static int set_up (void **state)
{
  const char *source = getenv ("TYRUM_OCI_TEST_SRCDIR");

  (void) state;
  assert_non_null (mkdtemp (top));
  assert_int_equal (mkdir (below ("conf"), 0700), 0);
  assert_int_equal (mkdir (below ("state"), 0700), 0);
  assert_int_equal (mkdir (below ("workspace"), 0700), 0);
  setenv ("TYRUM_OCI_CONFDIR", below ("conf"), 1);
  setenv ("TYRUM_OCI_STATEDIR", below ("state"), 1);
  setenv ("TYRUM_OCI_DATADIR", source ? source : ".", 1);
  return 0;
}

static int tear_down (void **state)
{
  char *argv[] = { (char[]){ "rm" }, (char[]){ "-rf" }, (char[]){ "--one-file-system" }, top, NULL };
  pid_t pid = fork ();

  (void) state;
  if (pid == 0) {
    execvp (argv[0], argv);
    _exit (127);
  }
  return pid > 0 && waitpid (pid, NULL, 0) == pid ? 0 : -1;
}

/* Runs COMMAND by sh; what the request has but for that is in REQUEST. */
static int run (struct session_request request, const char *command, struct watched *seen)
{
  static struct session_process process;
  char *words[] = { (char[]){ "/bin/sh" }, (char[]){ "-c" }, (char *) (uintptr_t) command };
  const struct strlist argv = { .items = words, .count = ARRAY_LEN (words) };
  const struct session_sink sink = { look, seen, NULL };
  struct error err = { 0 };
  int r;

  request.process = &process;
  request.via = "test";
  request.argv = &argv;
  request.workspace = below ("workspace");
  r = session_run (&request, &sink, NULL, &err);
  error_clear (&err);
  session_process_clear (&process);
  return r;
}

/* How many lines of KIND the journal has. */
static unsigned lines (const char *kind)
{
  cleanup_free char *text = NULL, *pattern = NULL;
  struct error err = { 0 };
  unsigned count = 0;

  if (file_read (AT_FDCWD, below ("state/journal/00000000000000000001.jsonl"), 1024 * 1024, &text, NULL, &err)
      < 0) {
    error_clear (&err);
    return 0;
  }
  pattern = str_format ("\"%s\"", kind);
  assert_non_null (pattern);
  for (const char *at = text; (at = strstr (at, pattern)) != NULL; at++)
    count++;
  return count;
}

static void test_refused (void **state)
{
  static char limit[] = "memory=1T", option[] = "memory";
  char *limits[] = { limit }, *wrong[] = { option };
  const struct strlist looser = { limits, 1 }, malformed = { wrong, 1 };
  const struct {
    struct session_request request;
    int result; /* 0: any error but ERROR_USAGE */
    const char *why;
    unsigned written;
  } rows[] = {
    { { SESSION_REQUEST, .profile = "absent" }, -ENOENT, "there is no profile 'absent'", 1 },
    { { SESSION_REQUEST, .limits = &looser, .backend = "libcrun" }, 0, "limits.memory", 1 },
    { { SESSION_REQUEST, .limits = &malformed }, ERROR_USAGE, "is not KEY=VALUE", 0 },
    { { SESSION_REQUEST, .host_facts = "host.json" }, ERROR_USAGE, "only described", 0 },
    { { SESSION_REQUEST, .rootfs = "/", .image = "x" }, ERROR_USAGE, "both name a root", 0 },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    struct watched seen = { .refuse = SESSION_PROGRESS };
    unsigned before = lines ("refused");
    int r = run (rows[i].request, "exit 0", &seen);

    CHECK (rows[i].result != 0 ? r == rows[i].result : r < 0 && r != ERROR_USAGE, "row %zu: %d", i, r);
    CHECK (strcmp (seen.kinds, "r") == 0, "row %zu: events '%s'", i, seen.kinds);
    CHECK (strstr (seen.why, rows[i].why) != NULL, "row %zu: '%s'", i, seen.why);
    CHECK (lines ("refused") - before == rows[i].written, "row %zu: the journal", i);
  }
}

/* Whatever this user lacks on this host is accepted, so that there is a plan to say no to. */
static void test_sink_refuses (void **state)
{
  cleanup_strlist struct strlist accepted = { 0 };
  const struct session_request request = { SESSION_REQUEST, .profile = "root-inside", .backend = "libcrun",
                                           .accepted = &accepted };
  struct watched seen = { .refuse = SESSION_PLANNED };
  unsigned refused = lines ("refused"), planned = lines ("plan");

  (void) state;
  assert_int_equal (mkdir (below ("conf/profiles"), 0700), 0);
  put ("conf/profiles/root-inside.json",
       "{ \"version\": 1, \"name\": \"root-inside\", \"extends\": \"unsafe\","
       " \"meaning\": \"Every user has this one.\","
       " \"process\": { \"user\": \"0:0\" } }\n");
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    if (c != CONTROL_ISOLATION_TYPE)
      assert_int_equal (strlist_add (&accepted, control_info (c)->name), 0);
  assert_int_equal (run (request, "exit 0", &seen), -EPERM);
  CHECK (strcmp (seen.kinds, "pr") == 0, "%s: %s", seen.kinds, seen.why);
  assert_string_equal (seen.why, "the sink says no");
  assert_int_equal (lines ("refused"), refused + 1);
  assert_int_equal (lines ("plan"), planned);
}

static void test_unconfined (void **state)
{
  struct session_request request = { SESSION_REQUEST, .profile = "rawdog", .unconfined = true };
  struct watched first = { .refuse = SESSION_PROGRESS }, denied = { .refuse = SESSION_STARTED },
                 free_run = { .refuse = SESSION_PROGRESS };

  (void) state;
  /* Without the ceiling's word the plan is refused. */
  assert_true (run (request, "exit 7", &first) < 0);
  assert_string_equal (first.kinds, "r");
  put ("conf/ceiling.json", "{ \"version\": 1, \"allow_rawdog\": true }\n");
  assert_int_equal (run (request, "echo ran > ran", &denied), -EPERM);
  assert_string_equal (denied.kinds, "psr");
  assert_true (access ("ran", F_OK) < 0);
  assert_int_equal (run (request, "exit 7", &free_run), 0);
  assert_string_equal (free_run.kinds, "pswwe");
  assert_int_equal (free_run.code, 7);
}

/* A journal that cannot be written refuses the run, unless the operator says otherwise. */
static void test_journal (void **state)
{
  const struct session_request request = { SESSION_REQUEST, .profile = "rawdog", .unconfined = true };
  struct watched seen = { .refuse = SESSION_PROGRESS }, silent = { .refuse = SESSION_PROGRESS };

  (void) state;
  put ("not-a-directory", "");
  setenv ("TYRUM_OCI_STATEDIR", below ("not-a-directory"), 1);
  assert_true (run (request, "exit 7", &seen) < 0);
  assert_string_equal (seen.kinds, "r");
  put ("conf/config.json", "{ \"version\": 1, \"journal\": { \"required\": false } }\n");
  assert_int_equal (run (request, "exit 7", &silent), 0);
  assert_string_equal (silent.kinds, "pswwen");
  setenv ("TYRUM_OCI_STATEDIR", below ("state"), 1);
}

/* Read before the workspace is known, the configuration must not lie there, nor be reached through it. */
static void test_configuration (void **state)
{
  const struct session_request request = { SESSION_REQUEST, .profile = "rawdog", .unconfined = true };
  static const char *const places[] = { "workspace/conf", "linked", "conf" };

  (void) state;
  assert_int_equal (mkdir (below ("workspace/conf"), 0700), 0);
  put ("workspace/conf/config.json", "{ \"version\": 1 }\n");
  assert_int_equal (mkdir (below ("linked"), 0700), 0);
  assert_int_equal (symlink (below ("conf/config.json"), below ("workspace/link")), 0);
  assert_int_equal (symlink (below ("workspace/link"), below ("linked/config.json")), 0);
  for (size_t i = 0; i < ARRAY_LEN (places); i++) {
    struct watched seen = { .refuse = SESSION_PROGRESS };
    int r;

    setenv ("TYRUM_OCI_CONFDIR", below (places[i]), 1);
    r = run (request, "exit 0", &seen);
    CHECK (i == 2 ? r == 0 : r < 0, "%s: %d", places[i], r);
    CHECK (i == 2 || strstr (seen.why, "configuration '") != NULL, "%s: %s", places[i], seen.why);
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_refused), cmocka_unit_test (test_sink_refuses),  cmocka_unit_test (test_unconfined),
  cmocka_unit_test (test_journal), cmocka_unit_test (test_configuration),
};

int main (void)
{
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (cases, set_up, tear_down);
}
