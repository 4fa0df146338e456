/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages to and from init (wire-init.h).
 *
 * Receiving never blocks: talk_receive takes what is available, and is called again when there is more, so
 * the caller waits in its own event loop. Messages from init are untrusted input. On a socket the kernel
 * names the sender, and messages of any other process are refused.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base-error.h"
#include "wire-init.h"

struct talk {
  int from, to; /* owned by the caller: init's socket, or the container's standard output and input */
  bool stdio;   /* standard streams, on which the sender is not known */
  pid_t pid;    /* the only accepted sender; 0: becomes that of the first message */
  int pidfd;    /* of that sender, if the kernel sent it; -1: it did not */
  int passed;   /* a descriptor that came with the message, or -1 */
  struct handshake_header header;
  uint8_t *bytes; /* header.length bytes after the header */
  size_t received;
};

#define TALK_NONE ((struct talk){ .from = -1, .to = -1, .pidfd = -1, .passed = -1 })

/* Sends one whole message. */
int talk_send (const struct talk *talk, enum handshake_type type, const void *bytes, size_t length,
               struct error *err);

/* 1: a message of TYPE with at most MOST bytes is complete. 0: more of it must come. Any other message, and
 * the end of the stream, is an error. */
int talk_receive (struct talk *talk, enum handshake_type type, uint32_t most, struct error *err);

/* Listens on RENDEZVOUS_SOCKET in DIRECTORY, to which init connects if it gets no descriptors. Mode 0666: the
 * command's user has to connect, under a host id that is not ours. Returns a non-blocking descriptor, or an
 * error. */
int rendezvous_open (int directory, struct error *err);

/* Accepts a connection of PID, by the kernel's credentials. -1: there was none, or that of another process
 * was closed. */
int rendezvous_accept (int rendezvous, pid_t pid);

/* Closes its own descriptors, not the caller's. */
void talk_clear (struct talk *talk);
#define cleanup_talk cleanup (talk_clear)
