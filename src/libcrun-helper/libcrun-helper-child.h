/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process of its own for each call to libcrun.
 *
 * The call runs in a fork with no signal blocked and only the container's descriptors open; its result comes
 * back through shared memory, because the container's first process would inherit a descriptor. The parent
 * closes the container's descriptors and waits, and meanwhile watches the supervisor's socket: when that
 * closes, the call gets some seconds to end, so that the next call can delete what it made, and is killed
 * after that.
 *
 * Must never: return while the fork is alive.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base-error.h"

struct helper_request;

/* What runs in the fork. *RET_PID is handed back even after an error; a call without a pid leaves it
 * alone. */
typedef int child_call (const struct helper_request *request, const char *spec, pid_t *ret_pid,
                        struct error *err);

/* Returns what CALL returned, with its error; a fork that ends without a result is an error too. */
int child_run (child_call *call, const struct helper_request *request, const char *spec, pid_t *ret_pid,
               struct error *err);
