/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Init's answers, as any bytes: reading them gives a value or an error with a message, and whatever the judge
 * makes of them, no control is verified that was not answered.
 *
 * The first bytes say which of the good answers stay, so that a fuzzer gets behind the first check. */
#include <config.h>

#include "posture-posture.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "posture-case.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void judge (const struct posture_case *c)
{
  cleanup_error struct error err = { 0 };
  cleanup_posture struct posture *posture = NULL;
  cleanup_free char *text = NULL;

  if (posture_case_judge (c, &posture, &err) < 0)
    abort ();
  for (enum control i = 0; i < CONTROL_COUNT; i++)
    if (posture->controls[i].evidence == NULL
        || (posture->controls[i].observed == VERDICT_VERIFIED && posture->controls[i].seen == SEEN_NOT))
      abort ();
  text = posture_text (posture);
  if (text == NULL)
    abort ();
}

/* All of it as one batch of answers. */
static void read_batch (struct posture_case *c, const uint8_t *data, size_t size)
{
  cleanup_error struct error err = { 0 };
  int r = inside_read (&c->inside, 0, c->inside.questions.count, data, size, &err);

  if ((r == 0) == error_is_set (&err) || (r < 0 && error_text (&err)[0] == '\0'))
    abort ();
}

/* One answer of a good run replaced by the bytes. To make a run is slow, so that is done once. */
static void replace_one (size_t index, const uint8_t *data, size_t size)
{
  static struct posture_case c;
  struct answer *answer, good;
  cleanup_free char *bytes = malloc (size + 1);

  if (bytes == NULL)
    abort ();
  memcpy (bytes, data, size);
  bytes[size] = '\0';
  if (c.plan == NULL)
    posture_case_make (&c);
  answer = &c.inside.answers[index % c.inside.questions.count];
  good = *answer;
  *answer = (struct answer){ 0, bytes, size };
  judge (&c);
  *answer = good;
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  cleanup_posture_case struct posture_case c = { 0 };

  if (size < 1)
    return 0;
  if (data[0] != 0xff) {
    replace_one (data[0], data + 1, size - 1);
    return 0;
  }
  posture_case_make (&c);
  read_batch (&c, data + 1, size - 1);
  judge (&c);
  return 0;
}
