/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes that answer one ASK (wire-answers.h), while they are put together.
 *
 * A buffer of a fixed size, filled from the front. The room for the heads of the answers that are still owed
 * is never given away, so that every question gets at least a head that says ENOBUFS.
 *
 *   answers_start, then for each question: answers_add or answers_grow, as often as needed; answers_close
 */
#pragma once

#include <stddef.h>

#include "wire-answers.h"
#include "wire-init.h"

struct answers {
  size_t used; /* bytes of the answers that are closed */
  size_t open; /* bytes of the one that is not, without its head */
  size_t owed; /* answers that are not closed */
  unsigned char bytes[LIMIT_REPORT_BYTES];
};

/* COUNT questions are to be answered; their heads must fit. */
void answers_start (struct answers *answers, size_t count);

/* How many bytes the open answer can still take, and where they go. */
size_t answers_room (const struct answers *answers);
unsigned char *answers_end (struct answers *answers);

/* SIZE bytes were put at answers_end. */
void answers_grow (struct answers *answers, size_t size);

/* 0, or -ENOBUFS and nothing is added. */
int answers_add (struct answers *answers, const void *data, size_t size);

/* Forgets the bytes of the open answer. */
void answers_drop (struct answers *answers);

void answers_close (struct answers *answers, unsigned kind, int errnum);
