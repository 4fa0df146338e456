/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of a filter while it is built. Calls with the same action and condition share one rule. */
#include <config.h>

#include "plan-seccomp-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_args (const struct filter_rule *a, const struct filter_rule *b)
{
  if (a->arg_count != b->arg_count)
    return a->arg_count < b->arg_count ? -1 : 1;
  for (size_t i = 0; i < a->arg_count; i++) {
    const struct filter_arg *x = &a->args[i], *y = &b->args[i];

    if (x->index != y->index)
      return x->index < y->index ? -1 : 1;
    if (x->mask != y->mask)
      return x->mask < y->mask ? -1 : 1;
    if (x->datum != y->datum)
      return x->datum < y->datum ? -1 : 1;
  }
  return 0;
}

static int compare_actions (const struct filter_rule *a, const struct filter_rule *b)
{
  if (a->allow != b->allow)
    return a->allow ? -1 : 1;
  return (a->errnum > b->errnum) - (a->errnum < b->errnum);
}

/* Rules without conditions first, then by call, allowed before denied. */
static int compare_rules (const void *a, const void *b)
{
  const struct filter_rule *x = a, *y = b;
  int order = (x->arg_count > 0) - (y->arg_count > 0);

  if (order == 0 && x->arg_count > 0)
    order = strcmp (x->names.items[0], y->names.items[0]);
  if (order == 0)
    order = compare_actions (x, y);
  return order ? order : compare_args (x, y);
}

void filter_sort (struct filter *filter)
{
  if (filter->rule_count > 0)
    qsort (filter->rules, filter->rule_count, sizeof (*filter->rules), compare_rules);
}

void filter_sort_last (struct filter *filter)
{
  size_t at = filter->rule_count - 1;
  struct filter_rule last = filter->rules[at];

  for (; at > 0 && compare_rules (&last, &filter->rules[at - 1]) < 0; at--)
    filter->rules[at] = filter->rules[at - 1];
  filter->rules[at] = last;
}

/* The rule with the action and condition of LIKE, or NULL. The first datum is compared first because it
 * usually differs; it is 0 in a rule without conditions. */
static struct filter_rule *find_rule (const struct filter *filter, const struct filter_rule *like)
{
  for (size_t i = 0; i < filter->rule_count; i++) {
    struct filter_rule *rule = &filter->rules[i];

    if (rule->arg_count == like->arg_count && rule->args[0].datum == like->args[0].datum
        && compare_actions (rule, like) == 0 && compare_args (rule, like) == 0)
      return rule;
  }
  return NULL;
}

static struct filter_rule *new_rule (struct filter *filter, const struct filter_rule *like)
{
  size_t count = filter->rule_count;
  struct filter_rule *rule;

  if ((count & (count - 1)) == 0) { /* full: double the capacity */
    struct filter_rule *grown = realloc (filter->rules, (count ? 2 * count : 1) * sizeof (*grown));

    if (grown == NULL)
      return NULL;
    filter->rules = grown;
  }
  rule = &filter->rules[filter->rule_count++];
  *rule = *like;
  rule->names = (struct strlist){ 0 };
  return rule;
}

int filter_add (struct filter *filter, const char *name, const struct filter_rule *rule, struct error *err)
{
  struct filter_rule *same = find_rule (filter, rule);

  if (same == NULL && filter->rule_count >= FILTER_RULES_MAX)
    return error_set (err, -E2BIG, "the conditions on '%s' make more than %u rules", name, FILTER_RULES_MAX);
  if (same == NULL)
    same = new_rule (filter, rule);
  if (same == NULL)
    return error_oom (err);
  if (strset_add (&same->names, name) < 0 || (rule->allow && strset_add (&filter->allowed, name) < 0))
    return error_oom (err);
  return 0;
}

void filter_free (struct filter *filter)
{
  if (filter == NULL || filter->kept)
    return;
  for (size_t i = 0; i < filter->rule_count; i++)
    strlist_clear (&filter->rules[i].names);
  for (size_t i = 0; i < filter->line_count; i++)
    free (filter->lines[i].name);
  free (filter->lines);
  free (filter->rules);
  strlist_clear (&filter->allowed);
  free (filter->file);
  free (filter);
}
