/* A plan as it is carried out: the same plan, seen from the stage.
 *
 * The stage is a private mount namespace in which a launch opens every host path itself, by descriptor, and
 * hangs it below one directory that nobody else sees. There the runtime finds its sources, so that a link
 * swapped in the meantime leads it nowhere. Init is put before the command. Pure: only names change.
 */
#pragma once

#include "base-error.h"
#include "plan-plan.h"

#define STAGE_INIT_TARGET "/run/tyrum/init"

enum init_transport { INIT_OVER_FDS, INIT_OVER_STDIO, INIT_OVER_SOCKET };

/* Binds are staged at DIRECTORY/mounts/N, N being the mount's place; the root at DIRECTORY/rootfs, init at
 * DIRECTORY/init. What the plan says of the host stays. */
int plan_stage (struct plan *plan, const char *directory, enum init_transport transport, struct error *err);

/* The same where an engine makes the container: it takes sources by their names, so there is no stage. INIT
 * is the path of our init; DOOR the directory of INIT_OVER_SOCKET, or NULL for another transport. What
 * engines add to the environment goes again. */
int plan_stage_engine (struct plan *plan, const char *init, const char *rendezvous,
                       enum init_transport transport, struct error *err);
