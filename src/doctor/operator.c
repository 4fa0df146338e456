/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "doctor-operator.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base-exit-code.h"
#include "base-json-write.h"
#include "doctor-operator-internal.h"
#include "doctor-status.h"
#include "options-table.h"

#define SCRIPT_ARGUMENTS 64

static const char *const point_names[POINT_COUNT] = {
  [POINT_RUNTIME] = "the same runtime as in production",
  [POINT_FILES] = "files of the host, of other runs and secrets cannot be read",
  [POINT_NETWORK] = "the network is blocked",
  [POINT_LIMITS] = "limits end what exceeds them",
  [POINT_JOURNAL] = "runs are recorded",
};

static const char *const outcome_names[] = { "as required", "WRONG", "open" };

void checklist_add (struct checklist *list, enum point point, const char *what, bool must_work,
                    enum outcome outcome, char *seen)
{
  struct attempt *grown = realloc (list->attempts, (list->count + 1) * sizeof (*grown));

  if (grown != NULL)
    list->attempts = grown;
  if (grown == NULL || seen == NULL) {
    list->failed = true;
    free (seen);
    return;
  }
  grown[list->count++] = (struct attempt){ point, what, must_work, outcome, seen };
}

static void checklist_clear (struct checklist *list)
{
  for (size_t i = 0; i < list->count; i++)
    free (list->attempts[i].seen);
  free (list->attempts);
  free (list->runtime);
  free (list->workspace);
  session_outcome_clear (&list->first);
  probe_clear (&list->probe);
}

/* ---- Trials. */

void trial_clear (struct trial *trial)
{
  free (trial->run);
  trial->run = NULL;
}

static void read_back (int fd, char text[TRIAL_BYTES])
{
  ssize_t n = fd >= 0 ? pread (fd, text, TRIAL_BYTES - 1, 0) : 0;

  text[n > 0 ? n : 0] = '\0';
  for (char *p = text; *p != '\0'; p++)
    if ((*p < ' ' && *p != '\n') || *p > '~')
      *p = '?';
}

static void note_failure (struct trial *trial, const char *why)
{
  snprintf (trial->text, sizeof (trial->text), "%s", why);
}

int checklist_try (struct checklist *list, const char *script, const char *const *arguments,
                   struct trial *ret_trial, struct error *err)
{
  const char *argv[SCRIPT_ARGUMENTS] = { "sh", "-c", script, "sh" };
  cleanup_close int out = memfd_create ("output", MFD_CLOEXEC);
  cleanup_session_outcome struct session_outcome run = { 0 };
  cleanup_error struct error why = { 0 };
  int r;

  for (size_t i = 0; arguments[i] != NULL && i + 5 < SCRIPT_ARGUMENTS; i++)
    argv[4 + i] = arguments[i];
  *ret_trial = (struct trial){ .code = EXIT_NOT_RUN, .reason = RUN_REFUSED };
  r = probe_launch (&list->probe, argv, out, &run, list->output, &why);
  if (r == -ENOMEM)
    return error_oom (err);
  if (r < 0) {
    note_failure (ret_trial, error_text (&why));
    return 0;
  }
  ret_trial->started = run.result.reason != RUN_REFUSED && run.result.exec_errno == 0;
  ret_trial->code = run.result.code;
  ret_trial->reason = run.result.reason;
  for (enum run_phase p = PHASE_CREATE; p <= PHASE_COMMAND; p++)
    ret_trial->wall_ms += run.result.phases_us[p] / 1000;
  ret_trial->counters = run.result.counters;
  ret_trial->run = take_ptr (run.result.id);
  if (run.result.exec_errno != 0)
    note_failure (ret_trial, "there is no 'sh' in the root");
  else if (!ret_trial->started)
    note_failure (ret_trial, "the run was refused: a promise does not hold");
  else
    read_back (out, ret_trial->text);
  return 0;
}

char *trial_text (const struct trial *trial)
{
  int len = (int) strcspn (trial->text, "\n");

  if (!trial->started)
    return strdup (trial->text);
  return str_format ("exit %d, %s%s%.*s", trial->code, run_reason_text (trial->reason), len > 0 ? ": " : "",
                     len, trial->text);
}

/* ---- The first point, and the report. */

static int check_runtime (struct checklist *list, struct error *err)
{
  const struct session_outcome *run = &list->first;
  cleanup_error struct error unknown = { 0 };
  unsigned promised, verified;
  const struct posture *posture;
  int r = probe_observe (&list->probe, &list->first, list->output, err);

  if (r < 0)
    return r;
  if (probe_version (&list->probe, run, &list->runtime, &unknown) < 0)
    checklist_add (list, POINT_RUNTIME, "ask the runtime for its version", true, OUTCOME_OPEN,
                   strdup (error_text (&unknown)));
  else
    checklist_add (list, POINT_RUNTIME, "ask the runtime for its version", true, OUTCOME_RIGHT,
                   str_format ("%s, by %s", list->runtime, run->plan->backend->name));
  posture = run->result.posture;
  status_count (posture, &promised, &verified);
  checklist_add (list, POINT_RUNTIME, "launch under the profile and judge it", true,
                 posture->overall == OVERALL_VIOLATED ? OUTCOME_WRONG : OUTCOME_RIGHT,
                 str_format ("%s: %u of %u promised controls verified", overall_text (posture->overall),
                             verified, promised));
  return 0;
}

/* All files of the checks are in one directory, and the workspace is a part of it. */
static int set_up (struct checklist *list, struct error *err)
{
  int r = list->probe.scratch.path ? 0 : scratch_make (&list->probe.scratch, err);

  if (r == 0)
    r = scratch_directory (&list->probe.scratch, "tried", &list->workspace, err);
  list->probe.request.workspace_instead = list->workspace;
  return r;
}

static enum outcome outcome_of (const struct checklist *list, enum point point)
{
  enum outcome outcome = OUTCOME_OPEN;
  bool any = false, open = false;

  for (size_t i = 0; i < list->count; i++) {
    if (list->attempts[i].point != point)
      continue;
    any = true;
    if (list->attempts[i].outcome == OUTCOME_WRONG)
      return OUTCOME_WRONG;
    open = open || list->attempts[i].outcome == OUTCOME_OPEN;
  }
  if (any && !open)
    outcome = OUTCOME_RIGHT;
  return outcome;
}

static const char *point_state (enum outcome outcome)
{
  static const char *const names[] = { "holds", "does not hold", "open" };

  return names[outcome];
}

static void write_attempt (struct json_writer *w, const struct attempt *attempt)
{
  json_object_begin (w, NULL);
  json_string (w, "what", attempt->what);
  json_string (w, "must", attempt->must_work ? "work" : "fail");
  json_string (w, "outcome",
               attempt->outcome == OUTCOME_OPEN    ? "open"
               : attempt->outcome == OUTCOME_RIGHT ? "right"
                                                   : "wrong");
  json_string (w, "seen", attempt->seen);
  json_object_end (w);
}

static int print_json (const struct checklist *list, struct output *output, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };

  json_object_begin (&w, NULL);
  json_string (&w, "schema", "tyrum-oci/operator/1");
  json_string (&w, "profile", list->first.plan->profile_name);
  json_string (&w, "profile_digest", list->first.plan->profile_digest);
  json_string (&w, "backend", list->first.plan->backend->name);
  json_string (&w, "runtime", list->runtime);
  json_bool (&w, "holds", output->status == 0);
  json_array_begin (&w, "points");
  for (enum point p = 0; p < POINT_COUNT; p++) {
    json_object_begin (&w, NULL);
    json_number (&w, "number", p + 1);
    json_string (&w, "name", point_names[p]);
    json_string (&w, "state", point_state (outcome_of (list, p)));
    json_array_begin (&w, "attempts");
    for (size_t i = 0; i < list->count; i++)
      if (list->attempts[i].point == p)
        write_attempt (&w, &list->attempts[i]);
    json_array_end (&w);
    json_object_end (&w);
  }
  json_array_end (&w);
  json_object_end (&w);
  return json_finish_into (&w, &output->out, err);
}

static int print_point (const struct checklist *list, enum point point, struct output *output,
                        struct error *err)
{
  static const enum tone tones[] = { TONE_GOOD, TONE_BAD, TONE_WARN };
  cleanup_table struct table table = { .columns = 5, .keep = 1u << 1 | 1u << 4 };
  enum outcome outcome = outcome_of (list, point);
  cleanup_free char *title = str_format ("%u. %s: ", point + 1, point_names[point]);

  if (title == NULL)
    return error_oom (err);
  text_tone (&output->out, title, strlen (title), TONE_BOLD, output->colour);
  text_tone (&output->out, point_state (outcome), strlen (point_state (outcome)), tones[outcome],
             output->colour);
  strbuf_add (&output->out, "\n");
  for (size_t i = 0; i < list->count; i++) {
    const struct attempt *attempt = &list->attempts[i];

    if (attempt->point != point)
      continue;
    table_add (&table, " ");
    table_add_tone (&table, outcome_names[attempt->outcome], tones[attempt->outcome]);
    table_add (&table, attempt->must_work ? "must work" : "must fail");
    table_add (&table, attempt->what);
    table_add (&table, attempt->seen);
  }
  return table_print (&table, output, err);
}

static int print_text (const struct checklist *list, struct output *output, struct error *err)
{
  int r = 0;

  strbuf_addf (&output->out, "profile %s on %s (%s)\n\n", list->first.plan->profile_name,
               list->first.plan->backend->name, list->runtime ? list->runtime : "version unknown");
  for (enum point p = 0; p < POINT_COUNT && r == 0; p++) {
    r = print_point (list, p, output, err);
    strbuf_add (&output->out, "\n");
  }
  strbuf_addf (&output->out, "%s\n", output->status == 0 ? "all five points hold" : "not all points hold");
  return r;
}

int operator_check (const struct arguments *arguments, struct output *output, struct error *err)
{
  static int (*const points[]) (struct checklist *, struct error *) = { check_runtime, checklist_files,
                                                                        checklist_network, checklist_limits,
                                                                        checklist_journal };
  cleanup (checklist_clear) struct checklist list = { .output = output };
  int r = probe_open (&list.probe, arguments, "check", NULL, err);

  if (r == 0)
    r = set_up (&list, err);
  for (size_t i = 0; i < ARRAY_LEN (points) && r == 0; i++)
    r = points[i](&list, err);
  if (r == 0 && list.failed)
    r = error_oom (err);
  if (r < 0)
    return r;
  for (enum point p = 0; p < POINT_COUNT; p++)
    if (outcome_of (&list, p) != OUTCOME_RIGHT)
      output->status = 1;
  return arguments_have (arguments, OPTION_JSON) ? print_json (&list, output, err)
                                                 : print_text (&list, output, err);
}
