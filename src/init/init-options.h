/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of tyrum-oci-init, as tyrum-oci writes it into the specification of a container:
 *
 *   tyrum-oci-init [--transport fd|socket|stdio|call] [--tty] [--open-files N] [--keep-env NAMES] --
 *                  COMMAND [ARG...]
 *   tyrum-oci-init --held [--open-files N] --
 *
 * Strict, because a person never types it: what is not known, and a missing "--", is an error. What comes out
 * points into argv and owns nothing.
 */
#pragma once

#include <stdbool.h>

#include "init-failure.h"

/* What the handshake runs over; see wire-init.h. */
enum transport {
  TRANSPORT_FD,     /* two sockets, HANDSHAKE_FD and STATUS_FD */
  TRANSPORT_SOCKET, /* the same two, by way of a socket in a mounted directory */
  TRANSPORT_STDIO,  /* the standard streams, before the payload has them */
  TRANSPORT_CALL,   /* one socket, HANDSHAKE_FD, to who starts the container for an engine */
};

/* Init itself needs a few, the payload's loader as well. */
#define OPEN_FILES_MIN 16u

#define OPTION_KEEP_ENV "--keep-env"

struct options {
  enum transport transport;
  unsigned open_files;  /* the limit from here on; 0: as it is. Runtimes need more than a payload may get */
  const char *keep_env; /* the variables that are ours, separated by commas; NULL: all */
  bool held;            /* the command is told later; COMMAND is NULL until then */
  bool tty;             /* standard input is a terminal, which shall be the payload's own */
  char *const *command; /* the payload's argv: at least one word, then NULL */
};

/* Whether STATUS_FD is the supervisor's. */
static inline bool options_have_status (const struct options *options)
{
  return options->transport == TRANSPORT_FD || options->transport == TRANSPORT_SOCKET;
}

int options_parse (char *const argv[], struct options *ret_options, struct failure *failure);
