/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "posture-inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int inside_new (struct questions *questions, struct inside *ret_inside, struct error *err)
{
  struct answer *answers = calloc (questions->count + 1, sizeof (*answers));

  if (answers == NULL)
    return error_oom (err);
  for (size_t i = 0; i < questions->count; i++)
    answers[i].errnum = ENODATA;
  *ret_inside = (struct inside){ .questions = *questions, .answers = answers };
  *questions = (struct questions){ 0 };
  return 0;
}

/* An answer with an errno may have bytes, too: the signal, if a call killed its process. */
static int copy_answer (struct answer *answer, const struct report_item *head, const uint8_t *bytes)
{
  char *copy = malloc (head->length + (size_t) 1);

  if (copy == NULL)
    return -ENOMEM;
  memcpy (copy, bytes, head->length);
  copy[head->length] = '\0';
  free (answer->bytes);
  *answer = (struct answer){ head->errnum, copy, head->length };
  return 0;
}

int inside_read (struct inside *inside, size_t from, size_t until, const uint8_t *bytes, size_t length,
                 struct error *err)
{
  size_t at = 0;

  for (size_t i = from; i < until; i++) {
    struct report_item head;

    if (length - at < sizeof (head))
      return error_set (err, -EPROTO, "init left question %zu unanswered", i);
    memcpy (&head, bytes + at, sizeof (head));
    at += sizeof (head);
    if (head.kind != inside->questions.items[i].kind || head.length > length - at)
      return error_set (err, -EPROTO, "init's answer to question %zu is malformed", i);
    if (copy_answer (&inside->answers[i], &head, bytes + at) < 0)
      return error_oom (err);
    at += head.length;
  }
  return at == length ? 0 : error_set (err, -EPROTO, "init sent more answers than it got questions");
}

static const struct answer *find (const struct inside *inside, enum question kind, const void *bytes,
                                  size_t length)
{
  static const struct answer none = { .errnum = ENODATA };

  for (size_t i = 0; i < inside->questions.count; i++) {
    const struct asked *asked = &inside->questions.items[i];

    if (asked->kind == kind && asked->length == length && memcmp (asked->bytes, bytes, length) == 0)
      return &inside->answers[i];
  }
  return &none;
}

const struct answer *inside_answer (const struct inside *inside, enum question kind, const char *text)
{
  return find (inside, kind, text, strlen (text));
}

const char *inside_text (const struct inside *inside, enum question kind, const char *path)
{
  const struct answer *answer = inside_answer (inside, kind, path);

  if (answer->errnum != 0 || strlen (answer->bytes) != answer->length)
    return NULL;
  return answer->bytes;
}

static bool exactly (const struct answer *answer, void *ret, size_t size)
{
  if (answer->errnum != 0 || answer->length != size)
    return false;
  memcpy (ret, answer->bytes, size);
  return true;
}

bool inside_look (const struct inside *inside, const char *path, struct report_look *ret_look)
{
  return exactly (inside_answer (inside, QUESTION_LOOK, path), ret_look, sizeof (*ret_look));
}

bool inside_see (const struct inside *inside, const char *path, struct report_look *ret_look)
{
  return exactly (inside_answer (inside, QUESTION_SEE, path), ret_look, sizeof (*ret_look));
}

bool inside_statfs (const struct inside *inside, const char *path, struct report_statfs *ret_statfs)
{
  return exactly (inside_answer (inside, QUESTION_STATFS, path), ret_statfs, sizeof (*ret_statfs));
}

bool inside_limit (const struct inside *inside, unsigned resource, struct report_limit *ret_limit)
{
  const struct answer *answer = inside_answer (inside, QUESTION_LIMITS, "");

  if (answer->errnum != 0 || answer->length % sizeof (*ret_limit) != 0
      || answer->length / sizeof (*ret_limit) <= resource)
    return false;
  memcpy (ret_limit, answer->bytes + resource * sizeof (*ret_limit), sizeof (*ret_limit));
  return true;
}

/* A result below -4095 is no errno, so no kernel returned it. */
bool inside_call (const struct inside *inside, const struct report_call *call, int64_t *ret_result)
{
  const int64_t least = -4095;

  return exactly (find (inside, QUESTION_CALL, call, sizeof (*call)), ret_result, sizeof (*ret_result))
         && *ret_result >= least;
}

bool inside_execute (const struct inside *inside, const char *path, struct report_execute *ret_execute)
{
  return exactly (inside_answer (inside, QUESTION_EXECUTE, path), ret_execute, sizeof (*ret_execute));
}

bool inside_connect (const struct inside *inside, const void *address, size_t length, int *ret_errnum)
{
  const struct answer *answer = find (inside, QUESTION_CONNECT, address, length);

  *ret_errnum = answer->errnum;
  return answer->bytes != NULL;
}

void inside_clear (struct inside *inside)
{
  for (size_t i = 0; i < inside->questions.count; i++)
    free (inside->answers[i].bytes);
  free (inside->answers);
  questions_clear (&inside->questions);
  *inside = (struct inside){ 0 };
}
