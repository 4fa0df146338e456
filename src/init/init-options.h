/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of tyrum-oci-init, as tyrum-oci writes it into the specification of a container:
 *
 *       tyrum-oci-init [--transport fd|socket|stdio|call] [--tty] [--open-files N] [--keep-env NAMES] --
 *                      COMMAND [ARG...]
 *       tyrum-oci-init --prewarmed [--open-files N] --
 *
 * Strict, because only programs write it: an unknown option or a missing "--" is an error. The result points
 * into argv and owns nothing.
 */
#pragma once

#include <stdbool.h>

#include "init-failure.h"

/* What the handshake runs over; see wire-init.h. */
enum transport {
  TRANSPORT_FD,     /* two sockets, HANDSHAKE_FD and STATUS_FD */
  TRANSPORT_SOCKET, /* the same two, through a socket in a mounted directory */
  TRANSPORT_STDIO,  /* the standard streams, before the command gets them */
  TRANSPORT_CALL,   /* one socket, HANDSHAKE_FD, to the shim, which starts the container for an engine */
};

/* Needed by init itself, and by the command's loader. */
#define OPEN_FILES_MIN 16u

#define OPTION_KEEP_ENV "--keep-env"

struct options {
  enum transport transport;
  unsigned open_files;  /* the limit from here on; 0: unchanged. Runtimes need more than a command may get */
  const char *keep_env; /* the variables to keep, separated by commas; NULL: all */
  bool prewarmed;       /* the supervisor sends the command later; COMMAND is NULL until then */
  bool tty;             /* standard input is a terminal, which becomes the command's controlling terminal */
  char *const *command; /* at least one argument, then NULL */
};

/* Whether STATUS_FD is connected to the supervisor. */
static inline bool options_have_status (const struct options *options)
{
  return options->transport == TRANSPORT_FD || options->transport == TRANSPORT_SOCKET;
}

int options_parse (char *const argv[], struct options *ret_options, struct failure *failure);
