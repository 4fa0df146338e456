/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "denial-record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "base-str.h"

struct denial *denials_find (const struct denials *denials, enum control control, const char *what,
                             const char *program)
{
  for (size_t i = 0; i < denials->count; i++) {
    struct denial *denial = &denials->items[i];

    if (denial->control == control && strcmp (denial->what, what) == 0
        && str_equal (denial->program, program))
      return denial;
  }
  return NULL;
}

bool denials_count (struct denials *denials, enum control control, const char *what, const char *program)
{
  struct denial *denial = denials_find (denials, control, what, program);

  if (denial != NULL)
    denial->count++;
  return denial != NULL;
}

bool denials_are_full (const struct denials *denials)
{
  return denials->count >= LIMIT_DENIALS;
}

int denials_add (struct denials *denials, struct denial *denial)
{
  struct denial *grown = NULL;

  if (denial->what != NULL && denial->rule != NULL && denial->allow != NULL)
    grown = realloc (denials->items, (denials->count + 1) * sizeof (*grown));
  if (grown == NULL) {
    denial_clear (denial);
    return -ENOMEM;
  }
  denials->items = grown;
  grown[denials->count++] = *denial;
  *denial = (struct denial){ 0 };
  return 0;
}

bool denials_explain (const struct denials *denials)
{
  for (size_t i = 0; i < denials->count; i++)
    if (!denials->items[i].aside)
      return true;
  return false;
}

void denial_clear (struct denial *denial)
{
  free (denial->what);
  free (denial->program);
  free (denial->rule);
  free (denial->allow);
  *denial = (struct denial){ 0 };
}

void denials_clear (struct denials *denials)
{
  for (size_t i = 0; i < denials->count; i++)
    denial_clear (&denials->items[i]);
  free (denials->items);
  *denials = (struct denials){ 0 };
}

char *denial_clean (const char *text, size_t max)
{
  char *copy = strndup (text, max);
  bool utf8 = copy != NULL && str_is_utf8 (copy, strlen (copy));

  for (char *p = copy; p != NULL && *p != '\0'; p++)
    if ((unsigned char) *p < ' ' || *p == 0x7f || (!utf8 && (unsigned char) *p > 0x7f))
      *p = '?';
  return copy;
}
