/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way to the supervisor behind an engine, which passes no descriptors into a container.
 *
 * The supervisor listens in a directory that is mounted read-only (a read-only mount does not forbid to
 * connect). Init connects twice, says hello over the second connection, and gets the three standard streams
 * in return; the engine's own go nowhere. From then on everything is as if the two sockets had been passed.
 * The supervisor has taken the name away by the time of the go-ahead, so nobody after init finds the way.
 */
#pragma once

#include <stdbool.h>

#include "init-failure.h"

/* HANDSHAKE_FD and STATUS_FD are free before, and the two connections afterwards. With TTY the streams are a
 * terminal of the container's own, whose master goes out with the hello. */
int rendezvous_enter (bool tty, struct failure *failure);

/* Has the kernel send SIGIO when the supervisor goes: it is not init's parent. */
int rendezvous_watch (struct failure *failure);
