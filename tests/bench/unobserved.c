/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a run would be if nothing were observed: in the place of src/supervisor/observe.c, in a program that
 * only the benchmark has.
 *
 * Nothing is asked, nothing is looked at, nobody judges, and the result has no posture; everything else is
 * the same code. It defines each name of observe.c, or the linker would find two of them and fail, so the two
 * cannot drift apart. The shipped program has no switch for this, and must not have one.
 */
#include <config.h>

#include "supervisor-internal.h"

int run_ask_first (struct run *run)
{
  (void) run;
  return 0;
}

void run_look_around (struct run *run)
{
  (void) run;
}

int run_observe (struct run *run)
{
  return run_deadline_arm (run);
}

void run_remember (const struct run *run)
{
  (void) run;
}
