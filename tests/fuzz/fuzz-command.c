/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command that a held init is told, on any bytes: taken whole, or refused with a word; never twice. */
#include <config.h>

#include "init-command.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire-init.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define INVARIANT(condition)                                                                                 \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf (stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                        \
      abort ();                                                                                              \
    }                                                                                                        \
  } while (0)

static size_t entered;

/* In the place of the C library's: every directory is there, and nobody goes anywhere. */
int chdir (const char *path)
{
  entered += strlen (path) + 1;
  return 0;
}

/* How many bytes the COUNT texts in LIST have, all of which must be there. */
static size_t bytes_of (char *const *list, size_t count)
{
  size_t bytes = 0;

  for (size_t i = 0; i < count; i++) {
    INVARIANT (list[i] != NULL);
    bytes += strlen (list[i]) + 1;
  }
  INVARIANT (list[count] == NULL);
  return bytes;
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  struct options options = { .prewarmed = true };
  struct failure failure = { 0 }, second = { 0 };
  struct handshake_command head;
  char **before = environ;
  int r;

  entered = 0;
  r = command_take (data, size, &options, &failure);
  INVARIANT ((r == 0) == (options.command != NULL) && (r == 0) == (failure.code == 0));
  if (r < 0) {
    INVARIANT (failure.text != NULL && environ == before && entered == 0);
    return 0;
  }
  memcpy (&head, data, sizeof head);
  INVARIANT (head.argv > 0 && head.argv <= LIMIT_COMMAND_TEXTS && head.env <= LIMIT_COMMAND_TEXTS);
  /* Not a byte is left over. */
  INVARIANT (sizeof head + entered + bytes_of (options.command, head.argv) + bytes_of (environ, head.env)
             == size);
  environ = before;
  INVARIANT (command_take (data, size, &options, &second) < 0 && environ == before);
  return 0;
}
