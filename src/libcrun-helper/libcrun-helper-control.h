/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Our end of the socket to the supervisor: messages go out; when it closes, the supervisor is gone.
 *
 * Nothing is read from it. wire-libcrun-helper.h describes the messages.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base-error.h"

/* Checks that FD is such a socket, and makes it close-on-exec. */
int control_adopt (int fd, struct error *err);

/* Whether the supervisor has closed its end, or is dead. */
bool control_is_closed (int fd);

/* These return 0, or a negative errno: -EPIPE if the supervisor is gone. */
int control_send_created (int fd, pid_t pid);
int control_send_started (int fd, pid_t pid);
int control_send_failed (int fd, const struct error *err);
