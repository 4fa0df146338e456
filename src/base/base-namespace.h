/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose root we are.
 *
 * A user's engine makes a user namespace in which the user is root, and starts its runtime and hooks there.
 * The host's root has no number in it: its files belong to the kernel's number for nobody, as those of all
 * others do who are not in the namespace. That number may also be somebody's: with 65536 subordinate ids it
 * is one of these, and so a container's.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What the kernel shows for ids that have no number here. */
#define NAMESPACE_NOBODY 65534

/* Whether our effective user is root only in a namespace of a user's, which has the host's files around it.
 * *RET_UID, which may be NULL, is that user's number on the host; else our own. */
bool namespace_is_users (uid_t *ret_uid);

/* Whether FD, a directory or plain file whose owner shows as nobody, belongs to somebody without a number
 * here. In doubt it does not. */
bool namespace_owner_is_outside (int fd);

/* Whether MAP, as /proc/PID/uid_map has it, gives ID to somebody. Pure. */
bool namespace_maps (const char *map, uint32_t id);
