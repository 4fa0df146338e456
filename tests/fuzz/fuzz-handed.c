/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words that a caller hands to a daemon, on any bytes: the first say how many there are, the rest is
 * the memory file. All of it is argv and env, or it is refused. */
#include <config.h>

#include "wire-daemon-text.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define INVARIANT(condition)                                                                                 \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf (stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                        \
      abort ();                                                                                              \
    }                                                                                                        \
  } while (0)

/* How many bytes the COUNT texts in LIST have, which lie behind each other from *AT on. */
static void follow (char *const *list, size_t count, char **at)
{
  for (size_t i = 0; i < count; i++) {
    INVARIANT (list[i] == *at);
    *at += strlen (*at) + 1;
  }
  INVARIANT (list[count] == NULL);
}

static void split (const struct daemon_request *request, const uint8_t *data)
{
  cleanup_free char *text = malloc (request->size + (size_t) 1);
  cleanup_free char **argv = NULL;
  cleanup_free char **env = NULL;
  char *at = text;
  int r;

  INVARIANT (text != NULL);
  memcpy (text, data, request->size);
  text[request->size] = '\0';
  r = daemon_request_split (request, text, &argv, &env);
  INVARIANT (r == 0 || r == -EPROTO);
  INVARIANT ((r == 0) == (argv != NULL) && (r == 0) == (env != NULL));
  if (r < 0)
    return;
  follow (argv, request->argv, &at);
  follow (env, request->env, &at);
  INVARIANT (at == text + request->size);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  struct daemon_request request = { .magic = DAEMON_MAGIC, .version = DAEMON_VERSION };
  uint32_t numbers[2];

  if (size < sizeof (numbers) || size - sizeof (numbers) > LIMIT_DAEMON_BYTES)
    return 0;
  memcpy (numbers, data, sizeof (numbers));
  request.argv = numbers[0];
  request.env = numbers[1];
  request.size = (uint32_t) (size - sizeof (numbers));
  if (daemon_request_check (&request) == 0)
    split (&request, data + sizeof (numbers));
  return 0;
}
