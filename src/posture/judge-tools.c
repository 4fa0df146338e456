/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* process.tools: with the restriction, init (which is not listed) must not be executable, and listed programs
 * must be. As the positive control, init must be executable without the restriction. */
#include <config.h>

#include "posture-judge-internal.h"

#include <errno.h>
#include <string.h>

#include "plan-launch.h"

/* How many of the named programs can be executed, and how many could be without the restriction. */
static void count_named (const struct judge *judge, size_t *ret_work, size_t *ret_there)
{
  const struct strlist *tools = &judge->promises->settings->values[SETTING_TOOLS].set;

  *ret_work = *ret_there = 0;
  for (size_t i = 0; i < tools->count; i++) {
    struct report_execute answer;

    if (!inside_execute (judge->in, tools->items[i], &answer) || answer.free_errnum != 0)
      continue;
    (*ret_there)++;
    *ret_work += answer.bounded_errnum == 0;
  }
}

void judge_tools (struct judge *judge)
{
  struct report_execute answer;
  size_t work, there;

  if (!judge->promises->bounds_tools)
    return;
  if (!inside_execute (judge->in, STAGE_INIT_TARGET, &answer) || answer.free_errnum != 0) {
    judge_say (judge, CONTROL_TOOLS, VERDICT_UNVERIFIED, SEEN_NOT, "no execution could be tried");
    return;
  }
  count_named (judge, &work, &there);
  if (answer.bounded_errnum != EACCES)
    judge_say (judge, CONTROL_TOOLS, VERDICT_VIOLATED, SEEN_INSIDE, "a program that is not named: %s",
               answer.bounded_errnum == 0 ? "it can be executed" : strerror (answer.bounded_errnum));
  else if (work < there)
    judge_say (judge, CONTROL_TOOLS, VERDICT_VIOLATED, SEEN_INSIDE,
               "of %zu named programs that were tried, %zu cannot be executed", there, there - work);
  else
    judge_say (judge, CONTROL_TOOLS, VERDICT_VERIFIED, SEEN_INSIDE,
               "a program that is not named can be executed by init (0) and not by the command (EACCES); "
               "%zu that are named can",
               work);
}
