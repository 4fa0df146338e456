/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From questions to answers (wire-answers.h).
 *
 * In: the bytes of an ASK, from the supervisor. Out: the bytes of the ANSWER. Nothing is decided here, and
 * nothing is changed that outlives the question. What is asked about, the container's root, may be hostile:
 * no path makes init wait or open what reacts to being opened. No heap.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "init-answers.h"

/* One question. BYTES point into the ASK. */
struct asked {
  unsigned kind;
  size_t length;
  const unsigned char *bytes;
};

/* What of an ASK is still to be read. */
struct questions {
  const unsigned char *at, *end;
};

/* False at the end. Only for questions that were checked. */
bool questions_next (struct questions *questions, struct asked *ret_asked);

/* Answers all of them. -EBADMSG, and nothing was looked at, if the bytes are not a row of questions. */
int answer_all (struct questions questions, struct answers *answers);

/* A kind of question each. They add the bytes of the answer; a negative errno is the answer instead. */
int answer_file (const struct asked *asked, struct answers *answers);
int answer_link (const struct asked *asked, struct answers *answers);
int answer_look (const struct asked *asked, struct answers *answers);
int answer_see (const struct asked *asked, struct answers *answers);
int answer_statfs (const struct asked *asked, struct answers *answers);
int answer_open_write (const struct asked *asked, struct answers *answers);
int answer_list (const struct asked *asked, struct answers *answers);
int answer_create (const struct asked *asked, struct answers *answers);
int answer_connect (const struct asked *asked, struct answers *answers);
int answer_descriptors (const struct asked *asked, struct answers *answers);
int answer_environment (const struct asked *asked, struct answers *answers);
int answer_limits (const struct asked *asked, struct answers *answers);
int answer_execute (const struct asked *asked, struct answers *answers);
int answer_names (const struct asked *asked, struct answers *answers);

/* Calls that a process is making meanwhile. */
struct calls {
  struct made *made; /* NULL: there was no memory, or nothing to make */
  int maker;         /* its id, or a negative errno; 0: there is none */
};

/* Has the first calls of QUESTIONS made, while others are answered. Whoever lists processes sees one more
 * from here on. */
void calls_start (struct questions questions, struct calls *ret_calls);
/* Closes the answers of all questions at the front of QUESTIONS that are of kind QUESTION_CALL, and moves
 * QUESTIONS behind them. */
void answer_calls (struct calls *calls, struct questions *questions, struct answers *answers);
void calls_end (struct calls *calls);
