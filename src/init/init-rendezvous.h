/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Init's end of the protocol in wire-init.h.
 *
 * In: packets of the supervisor, or the first bytes of standard input. Out: hello, answers, and how the
 * command ended. Any message that is neither a question nor exactly a go-ahead is a stop. There are no
 * deadlines here: the supervisor has them, and kills. Never reads a byte of standard input that is meant for
 * the command.
 */
#pragma once

#include "init-failure.h"
#include "init-options.h"
#include "wire-init.h"

/* Sends hello, answers questions, and waits. 0 is the go-ahead; then the handshake socket is closed, and
 * OPTIONS has a command. */
int handshake_await_go (struct options *options, struct failure *failure);

/* Fails if the supervisor has closed its end of the status socket. */
int handshake_check_supervisor (struct failure *failure);

/* Reports over the status socket how the command ended, and waits until the supervisor has acknowledged it or
 * is gone. Fills in the header. */
void handshake_tell_ended (struct handshake_ended ended);
