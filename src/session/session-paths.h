/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The paths of tyrum-oci's programs and of the operator's files, which no run may write.
 *
 * A command that can change the supervisor, init, the runtime or the configuration can escape in a later run.
 * The paths are added to the host's facts, and the plan refuses to mount them writable.
 */
#pragma once

#include <stdbool.h>

#include "host-facts.h"
#include "plan-request.h"
#include "session-process.h"

/* The directory in the environment variable VARIABLE, or BUILT, the one configured at build time. */
const char *paths_directory (const char *variable, const char *built);

/* The path of a program in libexecdir. NULL: out of memory. */
char *paths_program (const char *name);

/* The backend of a launch that names none: the first that is ready on this host. If none is ready, the first
 * in the table, whose launch fails with instructions. NULL: out of memory. */
const struct backend *paths_default_backend (const struct session_process *process);

/* Adds each path to FACTS, as written and with all links resolved. */
int paths_add_protected (const struct session_process *process, const struct request *request,
                         struct host_facts *facts, struct error *err);
