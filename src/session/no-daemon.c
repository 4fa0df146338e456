/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A build without a daemon (--disable-daemon): every run is made by the process that was asked for it. */
#include <config.h>

#include "session-delegate.h"

int delegate_to_daemon (struct session_process *process, char *const *argv, int *ret_status,
                        struct error *err)
{
  (void) process, (void) argv, (void) ret_status, (void) err;
  return 0;
}
