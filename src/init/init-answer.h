/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From questions to answers (wire-answers.h).
 *
 * In: the bytes of an ASK, from the supervisor. Out: the bytes of the ANSWER. Nothing is decided here, and no
 * change outlives the question. The container's root may be hostile: no path makes init wait, and nothing is
 * opened that reacts to it. No heap.
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

/* The rest of an ASK. */
struct questions {
  const unsigned char *at, *end;
};

/* False at the end. Only for questions that were checked. */
bool questions_next (struct questions *questions, struct asked *ret_asked);

/* Answers all questions. -EBADMSG, before any is answered, if the bytes are malformed. */
int answer_all (struct questions questions, struct answers *answers);

/* One function for each kind of question. They add the bytes of the answer, or return a negative errno as the
 * answer. */
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

/* Calls that another process is making. */
struct calls {
  struct made *made; /* NULL: out of memory, or no calls */
  int maker;         /* its pid, or a negative errno; 0: no process */
};

/* Starts a process for the first calls of QUESTIONS, to run while others are answered. Lists of processes
 * show it from here on. */
void calls_start (struct questions questions, struct calls *ret_calls);
/* Answers all questions at the front of QUESTIONS that are of kind QUESTION_CALL, and advances QUESTIONS. */
void answer_calls (struct calls *calls, struct questions *questions, struct answers *answers);
void calls_end (struct calls *calls);
