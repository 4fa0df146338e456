/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes that answer one ASK (wire-answers.h), while they are put together.
 *
 * A buffer of a fixed size, filled from the front. Room for the heads of the remaining answers is always
 * reserved, so that every question gets at least a head with ENOBUFS.
 *
 *     answers_start, then for each question: answers_add or answers_grow, as often as needed; answers_close
 */
#pragma once

#include <stddef.h>

#include "wire-answers.h"
#include "wire-init.h"

struct answers {
  size_t used; /* bytes of the closed answers */
  size_t open; /* bytes of the open answer, without its head */
  size_t owed; /* answers still to be closed */
  unsigned char bytes[LIMIT_REPORT_BYTES];
};

/* Prepares for COUNT answers; their heads must fit. */
void answers_start (struct answers *answers, size_t count);

/* How many bytes the open answer can still take, and where they go. */
size_t answers_room (const struct answers *answers);
unsigned char *answers_end (struct answers *answers);

/* Records that SIZE bytes were put at answers_end. */
void answers_grow (struct answers *answers, size_t size);

/* 0, or -ENOBUFS and nothing is added. */
int answers_add (struct answers *answers, const void *data, size_t size);

/* Discards the bytes of the open answer. */
void answers_drop (struct answers *answers);

void answers_close (struct answers *answers, unsigned kind, int errnum);
