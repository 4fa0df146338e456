/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "profile-seccomp.h"

#include <stdlib.h>
#include <string.h>

/* Two lists are shipped. Further ones are parsed each time. */
#define CACHED_MAX 8

static struct {
  char *text;
  size_t len;
  struct seccomp_list *list;
} cached[CACHED_MAX];
static size_t cached_count;
static bool caching;

void seccomp_lists_keep (void)
{
  caching = true;
}

static void add_to_cache (const char *text, size_t len, struct seccomp_list *list)
{
  char *copy = cached_count < CACHED_MAX ? malloc (len + 1) : NULL;

  if (copy == NULL)
    return;
  memcpy (copy, text, len);
  list->kept = true;
  cached[cached_count].text = copy;
  cached[cached_count].len = len;
  cached[cached_count++].list = list;
}

int seccomp_list_obtain (const char *file, const char *text, size_t len, struct seccomp_list **ret_list,
                         struct error *err)
{
  int r;

  for (size_t i = 0; i < cached_count; i++)
    if (cached[i].len == len && memcmp (cached[i].text, text, len) == 0
        && strcmp (cached[i].list->file, file) == 0) {
      *ret_list = cached[i].list;
      return 0;
    }
  r = seccomp_list_parse (file, text, len, ret_list, err);
  if (r == 0 && caching)
    add_to_cache (text, len, *ret_list);
  return r;
}
