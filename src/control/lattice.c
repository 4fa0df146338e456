/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "control-lattice.h"

#include <errno.h>
#include <string.h>

#include "base-cleanup.h"

static bool is_top (const struct value *value)
{
  return value->state == VALUE_UNSET || value->state == VALUE_LIFTED;
}

/* Each function below returns whether B is as strict as A, or stricter. Both are set. */

static bool grants_within (const struct grants *a, const struct grants *b)
{
  for (size_t i = 0; i < b->count; i++) {
    const struct grant *inner = &b->items[i];
    const struct grant *outer = grants_find (a, inner->name);

    if (outer == NULL || !str_equal (outer->source, inner->source)
        || !str_equal (outer->target, inner->target) || (inner->writable && !outer->writable))
      return false;
  }
  return true;
}

static bool is_root (const struct value *value)
{
  return value->uid == 0 || value->gid == 0;
}

/* Ids that contain root form a chain above all other users; otherwise meet would not be associative. */
static bool user_within (const struct value *a, const struct value *b)
{
  if (!is_root (b))
    return is_root (a) || (a->uid == b->uid && a->gid == b->gid);
  return is_root (a) && (b->uid > a->uid || (b->uid == a->uid && b->gid >= a->gid));
}

static bool list_within (const struct value *a, const struct value *b)
{
  return strcmp (a->text, b->text) == 0
         || (strcmp (a->text, "default") == 0 && strcmp (b->text, "strict") == 0);
}

/* Only in 'require' does "*" include every other entry; elsewhere it is an ordinary name. */
static bool more_within (enum setting setting, const struct strlist *a, const struct strlist *b)
{
  return (setting == SETTING_REQUIRE && strset_has (b, "*")) || strset_subset (a, b);
}

static bool set_within (enum setting setting, const struct value *a, const struct value *b)
{
  switch (setting_info (setting)->order) {
  case ORDER_TRUE: return b->flag || !a->flag;
  case ORDER_LEVEL: return b->level <= a->level;
  case ORDER_LESS: return b->number <= a->number;
  case ORDER_USER: return user_within (a, b);
  case ORDER_SAME: return strcmp (a->text, b->text) == 0;
  case ORDER_LIST: return list_within (a, b);
  case ORDER_FEWER: return strset_subset (&b->set, &a->set);
  case ORDER_MORE: return more_within (setting, &a->set, &b->set);
  case ORDER_GRANTS: return grants_within (&a->grants, &b->grants);
  }
  return false;
}

bool value_within (enum setting setting, const struct value *a, const struct value *b)
{
  if (is_top (a) || b->state == VALUE_CONFLICT)
    return true;
  if (is_top (b) || a->state == VALUE_CONFLICT)
    return false;
  return set_within (setting, a, b);
}

enum relation value_compare (enum setting setting, const struct value *a, const struct value *b)
{
  bool tighter = value_within (setting, a, b);
  bool looser = value_within (setting, b, a);

  if (tighter && looser)
    return RELATION_EQUAL;
  if (tighter)
    return RELATION_TIGHTER;
  return looser ? RELATION_LOOSER : RELATION_UNRELATED;
}

static const char *smaller_text (const char *a, const char *b)
{
  if (a == NULL || b == NULL)
    return a ? a : b;
  return strcmp (a, b) <= 0 ? a : b;
}

static int meet_grants (enum setting setting, const struct value *a, const struct value *b,
                        struct value *ret_value)
{
  cleanup_value struct value met = { .state = VALUE_SET };
  const struct value *decided = a;

  for (size_t i = 0; i < a->grants.count; i++) {
    const struct grant *x = &a->grants.items[i];
    const struct grant *y = grants_find (&b->grants, x->name);
    struct grant both = { 0 };
    const char *reason;
    bool copied;

    if (y == NULL || !str_equal (x->source, y->source) || !str_equal (x->target, y->target))
      continue;
    reason = smaller_text (x->reason, y->reason);
    both.writable = x->writable && y->writable;
    both.name = strdup (x->name);
    both.source = strdup (x->source);
    both.target = x->target ? strdup (x->target) : NULL;
    both.reason = reason ? strdup (reason) : NULL;
    copied = both.name && both.source && (both.target || !x->target) && (both.reason || !reason);
    if (!copied) {
      free (both.name);
      free (both.source);
      free (both.target);
      free (both.reason);
      return -ENOMEM;
    }
    if (value_add_grant (setting, &both, &met, NULL) < 0)
      return -ENOMEM;
  }
  if (!grants_within (&b->grants, &a->grants) && grants_within (&a->grants, &b->grants))
    decided = b;
  if (origin_copy (&decided->origin, &met.origin) < 0)
    return -ENOMEM;
  *ret_value = met;
  met = (struct value){ 0 };
  return 0;
}

static int meet_sets (enum setting setting, const struct value *a, const struct value *b,
                      struct value *ret_value)
{
  cleanup_value struct value met = { .state = VALUE_SET };
  int r;

  if (setting_info (setting)->order == ORDER_MORE)
    r = strset_union (&a->set, &b->set, &met.set);
  else
    r = strset_intersect (&a->set, &b->set, &met.set);
  if (r < 0 || origin_copy (&a->origin, &met.origin) < 0)
    return -ENOMEM;
  *ret_value = met;
  met = (struct value){ 0 };
  return 0;
}

static int meet_conflict (const struct value *a, struct value *ret_value)
{
  struct value met = { .state = VALUE_CONFLICT };

  if (origin_copy (&a->origin, &met.origin) < 0)
    return -ENOMEM;
  *ret_value = met;
  return 0;
}

int value_meet (enum setting setting, const struct value *a, const struct value *b, struct value *ret_value)
{
  enum value_order order = setting_info (setting)->order;

  /* Both are the top: lifted is more explicit than unset. */
  if (is_top (a) && is_top (b))
    return value_copy (b->state == VALUE_LIFTED && a->state != VALUE_LIFTED ? b : a, ret_value);
  /* Grants that contain one another can still differ in their reasons, which meet_grants resolves. */
  if (order == ORDER_GRANTS && a->state == VALUE_SET && b->state == VALUE_SET)
    return meet_grants (setting, a, b, ret_value);
  if (value_within (setting, b, a))
    return value_copy (a, ret_value);
  if (value_within (setting, a, b))
    return value_copy (b, ret_value);
  if (order == ORDER_FEWER || order == ORDER_MORE)
    return meet_sets (setting, a, b, ret_value);
  return meet_conflict (a, ret_value);
}

/* "*" absorbs the names beside it, so a control that one side requires by name must not become optional
 * through the exceptions of the other side. */
static void require_by_name (const struct value *require, struct value *optional)
{
  size_t kept = 0;

  if (!value_is_set (require) || !value_is_set (optional))
    return;
  for (size_t i = 0; i < optional->set.count; i++) {
    if (strset_has (&require->set, optional->set.items[i]))
      free (optional->set.items[i]);
    else
      optional->set.items[kept++] = optional->set.items[i];
  }
  optional->set.count = kept;
}

int settings_meet (const struct settings *a, const struct settings *b, struct settings *ret_settings)
{
  struct settings met = { 0 };

  for (enum setting s = 0; s < SETTING_COUNT; s++)
    if (value_meet (s, &a->values[s], &b->values[s], &met.values[s]) < 0) {
      settings_clear (&met);
      return -ENOMEM;
    }
  require_by_name (&a->values[SETTING_REQUIRE], &met.values[SETTING_OPTIONAL]);
  require_by_name (&b->values[SETTING_REQUIRE], &met.values[SETTING_OPTIONAL]);
  *ret_settings = met;
  return 0;
}

const char *relation_text (enum relation relation)
{
  static const char *const names[] = { "equal", "tighter", "looser", "not comparable" };

  return names[relation];
}
