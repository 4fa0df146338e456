/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cache of filters, for the daemon, which builds the same ones again and again. Never evicts. */
#include <config.h>

#include "plan-seccomp.h"

#include <stdlib.h>
#include <string.h>

#include "plan-seccomp-internal.h"

#define CACHED_MAX 16

/* The inputs of each filter. A cached list is never freed, so its address identifies it. */
static struct {
  const struct seccomp_list *list;
  struct strlist extra, unknown;
  char *machine;
  struct filter *filter;
} cached[CACHED_MAX];
static size_t cached_count;
static bool enabled;

void filters_keep (void)
{
  enabled = true;
}

struct filter *filter_find_cached (const struct seccomp_list *list, const struct strlist *extra,
                                   const struct strlist *unknown, const char *machine)
{
  const struct strlist none = { 0 };

  for (size_t i = 0; i < cached_count; i++)
    if (cached[i].list == list && strlist_equal (&cached[i].extra, extra)
        && strlist_equal (&cached[i].unknown, unknown ? unknown : &none)
        && strcmp (cached[i].machine, machine) == 0)
      return cached[i].filter;
  return NULL;
}

void filter_keep (const struct seccomp_list *list, const struct strlist *extra, const struct strlist *unknown,
                  const char *machine, struct filter *filter)
{
  cleanup_strlist struct strlist extras = { 0 }, unknowns = { 0 };
  char *name = enabled && list->kept && cached_count < CACHED_MAX ? strdup (machine) : NULL;

  if (name == NULL)
    return;
  if (strlist_copy (extra, &extras) < 0 || (unknown != NULL && strlist_copy (unknown, &unknowns) < 0)) {
    free (name);
    return;
  }
  filter->kept = true;
  cached[cached_count].list = list;
  cached[cached_count].extra = extras;
  cached[cached_count].unknown = unknowns;
  cached[cached_count].machine = name;
  cached[cached_count++].filter = filter;
  extras = unknowns = (struct strlist){ 0 };
}
