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

/* The filter itself, if it is one that is kept. */
static struct filter *find (const struct filter *filter)
{
  for (size_t i = 0; filter->kept && i < kept_count; i++)
    if (kept[i].filter == filter)
      return kept[i].filter;
  return NULL;
}

void filter_keep_program (const struct filter *filter, bool tells, const char *program)
{
  struct filter *keeper = find (filter);

  if (keeper != NULL && keeper->programs[tells] == NULL)
    keeper->programs[tells] = strdup (program);
}

void filter_keep_name (const struct filter *filter, bool tells, const char *name)
{
  struct filter *keeper = find (filter);

  if (keeper != NULL && keeper->names[tells] == NULL)
    keeper->names[tells] = strdup (name);
}

void filter_keep_written (const struct filter *filter, const char *text, size_t len, unsigned depth)
{
  struct filter *keeper = find (filter);

  if (keeper == NULL || keeper->written != NULL)
    return;
  keeper->written = strndup (text, len);
  keeper->written_depth = depth;
}
