/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory of this user's live runs, and the socket of its daemon, from the environment and
 * the existing directories.
 *
 * Also linked into the static client (src/client), so it must need nothing but the C library. Each function
 * returns NULL when memory ran out.
 */
#pragma once

#include <stdint.h>

/* A path from the environment; NULL unless it is absolute, normal and within the length limit. */
const char *places_variable (const char *name);

/* BASE/NAME, without a second slash when BASE is the root. */
char *places_below (const char *base, const char *name);

/* The directory of live runs of UID; BASE is $XDG_RUNTIME_DIR or NULL. */
char *places_state_of (uint32_t uid, const char *base);

/* The same for this process. Root of a user's own namespace uses the directory of that user. */
char *places_state (void);

/* The default socket of the daemon. */
char *places_daemon_socket (void);
