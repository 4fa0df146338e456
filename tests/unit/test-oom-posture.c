/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every allocation fails once where a run is judged and told of (oom-walk.h): a verdict is whole, or there is
 * none. The run is one as it should be, or with one thing spoilt. */
#include <config.h>

#include <stdlib.h>

#include "denial-outcome.h"
#include "denial-write.h"
#include "doctor-prompt.h"
#include "doctor-status.h"
#include "oom-walk.h"
#include "posture-case.h"
#include "posture-drift.h"

static struct posture_case good, spoilt;
static struct posture *judged, *broken;

static int make_inputs (void **state)
{
  struct error err = { 0 };

  (void) state;
  posture_case_make_all (&good);
  posture_case_make_all (&spoilt);
  posture_case_edit_answer (&spoilt, QUESTION_FILE, "/proc/self/status", "NoNewPrivs:\t1", "NoNewPrivs:\t0");
  if (posture_case_judge (&good, &judged, &err) < 0)
    return -1;
  return posture_case_judge (&spoilt, &broken, &err);
}

static int free_inputs (void **state)
{
  (void) state;
  posture_free (judged);
  posture_free (broken);
  posture_case_clear (&good);
  posture_case_clear (&spoilt);
  return 0;
}

static int run_questions (struct error *err)
{
  cleanup_questions struct questions questions = { 0 };
  cleanup_inside struct inside inside = { 0 };
  const struct promises promises = promises_of_plan (good.plan, &good.launch);
  int r = questions_make (&promises, &questions, err);

  return r < 0 ? r : inside_new (&questions, &inside, err);
}

/* Also what was judged without memory must be the judgement that it is with it. */
static int judge (const struct posture_case *c, const struct posture *expected, struct error *err)
{
  cleanup_posture struct posture *posture = NULL;
  int r = posture_case_judge (c, &posture, err);

  CHECK ((posture != NULL) == (r == 0), "posture_judge returns %d and %s posture", r, posture ? "a" : "no");
  CHECK (r < 0 || posture->overall == expected->overall, "another verdict: %s",
         overall_text (posture->overall));
  return r;
}

static int run_judge (struct error *err)
{
  return judge (&good, judged, err);
}

static int run_judge_spoilt (struct error *err)
{
  return judge (&spoilt, broken, err);
}

static int run_texts (struct error *err)
{
  cleanup_free char *table = posture_text (judged);
  cleanup_free char *line = table ? posture_broken_text (broken) : NULL;

  return line ? 0 : error_oom (err);
}

static int run_document (struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };
  cleanup_free char *text = NULL;

  posture_write (&w, NULL, broken);
  return json_finish (&w, &text, err);
}

static int run_prompt (struct error *err)
{
  cleanup_free char *text = NULL;

  return prompt_write (good.plan, judged, &text, err);
}

static int run_status (struct error *err)
{
  const struct status status = { .plan = good.plan, .posture = judged, .runtime = "runc 1.1" };
  cleanup_free char *text = NULL;

  return status_write (&status, &text, err);
}

static int run_drift (struct error *err)
{
  const struct drift_look look = {
    .then = &good.outside, .now = &spoilt.outside, .processes = &spoilt.outside, .count = 1
  };
  cleanup_drift struct drift drift = { 0 };

  return drift_compare (&look, &drift, err);
}

/* How a command ended is told with or without the reason. */
static int run_outcome (struct error *err)
{
  const struct outcome outcome = { .plan = good.plan,
                                   .code = 1,
                                   .deadline = true,
                                   .out_dropped = 5,
                                   .counted = true,
                                   .oom_kills = 1,
                                   .pids_denied = 2,
                                   .throttled = 9,
                                   .tail = "touch: cannot touch '/usr/x': Read-only file system\n" };
  struct denials denials = { 0 };
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_free char *text = NULL;
  int r;

  outcome_explain (&outcome, &denials);
  denials_write (&w, NULL, &denials);
  r = json_finish (&w, &text, err);
  denials_clear (&denials);
  return r;
}

static struct oom_row rows[] = {
  { "questions_make and inside_new", run_questions, 0 },
  { "posture_judge", run_judge, 0 },
  { "posture_judge, a broken promise", run_judge_spoilt, 0 },
  { "posture_text and posture_broken_text", run_texts, 0 },
  { "posture_write", run_document, 0 },
  { "prompt_write", run_prompt, 0 },
  { "status_write", run_status, 0 },
  { "drift_compare", run_drift, 0 },
  { "outcome_explain and denials_write", run_outcome, OOM_LOSES },
};

int main (void)
{
  struct CMUnitTest cases[ARRAY_LEN (rows)];

  oom_cases (rows, ARRAY_LEN (rows), cases);
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (cases, make_inputs, free_inputs);
}
