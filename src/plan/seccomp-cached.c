/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "plan-seccomp.h"

#include <stdlib.h>
#include <string.h>

#include "plan-seccomp-internal.h"

#define KEPT_MAX 16

/* What a filter was made of. A list that is kept has its address to itself. */
static struct {
  const struct seccomp_list *list;
  struct strlist extra, unknown;
  char *machine;
  struct filter *filter;
} kept[KEPT_MAX];
static size_t kept_count;
static bool keeping;

void filters_keep (void)
{
  keeping = true;
}

struct filter *filter_find_cached (const struct seccomp_list *list, const struct strlist *extra,
                                   const struct strlist *unknown, const char *machine)
{
  const struct strlist none = { 0 };

  for (size_t i = 0; i < kept_count; i++)
    if (kept[i].list == list && strlist_equal (&kept[i].extra, extra)
        && strlist_equal (&kept[i].unknown, unknown ? unknown : &none)
        && strcmp (kept[i].machine, machine) == 0)
      return kept[i].filter;
  return NULL;
}

void filter_keep (const struct seccomp_list *list, const struct strlist *extra, const struct strlist *unknown,
                  const char *machine, struct filter *filter)
{
  cleanup_strlist struct strlist extras = { 0 }, unknowns = { 0 };
  char *name = keeping && list->kept && kept_count < KEPT_MAX ? strdup (machine) : NULL;

  if (name == NULL)
    return;
  if (strlist_copy (extra, &extras) < 0 || (unknown != NULL && strlist_copy (unknown, &unknowns) < 0)) {
    free (name);
    return;
  }
  filter->kept = true;
  kept[kept_count].list = list;
  kept[kept_count].extra = extras;
  kept[kept_count].unknown = unknowns;
  kept[kept_count].machine = name;
  kept[kept_count++].filter = filter;
  extras = unknowns = (struct strlist){ 0 };
}
