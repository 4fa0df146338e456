/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A build without a daemon (--disable-daemon) has no prewarmed sandboxes: run_options.prewarmed and
 * launch.prewarmed are never set, so none of these does anything. */
#include <config.h>

#include "supervisor-prewarmed.h"

#include "supervisor-internal.h"

const char *run_prewarmed_id (const struct run_prewarmed *prewarmed)
{
  static const char none[RUN_ID_SIZE];

  (void) prewarmed;
  return none;
}

int run_adopt (const struct run_options *options, struct run **ret_run, struct error *err)
{
  (void) options, (void) ret_run, (void) err;
  return 0;
}

int run_prewarm_workspace (struct run *run)
{
  (void) run;
  return 0;
}
