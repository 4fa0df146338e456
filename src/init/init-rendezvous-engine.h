/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The connection to the supervisor from an engine's container: engines pass no descriptors.
 *
 * The supervisor listens in a directory that is mounted read-only (which does not prevent connecting). Init
 * connects twice, sends hello over the second connection, and gets the three standard streams in return; the
 * engine's own are not used. From then on everything is as if the two sockets had been passed. The supervisor
 * removes the socket's name before the go-ahead, so that the command cannot connect.
 */
#pragma once

#include <stdbool.h>

#include "init-failure.h"

/* HANDSHAKE_FD and STATUS_FD must be free; they become the two connections. With TTY the streams are a new
 * terminal of the container, whose master is sent with the hello. */
int rendezvous_enter (bool tty, struct failure *failure);

/* Makes the kernel send SIGIO when the supervisor closes its end: it is not init's parent. */
int rendezvous_watch (struct failure *failure);
