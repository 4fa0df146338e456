/* Where our own programs and the operator's files are: what no run may write.
 *
 * Whoever writes the program that launches runs, the one that starts inside them, the runtime that makes
 * them, or the configuration that decides over them, is not contained for long. The places go into the
 * host's facts, and the plan refuses to mount them writable.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "host-facts.h"
#include "plan-request.h"

struct run_prewarmed;

/* A directory that a variable names, or the one that this program was built with. */
const char *paths_directory (const char *variable, const char *built);

/* The path of a program of ours, which all stand together in one directory. NULL when memory ran out. */
char *paths_program (const char *name);

/* Whether the backend libcrun is here: tyrum-oci-libcrun-helper is built only where libcrun and its headers
 * are. */
bool paths_have_libcrun (void);
/* The backend of a launch for which nothing chooses one: libcrun, or where that is not here an OCI runtime
 * that is. Where there is neither it is libcrun, and the launch says what to do. NULL when memory ran out. */
const char *paths_default_backend (void);

/* In the daemon that stays, tyrum-oci-libcrun-helper is no program but a function at hand; NULL everywhere
 * else. */
void paths_set_helper (int (*function) (int argc, char **argv));
int (*paths_helper (void)) (int argc, char **argv);

/* And where it has one, a sandbox that is held ready for the next run of this process; NULL: there is none.
 */
void paths_set_prewarmed (struct run_prewarmed *sandbox);
struct run_prewarmed *paths_prewarmed (void);

/* The program that was executed to get here (src/client), where it is not known by its place: the environment
 * says it, to this process alone; or it is the daemon's caller PID. */
void paths_remember_client (void);
void paths_set_client (pid_t pid);

/* Adds the places to FACTS, each as it is named and as it is behind all links. */
int paths_add_protected (const struct request *request, struct host_facts *facts, struct error *err);
