/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Init's end of what wire-init.h lays down.
 *
 * In: packets of the supervisor, or the first bytes of standard input. Out: hello, answers, and how the
 * payload ended. Whatever is neither a question nor exactly a go-ahead is a stop. There are no deadlines
 * here: the supervisor has them, and kills. Never reads a byte of standard input that is the payload's.
 */
#pragma once

#include "init-failure.h"
#include "init-options.h"
#include "wire-init.h"

/* Says hello, answers questions, and waits. 0 is the go-ahead; after it the handshake socket is closed, and
 * there is a command. */
int handshake_await_go (struct options *options, struct failure *failure);

/* The supervisor still holds its end of the status socket. */
int handshake_check_supervisor (struct failure *failure);

/* Tells over the status socket how the payload ended, and waits until the supervisor has seen it or is
 * gone. Fills in the header. */
void handshake_tell_ended (struct handshake_ended ended);
