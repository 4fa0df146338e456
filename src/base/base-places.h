/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where this user's live runs are, and the socket of the daemon that stays, by the environment and the
 * directories that are there.
 *
 * Linked into the static front as well (src/client), so it needs the C library and nothing else. Each answer
 * is NULL when memory ran out.
 */
#pragma once

#include <stdint.h>

/* A path from the environment, or NULL when it is not one that we would use. */
const char *places_variable (const char *name);

/* BASE/NAME, without a second slash when BASE is the root. */
char *places_below (const char *base, const char *name);

/* The directory of live runs of UID; BASE is the one that the environment names, or NULL. */
char *places_state_of (uint32_t uid, const char *base);

/* The same for this process. Root of a user's own namespace has the places of that user. */
char *places_state (void);

/* Where a daemon listens unless it was told otherwise. */
char *places_daemon_socket (void);
