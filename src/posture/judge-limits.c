/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits as read back from the kernel, and those that the supervisor enforces. */
#include <config.h>

#include "posture-judge-internal.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

/* The kernel rounds memory down to whole pages. */
#define PAGE 4096u

static const char *no_group (const struct judge *judge)
{
  const struct outside_cgroup *group = &judge->out->group;

  if (judge->promises->cgroup_path == NULL)
    return "the run has no cgroup";
  if (!group->known)
    return "the cgroup's files could not be read";
  return group->member ? NULL : "init is not in the run's cgroup";
}

static void judge_memory (struct judge *judge)
{
  const struct outside_cgroup *group = &judge->out->group;
  uint64_t limit = judge->promises->memory / PAGE * PAGE;

  if (group->memory != limit)
    judge_say (judge, CONTROL_LIMITS_MEMORY, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "the kernel holds %" PRIu64 " bytes, not %" PRIu64, group->memory, limit);
  else if (judge->promises->swap_limit && !group->counts_swap)
    judge_say (judge, CONTROL_LIMITS_MEMORY, VERDICT_UNVERIFIED, SEEN_OUTSIDE, "swap could not be read");
  else if (group->counts_swap && group->memory_and_swap != limit && group->swap != 0)
    judge_say (judge, CONTROL_LIMITS_MEMORY, VERDICT_VIOLATED, SEEN_OUTSIDE, "swap is not bounded");
  else
    judge_say (judge, CONTROL_LIMITS_MEMORY, VERDICT_VERIFIED, SEEN_OUTSIDE, "%" PRIu64 " bytes%s", limit,
               group->counts_swap ? ", no swap" : ", swap is not counted here");
}

static void judge_pids (struct judge *judge)
{
  const struct outside_cgroup *group = &judge->out->group;

  if (group->pids != judge->promises->pids)
    judge_say (judge, CONTROL_LIMITS_PIDS, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "the kernel holds %" PRIu64 ", not %" PRIu64, group->pids, judge->promises->pids);
  else
    judge_say (judge, CONTROL_LIMITS_PIDS, VERDICT_VERIFIED, SEEN_OUTSIDE, "%" PRIu64, group->pids);
}

static void judge_cpu (struct judge *judge)
{
  const struct outside_cgroup *group = &judge->out->group;
  const struct promises *promises = judge->promises;

  if (group->quota != promises->cpu_quota || group->period != promises->cpu_period)
    judge_say (judge, CONTROL_LIMITS_CPU, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "the kernel holds %" PRIu64 " of %" PRIu64 " us, not %" PRIu64 " of %" PRIu64, group->quota,
               group->period, promises->cpu_quota, promises->cpu_period);
  else
    judge_say (judge, CONTROL_LIMITS_CPU, VERDICT_VERIFIED, SEEN_OUTSIDE, "%" PRIu64 " us of every %" PRIu64,
               group->quota, group->period);
}

static void judge_group (struct judge *judge)
{
  static const struct {
    enum control control;
    void (*judge) (struct judge *);
  } limits[] = { { CONTROL_LIMITS_MEMORY, judge_memory },
                 { CONTROL_LIMITS_PIDS, judge_pids },
                 { CONTROL_LIMITS_CPU, judge_cpu } };
  const char *why = no_group (judge);

  for (size_t i = 0; i < ARRAY_LEN (limits); i++) {
    if (!judge->promises->controls[limits[i].control].promised)
      continue;
    if (why == NULL)
      limits[i].judge (judge);
    else
      judge_say (judge, limits[i].control, judge->out->group.known ? VERDICT_VIOLATED : VERDICT_UNVERIFIED,
                 SEEN_OUTSIDE, "%s", why);
  }
}

/* The line of /proc/PID/limits: name, soft, hard, unit. */
static bool outside_files (const char *text, uint64_t *ret_soft, uint64_t *ret_hard)
{
  const char *line = text ? strstr (text, "\nMax open files ") : NULL;

  if (line == NULL)
    return false;
  line += strlen ("\nMax open files ");
  return proc_number_next (&line, ret_soft) && proc_number_next (&line, ret_hard);
}

/* The limits of init, which the command inherits. */
static void judge_files (struct judge *judge)
{
  uint64_t files = judge->promises->open_files, soft = 0, hard = 0;
  struct report_limit in;

  if (!judge->promises->controls[CONTROL_LIMITS_OPEN_FILES].promised)
    return;
  if (!inside_limit (judge->in, RLIMIT_NOFILE, &in)
      || (judge->out->seen && !outside_files (judge->out->limits, &soft, &hard)))
    judge_say (judge, CONTROL_LIMITS_OPEN_FILES, VERDICT_UNVERIFIED, SEEN_NOT,
               "RLIMIT_NOFILE could not be read");
  else if (in.soft > files || in.hard > files)
    judge_say (judge, CONTROL_LIMITS_OPEN_FILES, VERDICT_VIOLATED, SEEN_INSIDE,
               "RLIMIT_NOFILE is %" PRIu64 ":%" PRIu64 " inside, above %" PRIu64, in.soft, in.hard, files);
  else if (judge->out->seen && (soft != in.soft || hard != in.hard))
    judge_say (judge, CONTROL_LIMITS_OPEN_FILES, VERDICT_VIOLATED, SEEN_BOTH,
               "RLIMIT_NOFILE is %" PRIu64 ":%" PRIu64 " inside and %" PRIu64 ":%" PRIu64 " outside", in.soft,
               in.hard, soft, hard);
  else
    judge_say (judge, CONTROL_LIMITS_OPEN_FILES, VERDICT_VERIFIED, judge_seen (judge),
               "RLIMIT_NOFILE is %" PRIu64, in.hard);
}

static void judge_flow (struct judge *judge)
{
  const struct promises *promises = judge->promises;
  uint64_t idle = judge->out->idle_ms, rate = judge->out->output_rate;

  if (promises->idle_ms > 0 && (idle == 0 || idle > promises->idle_ms))
    judge_say (judge, CONTROL_LIMITS_IDLE, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "the timer stands at %" PRIu64 " ms, not at most %" PRIu64, idle, promises->idle_ms);
  else if (promises->idle_ms > 0)
    judge_say (judge, CONTROL_LIMITS_IDLE, VERDICT_VERIFIED, SEEN_OUTSIDE,
               "a timer of %" PRIu64 " ms runs, and starts again with each input and output",
               promises->idle_ms);
  if (promises->output_rate > 0 && (rate == 0 || rate > promises->output_rate))
    judge_say (judge, CONTROL_LIMITS_OUTPUT_RATE, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "the streams are read without a rate, or faster than %" PRIu64 " bytes per second",
               promises->output_rate);
  else if (promises->output_rate > 0)
    judge_say (judge, CONTROL_LIMITS_OUTPUT_RATE, VERDICT_VERIFIED, SEEN_OUTSIDE,
               "the streams are read at %" PRIu64 " bytes per second", rate);
}

/* Limits that the supervisor enforces; timer and cap are read back. */
static void judge_own (struct judge *judge)
{
  const struct promises *promises = judge->promises;
  uint64_t wall = judge->out->wall_ms, output = judge->out->output_bytes;

  if (promises->wall_ms > 0 && (wall == 0 || wall > promises->wall_ms))
    judge_say (judge, CONTROL_LIMITS_WALL, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "the timer stands at %" PRIu64 " ms, not at most %" PRIu64, wall, promises->wall_ms);
  else if (promises->wall_ms > 0)
    judge_say (judge, CONTROL_LIMITS_WALL, VERDICT_VERIFIED, SEEN_OUTSIDE, "a timer of %" PRIu64 " ms runs",
               promises->wall_ms);
  judge_flow (judge);
  if (promises->output_bytes == UINT64_MAX)
    return;
  if (output > promises->output_bytes)
    judge_say (judge, CONTROL_LIMITS_OUTPUT, VERDICT_VIOLATED, SEEN_OUTSIDE, "the streams are not cut");
  else
    judge_say (judge, CONTROL_LIMITS_OUTPUT, VERDICT_VERIFIED, SEEN_OUTSIDE,
               "the streams are cut at %" PRIu64 " bytes", output);
}

void judge_limits (struct judge *judge)
{
  judge_group (judge);
  judge_files (judge);
  judge_own (judge);
}
