/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The descriptors of init, and so of the command: the three standard streams.
 *
 * Everything else that the runtime or its parent left open is closed before the first message to the
 * supervisor. A descriptor of a host directory would be a way out of the container.
 */
#pragma once

#include "init-failure.h"

/* Closes every descriptor from FIRST on. Without close_range it reads /proc/self/fd, and without that it goes
 * by number, up to a million or the hard limit, whichever is higher. */
int fds_close_from (int first, struct failure *failure);

/* Opens /dev/null for each closed standard stream: otherwise the next descriptor that init opens would take
 * its number. */
int fds_fill_standard (struct failure *failure);

/* Checks that FD is a socket, and makes it close-on-exec. TEXT is the message if it is not a socket. */
int fds_claim_socket (int fd, const char *text, struct failure *failure);

/* Sets the soft and hard limit of open files, which the command inherits. */
int fds_limit (unsigned count, struct failure *failure);

/* The descriptor of an entry of /proc/self/fd; -1 if NAME is not a number. */
int fds_from_name (const char *name);
