/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where our own programs and the operator's files are: what no run may write.
 *
 * Whoever writes the program that launches runs, the one that starts inside them, the runtime that makes
 * them, or the configuration that decides over them, is not contained for long. The places go into the
 * host's facts, and the plan refuses to mount them writable.
 */
#pragma once

#include <stdbool.h>

#include "host-facts.h"
#include "plan-request.h"
#include "session-process.h"

/* A directory that a variable names, or the one that this program was built with. */
const char *paths_directory (const char *variable, const char *built);

/* The path of a program of ours, which all stand together in one directory. NULL when memory ran out. */
char *paths_program (const char *name);

/* The backend of a launch for which nothing chooses one: the first that is ready. Where none is it is the
 * first of all, and the launch says what to do. NULL when memory ran out. */
const struct backend *paths_default_backend (const struct session_process *process);

/* Adds the places to FACTS, each as it is named and as it is behind all links. */
int paths_add_protected (const struct session_process *process, const struct request *request,
                         struct host_facts *facts, struct error *err);
