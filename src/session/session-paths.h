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

struct run_held;

/* A folder that a variable names, or the one that this program was built with. */
const char *own_folder (const char *variable, const char *built);

/* The path of a program of ours, which all stand together in one folder. NULL when memory ran out. */
char *own_program (const char *name);

/* Whether the backend libcrun is here: tyrum-oci-launch is built only where libcrun and its headers are. */
bool own_has_libcrun (void);
/* The backend of a launch for which nothing chooses one: libcrun, or where that is not here an OCI runtime
 * that is. Where there is neither it is libcrun, and the launch says what to do. NULL when memory ran out. */
const char *own_default_backend (void);

/* In the launcher that stays, tyrum-oci-launch is no program but a function at hand; NULL everywhere else. */
void own_set_launch (int (*function) (int argc, char **argv));
int (*own_launch (void)) (int argc, char **argv);

/* And where it has one, a sandbox that is held ready for the next run of this process; NULL: there is none.
 */
void own_set_held (struct run_held *sandbox);
struct run_held *own_held (void);

/* The program that was executed to get here (src/client), where it is not known by its place: the environment
 * says it, to this process alone; or it is the launcher's caller PID. */
void own_remember_front (void);
void own_set_front (pid_t pid);

/* Adds the places to FACTS, each as it is named and as it is behind all links. */
int own_places (const struct request *request, struct host_facts *facts, struct error *err);
