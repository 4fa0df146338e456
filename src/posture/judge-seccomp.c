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

/* Init has loaded the filter a second time, and what that one denies is reported to the supervisor, which
 * returned the list's errno. The runtime's filter alone would give ENOSYS. */
static bool is_told (struct judge *judge)
{
  const struct promises *promises = judge->promises;

  if (!promises->has_listener)
    return true;
  if (judge->in->restrict_errnum != 0) {
    judge_say (judge, CONTROL_SECCOMP, VERDICT_VIOLATED, SEEN_INSIDE, "init could not load its filter: %s%s",
               strerror (judge->in->restrict_errnum),
               judge->in->restrict_errnum == EBUSY ? " (a filter of the runtime has a listener)" : "");
    return false;
  }
  for (size_t i = 0; i < probe_told_call_count; i++) {
    const struct probe_call *probe = &probe_told_calls[i];
    int wanted = filter_answer (promises->filter, probe->name, probe->call.arguments);
    int64_t answer = 0;

    if (!inside_call (judge->in, &probe->call, &answer) || answer == -wanted)
      continue;
    judge_say (judge, CONTROL_SECCOMP, VERDICT_VIOLATED, SEEN_INSIDE,
               "%s gave %" PRId64 ", not %d: it was not reported to the supervisor", probe->name, answer,
               -wanted);
    return false;
  }
  return true;
}

/* The number of told probes that were answered; 0: the supervisor was not seen to answer any. */
static unsigned count_told (const struct judge *judge)
{
  unsigned count = 0;
  int64_t answer;

  for (size_t i = 0; judge->promises->has_listener && i < probe_told_call_count; i++)
    count += inside_call (judge->in, &probe_told_calls[i].call, &answer);
  return count;
}

/* The runtime's filter leaves these to init's, which is loaded later. */
static bool is_left (const struct judge *judge, const struct probe_call *probe, int64_t answer)
{
  return judge->promises->has_listener && answer == -ENOSYS
         && filter_call_tells (judge->promises->filter, probe->name, probe->call.arguments);
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

    if (wanted == 0)
      continue;
    if (!inside_call (judge->in, &probe->call, &answer)) {
      judge_say (judge, CONTROL_SECCOMP, VERDICT_UNVERIFIED, SEEN_NOT, "%s was not tried", probe->name);
      return -1;
    }
    if (answer == -wanted || is_left (judge, probe, answer)) {
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
  int denied;

  if (!is_filtered (judge) || !is_sealed (judge) || !is_told (judge))
    return;
  denied = count_denied (judge);
  if (denied < 0)
    return;
  if (denied == 0)
    judge_say (judge, CONTROL_SECCOMP, VERDICT_UNVERIFIED, SEEN_INSIDE,
               "the profile allows every call that could be tried");
  else
    judge_say (judge, CONTROL_SECCOMP, VERDICT_VERIFIED, judge_seen (judge),
               "Seccomp: 2, seal %d; %d calls are denied as listed, getpid is allowed%s",
               judge->promises->filter->seal, denied,
               count_told (judge) > 0 ? "; init's own filter reports to the supervisor" : "");
}
