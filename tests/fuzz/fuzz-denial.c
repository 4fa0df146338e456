/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A command's last words, any bytes: what is made of them is bounded, one line each, and never more than
 * inferred, as no file is there to be looked at. The first byte is the exit code.
 */
#include <config.h>

#include "denial-outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-str.h"
#include "denial-write.h"
#include "posture-case.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define INVARIANT(condition)                                                                                 \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf (stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                        \
      abort ();                                                                                              \
    }                                                                                                        \
  } while (0)

static void check (const struct denials *denials, int code)
{
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_error struct error err = { 0 };
  cleanup_free char *document = NULL;

  INVARIANT (denials->count <= LIMIT_DENIALS);
  INVARIANT (code != 0 || denials->count == 0);
  for (size_t i = 0; i < denials->count; i++) {
    cleanup_free char *line = denial_text (&denials->items[i]);

    INVARIANT (denials->items[i].confidence == CONFIDENCE_INFERRED);
    INVARIANT (line != NULL && strpbrk (line, "\n\r\033") == NULL && str_is_utf8 (line, strlen (line)));
  }
  denials_write (&w, NULL, denials);
  INVARIANT (json_finish (&w, &document, &err) == 0);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static struct posture_case c;
  struct outcome outcome = { 0 };
  struct denials denials = { 0 };
  char *tail;

  if (size == 0 || size > LIMIT_TAIL_BYTES)
    return 0;
  if (c.plan == NULL)
    posture_case_make (&c);
  tail = strndup ((const char *) data + 1, size - 1);
  INVARIANT (tail != NULL);
  outcome = (struct outcome){ .plan = c.plan, .code = data[0], .tail = tail };
  outcome_explain (&outcome, &denials);
  check (&denials, data[0]);
  denials_clear (&denials);
  free (tail);
  return 0;
}
