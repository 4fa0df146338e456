/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Our end of the socket to the supervisor: messages go out, and its end tells that the supervisor is gone.
 *
 * Nothing is read from it. See wire-libcrun-helper.h for what is said.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base-error.h"

/* Checks that FD is such a socket, and keeps it out of programs that are executed. */
int control_adopt (int fd, struct error *err);

/* The supervisor has closed its end, or is dead. */
bool control_is_closed (int fd);

/* Each answers 0, or a negative errno: -EPIPE when the supervisor is gone. */
int control_send_created (int fd, pid_t pid);
int control_send_started (int fd, pid_t pid);
int control_send_failed (int fd, const struct error *err);
