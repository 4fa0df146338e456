/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "profile-seccomp.h"

#include <stdlib.h>
#include <string.h>

/* Two are shipped. Whoever has more, or changes them often, reads the others as before. */
#define KEPT_MAX 8

static struct {
  char *text;
  size_t len;
  struct seccomp_list *list;
} kept[KEPT_MAX];
static size_t kept_count;
static bool keeping;

void seccomp_lists_keep (void)
{
  keeping = true;
}

static void keep (const char *text, size_t len, struct seccomp_list *list)
{
  char *copy = kept_count < KEPT_MAX ? malloc (len + 1) : NULL;

  if (copy == NULL)
    return;
  memcpy (copy, text, len);
  list->kept = true;
  kept[kept_count].text = copy;
  kept[kept_count].len = len;
  kept[kept_count++].list = list;
}

int seccomp_list_obtain (const char *file, const char *text, size_t len, struct seccomp_list **ret_list,
                         struct error *err)
{
  int r;

  for (size_t i = 0; i < kept_count; i++)
    if (kept[i].len == len && memcmp (kept[i].text, text, len) == 0
        && strcmp (kept[i].list->file, file) == 0) {
      *ret_list = kept[i].list;
      return 0;
    }
  r = seccomp_list_parse (file, text, len, ret_list, err);
  if (r == 0 && keeping)
    keep (text, len, *ret_list);
  return r;
}
