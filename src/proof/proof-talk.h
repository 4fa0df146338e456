/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What init and we say to each other (wire-init.h), message by message.
 *
 * Receiving never waits: talk_receive takes what is there, and is called again when there is more. So whoever
 * waits does it in its own way, for other things as well. What init says is outside input; on a socket the
 * kernel says who sent it, and nobody speaks for another.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base-error.h"
#include "wire-init.h"

struct talk {
  int from, to; /* the caller's: init's socket, or the container's standard output and input */
  bool stdio;   /* the latter: nobody says who writes there */
  pid_t pid;    /* whose words count; 0: those of the first to speak, whom it then is */
  int pidfd;    /* of that one, where the kernel has told; -1: it has not */
  int passed;   /* a descriptor that came with the message, or -1 */
  struct handshake_header header;
  uint8_t *bytes; /* behind the header, as many as it says */
  size_t received;
};

#define TALK_NONE ((struct talk){ .from = -1, .to = -1, .pidfd = -1, .passed = -1 })

/* One packet, whole. */
int talk_send (const struct talk *talk, enum handshake_type type, const void *bytes, size_t length,
               struct error *err);

/* 1: a message of TYPE is there, with at most MOST bytes. 0: more of it has to come. Anything else that is
 * said is an error, and so is an end. */
int talk_receive (struct talk *talk, enum handshake_type type, uint32_t most, struct error *err);

/* The socket through which init finds us where it is given none, RENDEZVOUS_SOCKET in DIRECTORY. Whoever
 * finds the name may connect: the command's user inside has to, and is nobody that this host knows of. A
 * descriptor that does not block, or an error. */
int rendezvous_open (int directory, struct error *err);

/* Who it is that connects is the kernel's word: a connection of PID, or -1 where another's was closed without
 * a word. */
int rendezvous_accept (int rendezvous, pid_t pid);

/* Of its own descriptors. */
void talk_clear (struct talk *talk);
#define cleanup_talk cleanup (talk_clear)
