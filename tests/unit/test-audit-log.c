/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The audit log of a run: which events are written, in which order, with what in them, and what becomes of a
 * run whose audit log cannot be written. */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-file.h"
#include "journal-audit-log.h"
#include "posture-spoil.h"

/* Every test works in a directory of its own, which is also the working directory. */
static int enter_directory (void **state)
{
  char *directory = strdup ("/tmp/tyrum-oci-test-audit-log-XXXXXX");

  if (directory == NULL || mkdtemp (directory) == NULL || chdir (directory) < 0)
    return -1;
  umask (022);
  *state = directory;
  return 0;
}

static int remove_entry (const char *path, const struct stat *st, int type, struct FTW *ftw)
{
  (void) st;
  (void) type;
  (void) ftw;
  return remove (path);
}

static int leave_directory (void **state)
{
  int r = chdir ("/");

  if (r == 0)
    r = nftw (*state, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
  free (*state);
  return r;
}

/* A request with a word that must never be written. */
struct scene {
  struct posture_case c;
  struct posture *posture;
  struct profile *profile;
  struct request request;
  struct audit_log_request asked;
  struct audit_log log;
};

static void scene_clear (struct scene *s)
{
  posture_case_clear (&s->c);
  posture_free (s->posture);
  profile_free (s->profile);
  request_clear (&s->request);
  audit_log_clear (&s->log);
}
#define cleanup_scene cleanup (scene_clear)

static const struct configuration required = { .journal_max_bytes = 1 << 20,
                                               .journal_keep = 2,
                                               .journal_required = true };

static void more_details (struct json_writer *w, const void *data)
{
  json_string (w, "step", data);
}

static void scene_make (struct scene *s, const char *profile_name)
{
  cleanup_error struct error err = { 0 };
  cleanup_free char *text =
      str_format ("{ \"version\": 1, \"name\": \"%s\", \"meaning\": \"for tests\" }", profile_name);

  posture_case_make (&s->c);
  s->posture = judge (&s->c);
  assert_int_equal (profile_parse ("p.json", text, strlen (text), true, &s->profile, &err), 0);
  assert_int_equal (profile_resolve (s->profile, &err), 0);
  assert_int_equal (strlist_add (&s->request.argv, "make"), 0);
  assert_int_equal (strlist_add (&s->request.argv, "PASSWORD=hunter2"), 0);
  s->request.backend = backend_named ("libcrun");
  s->request.workspace = strdup ("/projects/demo");
  s->asked = (struct audit_log_request){ "run", profile_name, &s->request, more_details, "build" };
  CHECK (audit_log_open ("state", &required, &s->log, &err) == 0, "%s", error_text (&err));
}

static void plan_it (struct scene *s)
{
  cleanup_error struct error err = { 0 };

  CHECK (audit_log_planned (&s->log, &s->asked, s->profile, s->c.plan, "{}", &err) == 0, "%s",
         error_text (&err));
}

static char *journal_text (void)
{
  cleanup_error struct error err = { 0 };
  char *text = NULL;
  size_t len;

  CHECK (file_read (AT_FDCWD, "state/journal/00000000000000000001.jsonl", 1 << 20, &text, &len, &err) == 0,
         "%s", error_text (&err));
  return text;
}

/* The kinds of all lines, in their order, with blanks between. */
static char *kinds (void)
{
  cleanup_free char *text = journal_text ();
  struct strbuf buf = { 0 };
  char *rest = text;

  for (char *line = strsep (&rest, "\n"); line != NULL && *line != '\0'; line = strsep (&rest, "\n")) {
    cleanup_journal_line struct journal_line parsed = { 0 };
    cleanup_error struct error err = { 0 };

    CHECK (journal_line_parse (line, strlen (line), &parsed, &err) == 0, "%s", error_text (&err));
    strbuf_addf (&buf, "%s%s", buf.len > 0 ? " " : "", parsed.kind);
  }
  return strbuf_take (&buf);
}

static void has (const char *text, const char *part)
{
  CHECK (strstr (text, part) != NULL, "'%s' is not in %s", part, text);
}

static void test_ended (void **state)
{
  cleanup_scene struct scene s = { 0 };
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL, *order = NULL;
  char what[] = "syscall mount", rule[] = "small.json:1", allow[] = "no", left[] = "a directory";
  struct audit_log_limit limits[AUDIT_LOG_LIMITS];
  struct denial denial = {
    .control = CONTROL_SECCOMP, .what = what, .rule = rule, .allow = allow, .count = 2
  };
  const struct run_result result = { .reason = RUN_DEADLINE,
                                     .code = 124,
                                     .signal = 9,
                                     .counters = { .known = true, .oom_kills = 1, .pids_denied = 2 },
                                     .out_cut = true,
                                     .out_bytes = 11,
                                     .err_cut = true,
                                     .err_bytes = 11,
                                     .left = left,
                                     .denials = { &denial, 1 } };

  (void) state;
  scene_make (&s, "case");
  plan_it (&s);
  assert_int_equal (audit_log_started (&s.log, s.posture, &err), 0);
  s.c.plan->output_bytes = 10;
  assert_int_equal (audit_log_ended (&s.log, s.c.plan, &result, &err), 0);
  order = kinds ();
  assert_string_equal (order, "requested plan posture started denial limit limit limit limit limit ended");
  /* Output that was not delivered, though there is room for it. */
  s.c.plan->output_bytes = 11;
  assert_int_equal (audit_log_limits (s.c.plan, &result, limits), 3);
  text = journal_text ();
  has (text, "\"via\":\"run\"");
  has (text, "\"command\":\"make\",\"arguments\":1");
  has (text, "\"step\":\"build\"");
  has (text, "\"plan\":\"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a\"");
  has (text, "\"verdict\":\"verified\"");
  has (text, "\"control\":\"limits.wall\"");
  has (text, "\"what\":\"syscall mount\"");
  has (text, "\"reason\":\"deadline\",\"code\":124,\"signal\":9");
  has (text, "\"left\":\"a directory\"");
  assert_null (strstr (text, "hunter2"));
}

/* What a run goes without is named, each by itself; so is a profile that gives more than others may. */
static void test_waived_and_elevated (void **state)
{
  cleanup_scene struct scene s = { 0 };
  cleanup_free char *text = NULL, *order = NULL;

  (void) state;
  scene_make (&s, "unsafe");
  s.c.plan->controls[CONTROL_LIMITS_PIDS].accepted = true;
  s.c.plan->controls[CONTROL_LIMITS_CPU].accepted = true;
  plan_it (&s);
  order = kinds ();
  assert_string_equal (order, "requested plan elevation waiver waiver");
  text = journal_text ();
  has (text, "\"elevated_by\":\"unsafe\"");
  has (text, "\"control\":\"limits.pids\"");
  has (text, "\"control\":\"limits.cpu\"");
}

static void test_changed (void **state)
{
  cleanup_scene struct scene s = { 0 };
  cleanup_free char *order = NULL, *text = NULL;

  (void) state;
  scene_make (&s, "case");
  plan_it (&s);
  plan_it (&s);
  s.c.plan->profile_digest[strlen ("sha256:")] ^= 1;
  plan_it (&s);
  order = kinds ();
  assert_string_equal (order, "requested plan requested plan requested plan profile_changed");
  text = journal_text ();
  has (text, "\"before\":\"sha256:");
}

static void test_refused (void **state)
{
  cleanup_scene struct scene s = { 0 };
  cleanup_error struct error err = { 0 }, why = { 0 };
  cleanup_free char *order = NULL, *text = NULL;

  (void) state;
  scene_make (&s, "case");
  error_set (&why, -EPERM, "it may not");
  s.posture->overall = OVERALL_VIOLATED;
  s.posture->controls[CONTROL_SECCOMP].verdict = VERDICT_VIOLATED;
  s.posture->controls[CONTROL_LIMITS_CPU].verdict = VERDICT_WAIVED;
  assert_int_equal (audit_log_refused (&s.log, &s.asked, NULL, &why, &err), 0);
  assert_int_equal (audit_log_refused (&s.log, NULL, s.posture, &why, &err), 0);
  order = kinds ();
  assert_string_equal (order, "requested refused posture refused");
  text = journal_text ();
  has (text, "\"reason\":\"it may not\"");
  has (text, "\"violated\":[\"process.seccomp\"]");
  has (text, "\"waived\":[\"limits.cpu\"]");
}

/* An engine's container: several processes write its audit log, each line names it, and a profile that is
 * another than the last time is told. */
static void test_container (void **state)
{
  cleanup_scene struct scene s = { 0 };
  cleanup_error struct error err = { 0 }, why = { 0 };
  cleanup_audit_log struct audit_log log = { 0 }, later = { 0 };
  cleanup_free char *order = NULL, *text = NULL, *again = NULL, *run = NULL;
  const char *line;
  size_t named = 0;

  (void) state;
  scene_make (&s, "case");
  assert_int_equal (audit_log_open_container ("state", &required, "web\n1", NULL, &log, &err), 0);
  assert_true (run_id_is_valid (log.run));
  assert_int_equal (audit_log_profile (&log, "case", "sha256:1", &err), 0);
  assert_int_equal (audit_log_event (&log, JOURNAL_STARTED, more_details, "build", &err), 0);
  assert_int_equal (audit_log_open_container ("state", &required, "web\n1", log.run, &later, &err), 0);
  assert_string_equal (later.run, log.run);
  assert_int_equal (audit_log_profile (&later, "case", "sha256:2", &err), 0);
  error_set (&why, -EPERM, "it may not");
  assert_int_equal (audit_log_refuse (&later, s.posture, &why, &err), 0);
  order = kinds ();
  CHECK (strcmp (order, "started profile_changed posture refused") == 0, "%s", order);
  text = journal_text ();
  has (text, "\"container\":\"web\\n1\"");
  has (text, "\"before\":\"sha256:1\"");
  has (text, "\"step\":\"build\"");
  for (line = text; (line = strstr (line, "\"container\":")) != NULL; line++)
    named++;
  assert_int_equal (named, 4);
  run = str_format ("\"run\":\"%s\"", log.run);
  named = 0;
  for (line = text; (line = strstr (line, run)) != NULL; line++)
    named++;
  assert_int_equal (named, 4);

  /* An id that is none is not taken over. */
  audit_log_clear (&later);
  again = strdup (log.run);
  assert_int_equal (audit_log_open_container ("state", &required, "web", "../../x", &later, &err), 0);
  assert_true (run_id_is_valid (later.run));
  assert_string_not_equal (later.run, again);
}

/* Without a journal there is no run, unless the operator says that there may be: then it is said once. */
static void test_unwritable (void **state)
{
  struct configuration optional = required;
  cleanup_error struct error err = { 0 }, none = { 0 };
  cleanup_audit_log struct audit_log log = { 0 };
  int fd = open ("state", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

  (void) state;
  assert_true (fd >= 0);
  close (fd);
  assert_true (audit_log_open ("state", &required, &log, &err) < 0);
  has (error_text (&err), "the audit journal cannot be written");
  optional.journal_required = false;
  assert_int_equal (audit_log_open ("state", &optional, &log, &none), 0);
  assert_non_null (log.note);
  has (log.note, "this run is not in the audit journal");
  assert_int_equal (audit_log_started (&log, NULL, &none), 0);
  assert_int_equal (audit_log_event (&log, JOURNAL_STARTED, NULL, NULL, &none), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, enter_directory, leave_directory)

static const struct CMUnitTest cases[] = {
  TEST (test_ended),   TEST (test_waived_and_elevated), TEST (test_changed),
  TEST (test_refused), TEST (test_container),           TEST (test_unwritable),
};

UNIT_MAIN (cases)
