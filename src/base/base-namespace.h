/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether our root is the host's root, or that of a user's namespace.
 *
 * A rootless engine creates a user namespace in which its user is root, and starts its runtime and
 * hooks there. The host's root is not mapped in it: its files show the overflow uid, as do those of
 * every unmapped user. That number may also be mapped: a range of 65536 subordinate ids includes it, so
 * it may belong to a container.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The overflow uid and gid: what the kernel shows for unmapped ids. */
#define NAMESPACE_NOBODY 65534

/* Whether our effective user is root only in a user's namespace that still shows the host's files.
 * *RET_UID (may be NULL) is that user's uid on the host, or else our own. */
bool namespace_is_users (uid_t *ret_uid);

/* Whether FD, a directory or regular file whose owner shows as the overflow uid, belongs to a user that is
 * not mapped here. In doubt: no. */
bool namespace_owner_is_outside (int fd);

/* Whether MAP, the text of /proc/PID/uid_map, maps ID. Pure. */
bool namespace_maps (const char *map, uint32_t id);
