/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "posture-judge-internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Orders verdicts from good to bad; unverified is worse than verified. */
static unsigned badness (enum verdict verdict)
{
  switch (verdict) {
  case VERDICT_VERIFIED: return 0;
  case VERDICT_VIOLATED: return 2;
  case VERDICT_UNVERIFIED:
  case VERDICT_WAIVED: break;
  }
  return 1;
}

/* Appends EVIDENCE to that of an equal verdict. Takes EVIDENCE. */
static void add_evidence (struct judge *judge, struct posture_control *state, enum seen seen, char *evidence)
{
  char *joined = str_format ("%s; %s", state->evidence, evidence);

  free (evidence);
  judge->failed = judge->failed || joined == NULL;
  if (joined != NULL) {
    free (state->evidence);
    state->evidence = joined;
  }
  state->seen |= seen;
}

/* Names from inside may contain any bytes, and a newline could forge a line of our output. */
static void one_line (char *text)
{
  for (char *p = text; *p != '\0'; p++)
    if ((unsigned char) *p < ' ' || *p == 0x7f)
      *p = '?';
}

void judge_say (struct judge *judge, enum control control, enum verdict verdict, enum seen seen,
                const char *format, ...)
{
  struct posture_control *state = &judge->posture->controls[control];
  char *evidence = NULL;
  va_list ap;

  va_start (ap, format);
  if (vasprintf (&evidence, format, ap) < 0)
    evidence = NULL;
  va_end (ap);
  if (evidence == NULL) {
    judge->failed = true;
    return;
  }
  one_line (evidence);
  if (state->evidence != NULL && verdict == VERDICT_VERIFIED && state->observed == VERDICT_VERIFIED) {
    add_evidence (judge, state, seen, evidence);
    return;
  }
  /* The first of several equally bad verdicts is enough. */
  if (state->evidence != NULL && badness (verdict) <= badness (state->observed)) {
    free (evidence);
    return;
  }
  free (state->evidence);
  state->evidence = evidence;
  state->observed = verdict;
  state->seen = seen;
}

enum seen judge_seen (const struct judge *judge)
{
  return judge->out->seen ? SEEN_BOTH : SEEN_INSIDE;
}

static void read_statuses (struct judge *judge)
{
  const char *text = inside_text (judge->in, QUESTION_FILE, "/proc/self/status");

  judge->has_in = text != NULL && proc_status_read (text, &judge->in_status);
  judge->has_out = judge->out->seen && judge->out->status != NULL
                   && proc_status_read (judge->out->status, &judge->out_status);
}

/* A control that backend or host enforce only in part, or not at all, is unverified whatever was observed. */
static void weaken (struct judge *judge, const struct enforcement *enforcement, struct posture_control *state)
{
  bool weaker = enforcement->level == ENFORCEMENT_WEAKER;
  char *evidence = str_format ("%s: %s%s%s", weaker ? "weaker here" : "left out", enforcement->reason,
                               state->evidence ? "; seen: " : "", state->evidence ? state->evidence : "");

  judge->failed = judge->failed || evidence == NULL;
  free (state->evidence);
  state->evidence = evidence;
  state->observed = VERDICT_UNVERIFIED;
}

/* Sets the rule, applies waivers, and marks a control without evidence unverified. */
static void conclude (struct judge *judge, enum control c)
{
  const struct plan_control *planned = &judge->promises->controls[c];
  struct posture_control *state = &judge->posture->controls[c];

  state->promised = planned->promised;
  state->required = planned->required;
  state->rule = control_rule_text (c, judge->promises->settings);
  judge->failed = judge->failed || state->rule == NULL;
  if (planned->enforcement.level != ENFORCEMENT_ENFORCED)
    weaken (judge, &planned->enforcement, state);
  else if (state->evidence == NULL)
    judge_say (judge, c, VERDICT_UNVERIFIED, SEEN_NOT, "nothing observes it");
  state->verdict = state->observed;
  if (planned->accepted && state->observed != VERDICT_VERIFIED)
    state->verdict = VERDICT_WAIVED;
}

static enum overall sum_up (const struct posture *posture)
{
  enum overall overall = OVERALL_VERIFIED;

  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    const struct posture_control *state = &posture->controls[c];
    bool bad = state->verdict == VERDICT_UNVERIFIED || state->verdict == VERDICT_VIOLATED;

    if (!state->promised || state->verdict == VERDICT_VERIFIED)
      continue;
    /* A violated control violates the posture, required or not. */
    if ((state->required && bad) || state->verdict == VERDICT_VIOLATED)
      return OVERALL_VIOLATED;
    overall = OVERALL_PARTIAL;
  }
  return overall;
}

int posture_judge (const struct promises *promises, const struct inside *inside,
                   const struct outside *outside, struct posture **ret_posture, struct error *err)
{
  static void (*const topics[]) (struct judge *) = { judge_identity,    judge_process, judge_seccomp,
                                                     judge_mounts,      judge_paths,   judge_spaces,
                                                     judge_cgroup,      judge_network, judge_limits,
                                                     judge_environment, judge_tools };
  cleanup_posture struct posture *posture = calloc (1, sizeof (*posture));
  struct judge judge = { .promises = promises, .in = inside, .out = outside, .posture = posture };

  if (posture == NULL)
    return error_oom (err);
  read_statuses (&judge);
  for (size_t i = 0; i < ARRAY_LEN (topics); i++)
    topics[i](&judge);
  proc_mounts_clear (&judge.mounts);
  proc_mounts_clear (&judge.outside_mounts);
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    conclude (&judge, c);
  if (judge.failed)
    return error_oom (err);
  posture->overall = sum_up (posture);
  *ret_posture = take_ptr (posture);
  return 0;
}

void posture_free (struct posture *posture)
{
  if (posture == NULL)
    return;
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    free (posture->controls[c].evidence);
    free (posture->controls[c].rule);
  }
  free (posture);
}
