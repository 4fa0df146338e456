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

/* The number of probes that the filter denied with the expected errno; -1 after recording one that was
 * not. */
static int count_denied (struct judge *judge)
{
  int denied = 0, told = 0;

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
    if (answer == -wanted) {
      denied++;
      told += wanted == EPERM;
      continue;
    }
    /* An outer filter, or a kernel without the call, may refuse it with another errno. */
    if (answer != -ENOSYS && answer != -EPERM) {
      judge_say (judge, CONTROL_SECCOMP, VERDICT_VIOLATED, SEEN_INSIDE, "%s gave %" PRId64 ", not %d",
                 probe->name, answer, -wanted);
      return -1;
    }
  }
  /* If the listener is closed, the kernel fails these calls with ENOSYS instead of our errno. */
  if (judge->promises->has_listener && told == 0) {
    judge_say (judge, CONTROL_SECCOMP, VERDICT_VIOLATED, SEEN_INSIDE,
               "no denied call reaches the supervisor: the filter's listener was dropped");
    return -1;
  }
  return denied;
}

void judge_seccomp (struct judge *judge)
{
  int denied;

  if (!is_filtered (judge) || !is_sealed (judge))
    return;
  denied = count_denied (judge);
  if (denied < 0)
    return;
  if (denied == 0)
    judge_say (judge, CONTROL_SECCOMP, VERDICT_UNVERIFIED, SEEN_INSIDE,
               "the profile allows every call that could be tried");
  else
    judge_say (judge, CONTROL_SECCOMP, VERDICT_VERIFIED, judge_seen (judge),
               "Seccomp: 2, seal %d; %d calls are denied as listed, getpid is allowed",
               judge->promises->filter->seal, denied);
}
