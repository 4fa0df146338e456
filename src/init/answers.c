/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-answers.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define HEAD sizeof (struct report_item)

_Static_assert(LIMIT_ASK_BYTES <= LIMIT_REPORT_BYTES, "the heads of all answers fit");

void answers_start (struct answers *answers, size_t count)
{
  answers->used = answers->open = 0;
  answers->owed = count;
}

size_t answers_room (const struct answers *answers)
{
  return sizeof answers->bytes - answers->used - answers->open - answers->owed * HEAD;
}

unsigned char *answers_end (struct answers *answers)
{
  return answers->bytes + answers->used + HEAD + answers->open;
}

void answers_grow (struct answers *answers, size_t size)
{
  answers->open += size;
}

int answers_add (struct answers *answers, const void *data, size_t size)
{
  if (size > answers_room (answers))
    return -ENOBUFS;
  memcpy (answers_end (answers), data, size);
  answers_grow (answers, size);
  return 0;
}

void answers_drop (struct answers *answers)
{
  answers->open = 0;
}

void answers_close (struct answers *answers, unsigned kind, int errnum)
{
  struct report_item head = { .kind = (uint16_t) kind,
                              .errnum = (uint16_t) errnum,
                              .length = (uint32_t) answers->open };

  memcpy (answers->bytes + answers->used, &head, HEAD);
  answers->used += HEAD + answers->open;
  answers->open = 0;
  answers->owed--;
}
