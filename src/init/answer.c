/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-answer.h"

#include <errno.h>
#include <string.h>

static int (*const answer_of[]) (const struct asked *asked, struct answers *answers) = {
  [QUESTION_FILE] = answer_file,
  [QUESTION_LINK] = answer_link,
  [QUESTION_LOOK] = answer_look,
  [QUESTION_STATFS] = answer_statfs,
  [QUESTION_LIST] = answer_list,
  [QUESTION_CREATE] = answer_create,
  [QUESTION_OPEN_WRITE] = answer_open_write,
  [QUESTION_CONNECT] = answer_connect,
  [QUESTION_DESCRIPTORS] = answer_descriptors,
  [QUESTION_ENVIRONMENT] = answer_environment,
  [QUESTION_LIMITS] = answer_limits,
  [QUESTION_NAMES] = answer_names,
  [QUESTION_EXECUTE] = answer_execute,
  [QUESTION_SEE] = answer_see,
};

/* Reads the question at the front. False if it is incomplete. */
static bool read_question (const struct questions *questions, struct asked *ret_asked)
{
  struct report_item head;
  size_t left = (size_t) (questions->end - questions->at);

  if (left < sizeof head)
    return false;
  memcpy (&head, questions->at, sizeof head);
  if (head.errnum != 0 || head.length > left - sizeof head)
    return false;
  *ret_asked =
      (struct asked){ .kind = head.kind, .length = head.length, .bytes = questions->at + sizeof head };
  return true;
}

bool questions_next (struct questions *questions, struct asked *ret_asked)
{
  if (!read_question (questions, ret_asked))
    return false;
  questions->at = ret_asked->bytes + ret_asked->length;
  return true;
}

static int count_questions (struct questions questions, size_t *ret_count)
{
  struct asked asked;
  size_t count = 0;

  while (questions_next (&questions, &asked))
    count++;
  if (questions.at != questions.end)
    return -EBADMSG;
  *ret_count = count;
  return 0;
}

static void answer_one (const struct asked *asked, struct answers *answers)
{
  int r = -ENOSYS;

  if (asked->kind < sizeof answer_of / sizeof *answer_of && answer_of[asked->kind])
    r = answer_of[asked->kind](asked, answers);
  if (r < 0)
    answers_drop (answers);
  answers_close (answers, asked->kind, r < 0 ? -r : 0);
}

/* Whether there is a QUESTION_LIST before the next call: a list of processes must not show the process that
 * makes calls. */
static bool asks_for_lists (struct questions questions)
{
  struct asked asked;

  while (questions_next (&questions, &asked) && asked.kind != QUESTION_CALL)
    if (asked.kind == QUESTION_LIST)
      return true;
  return false;
}

int answer_all (struct questions questions, struct answers *answers)
{
  struct calls calls = { 0 };
  bool started = false;
  struct asked asked;
  size_t count;
  int r = count_questions (questions, &count);

  if (r < 0)
    return r;
  answers_start (answers, count);
  while (read_question (&questions, &asked)) {
    if (!started && !asks_for_lists (questions)) {
      calls_start (questions, &calls);
      started = true;
    }
    if (asked.kind == QUESTION_CALL) {
      answer_calls (&calls, &questions, answers);
    } else {
      answer_one (&asked, answers);
      questions.at = asked.bytes + asked.length;
    }
  }
  calls_end (&calls);
  return 0;
}
