/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The streams of a container that `run` waits for.
 *
 * What may be the low-level runtime's own stream (shim-stdio.h) is given to it as it is, as engines do.
 * For a file or a terminal of the caller's it gets a pipe, and what passes is copied. Where the container has
 * a terminal of its own, the master comes over a socket, and the caller's terminal is raw until the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "base-error.h"

enum { STREAMS = 3 };

/* What was read from FROM and not yet written to TO. -1: not, or not any more. */
struct relay {
  int from, to;
  size_t at, end;
  char bytes[4096];
};

struct streams {
  int directory, socket, master; /* of the terminal; -1: none */
  char *path;                    /* of the socket, for the low-level runtime */
  int theirs[STREAMS];           /* ends for the container; -1: ours as it is */
  struct relay relays[STREAMS];
  bool raw;
  struct termios saved;
};

void streams_init (struct streams *streams);

/* The container has a terminal: the low-level runtime reads nothing, and what it says goes through a pipe. */
int streams_set_aside (struct streams *streams, struct error *err);
/* That terminal is to be ours: listens in DIRECTORY, which is ours. */
int streams_listen (struct streams *streams, int directory, struct error *err);
/* After create: the runtime has connected, or never will. */
int streams_take (struct streams *streams, struct error *err);
/* As large as ours. */
void streams_resize (const struct streams *streams);

/* No terminal: pipes where they are needed. */
int streams_make (struct streams *streams, struct error *err);
/* In the child that becomes the container's. */
int streams_enter (const struct streams *streams);
/* In the parent, once there is such a child. */
void streams_leave (struct streams *streams);

/* Copies what there is, waiting for it or for OTHER for MS milliseconds at most. Returns whether OTHER is
 * readable. */
bool streams_copy (struct streams *streams, int other, int ms);
/* What the container has said by its end. */
void streams_drain (struct streams *streams);

void streams_clear (struct streams *streams);
#define cleanup_streams cleanup (streams_clear)
