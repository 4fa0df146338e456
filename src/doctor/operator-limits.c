/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fourth point: time, memory, cpu and disk. Each limit is tightened, then exceeded by one
 * run and kept by another. */
#include <config.h>

#include "doctor-operator-internal.h"

#include <inttypes.h>
#include <string.h>

#define MEBIBYTE ((uint64_t) 1024 * 1024)

/* The processor time may be read a little late. */
#define CPU_SLACK_MS 100

static const char *const nothing[] = { NULL };

/* For the following runs of this part; a limit that is already tighter stays. */
static void tighten (struct checklist *list, enum setting setting, const char *text)
{
  list->probe.request.at_most[0] = (struct session_limit){ setting, text, NULL };
}

/* Why this limit is not enforced here; NULL where it is. */
static const char *why_not (const struct checklist *list, enum control control)
{
  const struct plan_control *state = &list->first.plan->controls[control];

  if (!state->promised)
    return "the profile does not promise it";
  return state->enforcement.level == ENFORCEMENT_ENFORCED ? NULL : state->enforcement.reason;
}

static void add_open (struct checklist *list, const char *what, const char *why)
{
  checklist_add (list, POINT_LIMITS, what, false, OUTCOME_OPEN, strdup (why));
}

static void add_trial (struct checklist *list, const char *what, bool must_work, const struct trial *trial,
                       bool right)
{
  enum outcome outcome = right ? OUTCOME_RIGHT : OUTCOME_WRONG;

  checklist_add (list, POINT_LIMITS, what, must_work, trial->started ? outcome : OUTCOME_OPEN,
                 trial_text (trial));
}

/* Runs SCRIPT with ARGUMENT, which must exit with 0. */
static int try_twin (struct checklist *list, const char *what, const char *script, const char *argument,
                     struct error *err)
{
  cleanup_trial struct trial trial = { 0 };
  int r = checklist_try (list, script, (const char *const[]){ argument, NULL }, &trial, err);

  if (r == 0)
    add_trial (list, what, true, &trial, trial.code == 0);
  return r;
}

static int try_time (struct checklist *list, struct error *err)
{
  cleanup_trial struct trial trial = { 0 };
  const char *why = why_not (list, CONTROL_LIMITS_WALL);
  int r;

  if (why != NULL) {
    add_open (list, "time: sleep past the deadline", why);
    return 0;
  }
  tighten (list, SETTING_WALL, "2s");
  r = checklist_try (list, "sleep 600", nothing, &trial, err);
  if (r < 0)
    return r;
  add_trial (list, "time: sleep past the deadline", false, &trial, trial.reason == RUN_DEADLINE);
  return try_twin (list, "time: end before it", "sleep 0", "", err);
}

static int try_memory (struct checklist *list, struct error *err)
{
  cleanup_trial struct trial trial = { 0 };
  const char *why = why_not (list, CONTROL_LIMITS_MEMORY);
  int r;

  if (why != NULL) {
    add_open (list, "memory: use more than the limit", why);
    return 0;
  }
  tighten (list, SETTING_MEMORY, "64M");
  r = checklist_try (list, "exec dd if=/dev/zero of=/dev/null bs=256M count=1", nothing, &trial, err);
  if (r < 0)
    return r;
  /* A runtime with its own kernel is killed as a whole, and cannot report how the command ended. */
  if (!trial.started && plan_has_own_kernel (list->first.plan))
    checklist_add (list, POINT_LIMITS, "memory: use more than the limit", false, OUTCOME_RIGHT,
                   trial_text (&trial));
  else
    add_trial (list, "memory: use more than the limit", false, &trial,
               trial.code != 0 && (trial.counters.oom_kills > 0 || plan_has_own_kernel (list->first.plan)));
  return try_twin (list, "memory: use less", "exec dd if=/dev/zero of=/dev/null bs=1M count=1 2>/dev/null",
                   "", err);
}

/* About a tenth of a second of work. */
static const char work_script[] = "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done";

static int try_cpu (struct checklist *list, struct error *err)
{
  cleanup_trial struct trial trial = { 0 };
  const char *why = why_not (list, CONTROL_LIMITS_CPU);
  const struct value *given = &list->first.plan->settings.values[SETTING_CPUS];
  uint64_t milli = value_is_set (given) && given->number < 200 ? given->number : 200;
  int r;

  if (why != NULL) {
    add_open (list, "cpu: work with a fifth of a processor", why);
    return 0;
  }
  r = try_twin (list, "cpu: the same work with what the profile gives", work_script, "", err);
  if (r == 0)
    tighten (list, SETTING_CPUS, "0.2");
  r = checklist_try (list, work_script, nothing, &trial, err);
  if (r < 0)
    return r;
  if (!trial.started || !trial.counters.known)
    add_open (list, "cpu: work with a fifth of a processor",
              trial.started ? "the counters of the cgroup are not known" : trial.text);
  else
    checklist_add (list, POINT_LIMITS, "cpu: work with a fifth of a processor", false,
                   trial.counters.throttled > 0
                           && trial.counters.cpu_ns / 1000000 <= trial.wall_ms * milli / 1000 + CPU_SLACK_MS
                       ? OUTCOME_RIGHT
                       : OUTCOME_WRONG,
                   str_format ("throttled %" PRIu64 " times: %" PRIu64 " ms of processor in %" PRIu64 " ms",
                               trial.counters.throttled, trial.counters.cpu_ns / 1000000, trial.wall_ms));
  return 0;
}

static const char fill_script[] = "exec dd if=/dev/zero of=/tmp/fill bs=1M count=$1 2>&1";

/* Reports also that the workspace has no limit of its own. */
static void add_disk (struct checklist *list, const struct trial *trial)
{
  bool full = strstr (trial->text, "No space left") != NULL || trial->counters.oom_kills > 0;
  cleanup_free char *text = trial_text (trial);

  checklist_add (list, POINT_LIMITS, "disk: write more to /tmp than it holds", false,
                 !trial->started            ? OUTCOME_OPEN
                 : trial->code != 0 && full ? OUTCOME_RIGHT
                                            : OUTCOME_WRONG,
                 text ? str_format ("%s (the workspace is not bounded: %s)", text,
                                    enforcement_of (CONTROL_LIMITS_DISK, list->first.plan->backend).reason)
                      : NULL);
}

static int try_disk (struct checklist *list, struct error *err)
{
  const struct value *tmp = &list->first.plan->settings.values[SETTING_TMP];
  const char *why = why_not (list, CONTROL_TMP_BOUNDED);
  cleanup_trial struct trial trial = { 0 };
  char blocks[24];
  int r;

  if (why != NULL) {
    add_open (list, "disk: write more to /tmp than it holds", why);
    return 0;
  }
  snprintf (blocks, sizeof (blocks), "%" PRIu64, tmp->number / MEBIBYTE + 8);
  r = checklist_try (list, fill_script, (const char *const[]){ blocks, NULL }, &trial, err);
  if (r < 0)
    return r;
  add_disk (list, &trial);
  return try_twin (list, "disk: write less", fill_script, "1", err);
}

int checklist_limits (struct checklist *list, struct error *err)
{
  static int (*const parts[]) (struct checklist *, struct error *) = { try_time, try_memory, try_cpu,
                                                                       try_disk };
  int r = 0;

  for (size_t i = 0; r == 0 && i < ARRAY_LEN (parts); i++) {
    r = parts[i](list, err);
    list->probe.request.at_most[0] = (struct session_limit){ 0 };
  }
  return r;
}
