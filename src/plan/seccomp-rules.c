/* The rules of a filter while it is put together.
 *
 * A condition often comes back for another call, and is one rule then. A list can make thousands of rules, so
 * they are found by a hash of action and condition: a table of their numbers, open, never more than half
 * full. It speaks of places, so sorting drops it; who adds again afterwards makes it again. */
#include <config.h>

#include "plan-seccomp-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_BITS 13
#define SLOTS     (1u << SLOT_BITS)

_Static_assert(SLOTS >= 2 * FILTER_RULES_MAX && FILTER_RULES_MAX < UINT16_MAX,
               "a slot for each rule, a number for each slot");

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

/* Rules without conditions first, then call by call, what is allowed before what is not. */
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
  free (filter->slots);
  filter->slots = NULL;
  if (filter->rule_count > 0)
    qsort (filter->rules, filter->rule_count, sizeof (*filter->rules), compare_rules);
}

void filter_sort_last (struct filter *filter)
{
  size_t at = filter->rule_count - 1;
  struct filter_rule last = filter->rules[at];

  free (filter->slots);
  filter->slots = NULL;
  for (; at > 0 && compare_rules (&last, &filter->rules[at - 1]) < 0; at--)
    filter->rules[at] = filter->rules[at - 1];
  filter->rules[at] = last;
}

/* Multiplied by the golden ratio's bits, as Knuth has it: the upper ones depend on all that went in. */
static uint64_t mix (uint64_t hash, uint32_t a, uint32_t b)
{
  return (hash ^ hash >> 32 ^ a ^ (uint64_t) b << 32) * UINT64_C (0x9e3779b97f4a7c15);
}

/* The slot of the rule with action and condition of LIKE, or the free one where its number belongs. */
static uint16_t *find_slot (const struct filter *filter, const struct filter_rule *like)
{
  uint64_t hash = mix (like->arg_count, like->allow, (uint32_t) like->errnum);
  size_t slot;

  for (size_t i = 0; i < like->arg_count; i++)
    hash = mix (mix (hash, like->args[i].index, 0), like->args[i].mask, like->args[i].datum);
  for (slot = hash >> (64 - SLOT_BITS); filter->slots[slot] != 0; slot = (slot + 1) % SLOTS) {
    const struct filter_rule *rule = &filter->rules[filter->slots[slot] - 1];

    if (compare_actions (rule, like) == 0 && compare_args (rule, like) == 0)
      break;
  }
  return &filter->slots[slot];
}

static int make_slots (struct filter *filter)
{
  if (filter->slots != NULL)
    return 0;
  filter->slots = calloc (SLOTS, sizeof (*filter->slots));
  if (filter->slots == NULL)
    return -ENOMEM;
  for (size_t i = 0; i < filter->rule_count; i++)
    *find_slot (filter, &filter->rules[i]) = (uint16_t) (i + 1);
  return 0;
}

static struct filter_rule *new_rule (struct filter *filter, const struct filter_rule *like)
{
  size_t count = filter->rule_count;
  struct filter_rule *rule;

  if ((count & (count - 1)) == 0) { /* full: room is made by doubling */
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
  struct filter_rule *same;
  uint16_t *slot;

  if (make_slots (filter) < 0)
    return error_oom (err);
  slot = find_slot (filter, rule);
  if (*slot == 0 && filter->rule_count >= FILTER_RULES_MAX)
    return error_set (err, -E2BIG, "the conditions on '%s' make more than %u rules", name, FILTER_RULES_MAX);
  same = *slot != 0 ? &filter->rules[*slot - 1] : new_rule (filter, rule);
  if (same == NULL)
    return error_oom (err);
  *slot = (uint16_t) (same - filter->rules + 1);
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
  free (filter->slots);
  strlist_clear (&filter->allowed);
  free (filter->file);
  free (filter);
}
