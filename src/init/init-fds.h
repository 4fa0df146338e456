/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which descriptors init has, and so which ones the payload can ever get: the three standard streams.
 *
 * Whatever else the runtime, or whoever started it, left open is closed before anything is said to the
 * supervisor. A descriptor of a directory on the host would be a way out of the container.
 */
#pragma once

#include "init-failure.h"

/* Closes every descriptor from FIRST on. Without close_range it goes by /proc/self/fd, and without that by
 * number, up to a million or the hard limit, whichever is higher. */
int fds_close_from (int first, struct failure *failure);

/* A standard stream that is closed becomes /dev/null: otherwise the next descriptor that init opens for
 * itself would take its number. */
int fds_fill_standard (struct failure *failure);

/* Makes sure that FD is a socket, and that it will not survive an exec. TEXT is the message if it is not. */
int fds_claim_socket (int fd, const char *text, struct failure *failure);

/* The limit, soft and hard, on the numbers of open descriptors: init's own, and with it the payload's. */
int fds_limit (unsigned count, struct failure *failure);

/* The descriptor that an entry of /proc/self/fd stands for; -1 for what is not a number. */
int fds_from_name (const char *name);
