/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filter is loaded, is ours, and denies: the mode, the seal, and calls that fail otherwise without it. */
#include <config.h>

#include "posture-judge-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define MODE_FILTER 2

static bool is_filtered (struct judge *judge)
{
  if (!judge->has_in || (judge->out->seen && !judge->has_out)) {
    judge_say (judge, CONTROL_SECCOMP, VERDICT_UNVERIFIED, SEEN_NOT, "the mode could not be read in /proc");
    return false;
  }
  if (judge->in_status.seccomp == MODE_FILTER
      && (!judge->has_out || judge->out_status.seccomp == MODE_FILTER))
    return true;
  if (judge->in_status.seccomp != MODE_FILTER)
    judge_say (judge, CONTROL_SECCOMP, VERDICT_VIOLATED, SEEN_INSIDE,
               "Seccomp: %" PRIu64 " inside; a filter is 2", judge->in_status.seccomp);
  else
    judge_say (judge, CONTROL_SECCOMP, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "Seccomp: %" PRIu64 " outside; a filter is 2", judge->out_status.seccomp);
  return false;
}

static bool is_sealed (struct judge *judge)
{
  int seal = judge->promises->filter->seal;
  int64_t answer = 0, allowed = 0;

  if (!inside_call (judge->in, &probe_seal, &answer) || !inside_call (judge->in, &probe_allowed, &allowed)) {
    judge_say (judge, CONTROL_SECCOMP, VERDICT_UNVERIFIED, SEEN_NOT, "the filter was not asked");
    return false;
  }
  if (answer != -seal) {
    judge_say (judge, CONTROL_SECCOMP, VERDICT_VIOLATED, SEEN_INSIDE,
               "the filter in force is not ours: its seal is %" PRId64 ", not %d", -answer, seal);
    return false;
  }
  if (allowed <= 0) {
    judge_say (judge, CONTROL_SECCOMP, VERDICT_VIOLATED, SEEN_INSIDE,
               "getpid, which the filter allows, is refused: %s", strerror ((int) -allowed));
    return false;
  }
  return true;
}

static bool is_loaded (struct judge *judge)
{
  int errnum = judge->in->restrict_errnum;

  if (!judge->promises->has_listener)
    return true;
  if (errnum != 0) {
    judge_say (judge, CONTROL_SECCOMP, VERDICT_VIOLATED, SEEN_INSIDE, "init could not load its filter: %s%s",
               strerror (errnum),
               errnum == EBUSY    ? " (one that was loaded before has a listener)"
               : errnum == EPROTO ? " (one that was loaded before answers for the kernel)"
                                  : "");
    return false;
  }
  if (judge->has_out && judge->out->filters_before > 0
      && judge->out_status.filters != judge->out->filters_before + 1) {
    judge_say (judge, CONTROL_SECCOMP, VERDICT_VIOLATED, SEEN_OUTSIDE,
               "init's filter is not in force: %" PRIu64 " filters before it was loaded, %" PRIu64 " after",
               judge->out->filters_before, judge->out_status.filters);
    return false;
  }
  return true;
}

/* The number of calls that init's filter reported and the supervisor answered, with a number that no filter
 * could know; -1 after recording one that it did not. */
static int count_told (struct judge *judge)
{
  int told = 0;

  for (size_t i = 0, asked = 0; i < probe_call_count && asked < PROBE_TOLD; i++) {
    const struct probe_call *probe = &probe_calls[i];
    int wanted = judge->in->told_errnum > 0
                     ? judge->in->told_errnum
                     : filter_answer (judge->promises->filter, probe->name, probe->call.arguments);
    int64_t answer = 0;

    if (!probe_is_left (judge->promises, probe))
      continue;
    asked++;
    if (!inside_call (judge->in, &probe->call, &answer)) {
      judge_say (judge, CONTROL_SECCOMP, VERDICT_UNVERIFIED, SEEN_NOT, "%s was not tried", probe->name);
      return -1;
    }
    if (answer != -wanted) {
      judge_say (judge, CONTROL_SECCOMP, VERDICT_VIOLATED, SEEN_INSIDE,
                 "%s gave %" PRId64 ", and not what the supervisor answered: it was not reported",
                 probe->name, answer);
      return -1;
    }
    told++;
  }
  return told;
}

/* The number of probes that the filter denied with the expected errno; -1 after recording one that was
 * not. */
static int count_denied (struct judge *judge)
{
  int denied = 0;

  for (size_t i = 0; i < probe_call_count; i++) {
    const struct probe_call *probe = &probe_calls[i];
    int wanted = filter_answer (judge->promises->filter, probe->name, probe->call.arguments);
    int64_t answer = 0;

    if (wanted == 0 || probe_is_left (judge->promises, probe))
      continue;
    if (!inside_call (judge->in, &probe->call, &answer)) {
      judge_say (judge, CONTROL_SECCOMP, VERDICT_UNVERIFIED, SEEN_NOT, "%s was not tried", probe->name);
      return -1;
    }
    if (answer == -wanted) {
      denied++;
      continue;
    }
    /* An outer filter, or a kernel without the call, may refuse it with another errno. */
    if (answer != -ENOSYS && answer != -EPERM) {
      judge_say (judge, CONTROL_SECCOMP, VERDICT_VIOLATED, SEEN_INSIDE, "%s gave %" PRId64 ", not %d",
                 probe->name, answer, -wanted);
      return -1;
    }
  }
  return denied;
}

void judge_seccomp (struct judge *judge)
{
  int denied, told;

  if (!is_filtered (judge) || !is_sealed (judge) || !is_loaded (judge))
    return;
  denied = count_denied (judge);
  told = denied < 0 ? -1 : count_told (judge);
  if (told < 0)
    return;
  if (denied + told == 0)
    judge_say (judge, CONTROL_SECCOMP, VERDICT_UNVERIFIED, SEEN_INSIDE,
               "the profile allows every call that could be tried");
  else if (judge->promises->has_listener)
    judge_say (judge, CONTROL_SECCOMP, VERDICT_VERIFIED, judge_seen (judge),
               "Seccomp: 2, seal %d; %d calls are denied as listed, %d reported by init's own filter, "
               "getpid is allowed",
               judge->promises->filter->seal, denied, told);
  else
    judge_say (judge, CONTROL_SECCOMP, VERDICT_VERIFIED, judge_seen (judge),
               "Seccomp: 2, seal %d; %d calls are denied as listed, getpid is allowed",
               judge->promises->filter->seal, denied);
}
