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

/* Whether the backend libcrun is here: tyrum-oci-libcrun-helper is built only where libcrun and its headers
 * are. */
bool paths_have_libcrun (const struct session_process *process);
/* The backend of a launch for which nothing chooses one: libcrun, or where that is not here an OCI runtime
 * that is. Where there is neither it is libcrun, and the launch says what to do. NULL when memory ran out. */
const char *paths_default_backend (const struct session_process *process);

/* Adds the places to FACTS, each as it is named and as it is behind all links. */
int paths_add_protected (const struct session_process *process, const struct request *request,
                         struct host_facts *facts, struct error *err);
