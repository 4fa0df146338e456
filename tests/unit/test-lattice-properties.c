/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The laws of the lattice, on thousands of random settings.
 *
 * Every law is tried on three settings at a time, key by key, in all states. A law with an "if" counts
 * how often it applied, so that it cannot hold by never being tried. A failure says the seed, the key
 * and the values: TYRUM_OCI_TEST_SEED=... runs the same again.
 */
#include <config.h>

#include "control-lattice.h"

#include "control-catalogue.h"
#include "random-settings.h"
#include "unit.h"

#define ROUNDS 2000

static struct rng seed;

static int take_seed (void **state)
{
  (void) state;
  seed = rng_start ();
  return 0;
}

struct three {
  enum setting setting;
  const struct value *a, *b, *c;
};

/* Whether the law applied. A law that does not hold fails the test by itself. */
typedef bool (*law) (const struct three *t);

static void broken (const struct three *t, const char *what)
{
  cleanup_free char *a = value_text (t->setting, t->a);
  cleanup_free char *b = value_text (t->setting, t->b);
  cleanup_free char *c = value_text (t->setting, t->c);

  fail_msg ("%s: %s: a is %s; b is %s; c is %s", setting_info (t->setting)->key, what, a, b, c);
}

/* Returns how often the law applied. */
static unsigned long try_law (law holds)
{
  struct rng rng = seed;
  unsigned long applied = 0;

  for (unsigned round = 0; round < ROUNDS; round++) {
    cleanup_settings struct settings a = { 0 }, b = { 0 }, c = { 0 };

    random_settings (&rng, RANDOM_ANY, &a);
    random_settings (&rng, RANDOM_ANY, &b);
    random_settings (&rng, RANDOM_ANY, &c);
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
      const struct three t = { s, &a.values[s], &b.values[s], &c.values[s] };

      applied += holds (&t);
    }
  }
  return applied;
}

static void meet (enum setting setting, const struct value *a, const struct value *b, struct value *ret_met)
{
  assert_int_equal (value_meet (setting, a, b, ret_met), 0);
}

static bool is_top (const struct value *value)
{
  return value->state == VALUE_UNSET || value->state == VALUE_LIFTED;
}

static bool same_reasons (const struct value *a, const struct value *b)
{
  if (a->grants.count != b->grants.count)
    return false;
  for (size_t i = 0; i < a->grants.count; i++)
    if (!str_equal (a->grants.items[i].reason, b->grants.items[i].reason))
      return false;
  return true;
}

/* Equal, and the reasons of grants as well, which value_equal does not look at. */
static bool alike (enum setting setting, const struct value *a, const struct value *b)
{
  return value_equal (setting, a, b) && same_reasons (a, b);
}

static bool commutes (const struct three *t)
{
  cleanup_value struct value ab = { 0 }, ba = { 0 };

  meet (t->setting, t->a, t->b, &ab);
  meet (t->setting, t->b, t->a, &ba);
  if (!alike (t->setting, &ab, &ba))
    broken (t, "meet is not commutative");
  return true;
}

static bool associates (const struct three *t)
{
  cleanup_value struct value ab = { 0 }, bc = { 0 }, left = { 0 }, right = { 0 };

  meet (t->setting, t->a, t->b, &ab);
  meet (t->setting, t->b, t->c, &bc);
  meet (t->setting, &ab, t->c, &left);
  meet (t->setting, t->a, &bc, &right);
  if (!alike (t->setting, &left, &right))
    broken (t, "meet is not associative");
  return true;
}

static bool repeats (const struct three *t)
{
  cleanup_value struct value aa = { 0 }, ab = { 0 }, abb = { 0 };

  meet (t->setting, t->a, t->a, &aa);
  if (!alike (t->setting, &aa, t->a))
    broken (t, "meet is not idempotent");
  meet (t->setting, t->a, t->b, &ab);
  meet (t->setting, &ab, t->b, &abb);
  if (!alike (t->setting, &ab, &abb))
    broken (t, "meeting the same again changes something");
  return true;
}

static bool bounds (const struct three *t)
{
  cleanup_value struct value ab = { 0 };

  meet (t->setting, t->a, t->b, &ab);
  if (!value_within (t->setting, t->a, &ab) || !value_within (t->setting, t->b, &ab))
    broken (t, "the meet of a and b is looser than one of them");
  return true;
}

static bool bounds_greatest (const struct three *t)
{
  cleanup_value struct value ab = { 0 };

  if (!value_within (t->setting, t->a, t->c) || !value_within (t->setting, t->b, t->c))
    return false;
  meet (t->setting, t->a, t->b, &ab);
  if (!value_within (t->setting, &ab, t->c))
    broken (t, "c is within a and b, but not within their meet");
  return true;
}

/* In a chain one of two is always the stricter, so the meet is one of them and never a conflict. */
static bool chains (const struct three *t)
{
  enum value_order order = setting_info (t->setting)->order;
  cleanup_value struct value ab = { 0 };

  if (order != ORDER_TRUE && order != ORDER_LEVEL && order != ORDER_LESS)
    return false;
  if (value_compare (t->setting, t->a, t->b) == RELATION_UNRELATED)
    broken (t, "a and b do not compare");
  meet (t->setting, t->a, t->b, &ab);
  if (!value_equal (t->setting, &ab, t->a) && !value_equal (t->setting, &ab, t->b))
    broken (t, "the meet of a and b is neither");
  return true;
}

static bool reflects (const struct three *t)
{
  if (!value_within (t->setting, t->a, t->a) || value_compare (t->setting, t->a, t->a) != RELATION_EQUAL)
    broken (t, "a is not within itself");
  return true;
}

/* The two tops restrict nothing, so they are equally strict without being the same. */
static bool antisymmetric (const struct three *t)
{
  if (!value_within (t->setting, t->a, t->b) || !value_within (t->setting, t->b, t->a))
    return false;
  if (!value_equal (t->setting, t->a, t->b) && !(is_top (t->a) && is_top (t->b)))
    broken (t, "a and b are within one another, but not equal");
  return true;
}

static bool transitive (const struct three *t)
{
  if (!value_within (t->setting, t->a, t->b) || !value_within (t->setting, t->b, t->c))
    return false;
  if (!value_within (t->setting, t->a, t->c))
    broken (t, "b is within a and c within b, but c is not within a");
  return true;
}

/* Two ways to say "b is as strict as a". */
static bool order_and_meet_agree (const struct three *t)
{
  cleanup_value struct value ab = { 0 };
  bool within = value_within (t->setting, t->a, t->b);

  if (is_top (t->a) && is_top (t->b))
    return false;
  meet (t->setting, t->a, t->b, &ab);
  if (within != value_equal (t->setting, &ab, t->b))
    broken (t, "b within a, and the meet of both being b, do not agree");
  return within;
}

static bool monotone (const struct three *t)
{
  cleanup_value struct value ab = { 0 }, ac = { 0 };

  if (!value_within (t->setting, t->b, t->c))
    return false;
  meet (t->setting, t->a, t->b, &ab);
  meet (t->setting, t->a, t->c, &ac);
  if (!value_within (t->setting, &ab, &ac))
    broken (t, "c is within b, but with a it is not");
  return true;
}

static bool compares_both_ways (const struct three *t)
{
  static const enum relation turned[] = {
    [RELATION_EQUAL] = RELATION_EQUAL,
    [RELATION_TIGHTER] = RELATION_LOOSER,
    [RELATION_LOOSER] = RELATION_TIGHTER,
    [RELATION_UNRELATED] = RELATION_UNRELATED,
  };

  if (value_compare (t->setting, t->b, t->a) != turned[value_compare (t->setting, t->a, t->b)])
    broken (t, "a against b is not b against a turned round");
  return true;
}

static bool states_are_ends (const struct three *t)
{
  const struct value unset = { .state = VALUE_UNSET }, lifted = { .state = VALUE_LIFTED };
  const struct value conflict = { .state = VALUE_CONFLICT };
  cleanup_value struct value with_unset = { 0 }, with_lifted = { 0 }, with_conflict = { 0 };

  meet (t->setting, t->a, &unset, &with_unset);
  if (!alike (t->setting, &with_unset, t->a))
    broken (t, "unset is not neutral");
  meet (t->setting, t->a, &lifted, &with_lifted);
  if (!alike (t->setting, &with_lifted, t->a->state == VALUE_UNSET ? &lifted : t->a))
    broken (t, "lifted is not neutral");
  meet (t->setting, t->a, &conflict, &with_conflict);
  if (with_conflict.state != VALUE_CONFLICT || !value_within (t->setting, t->a, &conflict))
    broken (t, "a conflict does not stay one");
  return true;
}

/* A conflict is never invented: only users and texts have two values that cannot both be had. */
static bool conflicts_where_they_may (const struct three *t)
{
  enum value_order order = setting_info (t->setting)->order;
  cleanup_value struct value ab = { 0 };

  if (t->a->state == VALUE_CONFLICT || t->b->state == VALUE_CONFLICT)
    return false;
  meet (t->setting, t->a, t->b, &ab);
  if (ab.state != VALUE_CONFLICT)
    return false;
  if (order != ORDER_USER && order != ORDER_SAME && order != ORDER_LIST)
    broken (t, "the meet is a conflict");
  return true;
}

/* The laws so far could all hold for a wrong order. What follows says, without value_within, what the
 * meet of two values must let through and what not. */

static bool in_set (const struct strlist *set, const char *entry)
{
  for (size_t i = 0; i < set->count; i++)
    if (strcmp (set->items[i], entry) == 0)
      return true;
  return false;
}

static bool set_is_right (const struct three *t, const struct value *met)
{
  bool fewer = setting_info (t->setting)->order == ORDER_FEWER;
  const struct strlist *sides[] = { &t->a->set, &t->b->set, &met->set };

  for (size_t i = 0; i < ARRAY_LEN (sides); i++)
    for (size_t k = 0; k < sides[i]->count; k++) {
      const char *entry = sides[i]->items[k];
      bool a = in_set (&t->a->set, entry), b = in_set (&t->b->set, entry);

      if (in_set (&met->set, entry) != (fewer ? a && b : a || b))
        return t->setting == SETTING_REQUIRE && in_set (&met->set, "*"); /* then nothing else need stand */
    }
  return true;
}

static bool grant_is_had (const struct grant *grant, const struct grants *from)
{
  for (size_t i = 0; i < from->count; i++) {
    const struct grant *other = &from->items[i];

    if (strcmp (other->name, grant->name) == 0 && str_equal (other->source, grant->source)
        && str_equal (other->target, grant->target))
      return other->writable || !grant->writable;
  }
  return false;
}

static bool grants_are_right (const struct three *t, const struct value *met)
{
  for (size_t i = 0; i < met->grants.count; i++)
    if (!grant_is_had (&met->grants.items[i], &t->a->grants)
        || !grant_is_had (&met->grants.items[i], &t->b->grants))
      return false;
  for (size_t i = 0; i < t->a->grants.count; i++) {
    const struct grant *grant = &t->a->grants.items[i];

    /* What both let in in the same way stays. */
    if (grant_is_had (grant, &t->b->grants) && !grant_is_had (grant, &met->grants))
      return false;
  }
  return true;
}

static bool is_root (const struct value *value)
{
  return value->uid == 0 || value->gid == 0;
}

static bool content_is_right (const struct three *t, const struct value *met)
{
  const struct value *a = t->a, *b = t->b;

  switch (setting_info (t->setting)->kind) {
  case KIND_FLAG: return met->flag == (a->flag || b->flag);
  case KIND_LEVEL: return met->level == (a->level < b->level ? a->level : b->level);
  case KIND_NUMBER: return met->number == (a->number < b->number ? a->number : b->number);
  case KIND_IDS: return met->state == VALUE_CONFLICT || !is_root (met) || (is_root (a) && is_root (b));
  case KIND_TEXT:
    return met->state == VALUE_CONFLICT || !strcmp (met->text, a->text) || !strcmp (met->text, b->text);
  case KIND_SET: return set_is_right (t, met);
  case KIND_GRANTS: return grants_are_right (t, met);
  }
  return false;
}

static bool lets_through_what_both_do (const struct three *t)
{
  cleanup_value struct value ab = { 0 };

  if (t->a->state != VALUE_SET || t->b->state != VALUE_SET)
    return false;
  meet (t->setting, t->a, t->b, &ab);
  if (!content_is_right (t, &ab))
    broken (t, "the meet of a and b does not have the right content");
  return true;
}

/* The origin is that of a side which says what the result says, or of a where both have a part. */
static bool origin_is_one_of_both (const struct three *t)
{
  cleanup_value struct value ab = { 0 };
  const struct origin *a = &t->a->origin, *b = &t->b->origin;
  bool from_a, from_b;

  meet (t->setting, t->a, t->b, &ab);
  from_a =
      str_equal (ab.origin.file, a->file) && ab.origin.line == a->line && ab.origin.trusted == a->trusted;
  from_b =
      str_equal (ab.origin.file, b->file) && ab.origin.line == b->line && ab.origin.trusted == b->trusted;
  if (!from_a && !from_b)
    broken (t, "the meet comes from nowhere");
  if (!from_a && !value_equal (t->setting, &ab, t->b))
    broken (t, "the meet is said to come from b, which says something else");
  return true;
}

/* Each law must have applied to at least this many of the 72,000 triples. */
#define LAW(name, least)                                                                                     \
  static void test_##name (void **state)                                                                     \
  {                                                                                                          \
    unsigned long applied = try_law (name);                                                                  \
    (void) state;                                                                                            \
    CHECK (applied >= (least), "the law was tried %lu times only", applied);                                 \
  }

LAW (commutes, 70000)
LAW (associates, 70000)
LAW (repeats, 70000)
LAW (bounds, 70000)
LAW (bounds_greatest, 7000)
LAW (chains, 7000)
LAW (reflects, 70000)
LAW (antisymmetric, 3000)
LAW (transitive, 7000)
LAW (order_and_meet_agree, 7000)
LAW (monotone, 7000)
LAW (compares_both_ways, 70000)
LAW (states_are_ends, 70000)
LAW (conflicts_where_they_may, 1000)
LAW (lets_through_what_both_do, 7000)
LAW (origin_is_one_of_both, 70000)

/* Completed first, as a plan does it: then what one source leaves out cannot be loosened by another. */
static void test_complete_settings_are_only_tightened (void **state)
{
  struct rng rng = seed;

  (void) state;
  for (unsigned round = 0; round < ROUNDS; round++) {
    cleanup_settings struct settings profile = { 0 }, other = { 0 }, met = { 0 };

    random_settings (&rng, RANDOM_SAID, &profile);
    random_settings (&rng, RANDOM_SAID, &other);
    assert_int_equal (settings_complete (&profile, NULL), 0);
    assert_int_equal (settings_meet (&profile, &other, &met), 0);
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
      const struct three t = { s, &profile.values[s], &other.values[s], &met.values[s] };

      if (!value_within (s, t.a, t.c) || !value_within (s, t.b, t.c))
        broken (&t, "the meet, c, is looser than a or b");
    }
  }
}

/* Whether NAME is in both lists: then 'require' wins, but only as long as nobody says "*". */
static bool is_contradictory (const struct settings *settings, enum control control)
{
  return in_set (&settings->values[SETTING_REQUIRE].set, control_info (control)->name)
         && in_set (&settings->values[SETTING_OPTIONAL].set, control_info (control)->name);
}

/* A plan ends at a conflict; here A is taken to be right, as if the other side had said the same. */
static void settle_conflicts (const struct settings *a, struct settings *met)
{
  for (enum setting s = 0; s < SETTING_COUNT; s++)
    if (met->values[s].state == VALUE_CONFLICT) {
      value_clear (&met->values[s]);
      assert_int_equal (value_copy (&a->values[s], &met->values[s]), 0);
    }
}

/* What one source promises or requires, the meet promises or requires: no source can talk another out
 * of a control. Secrets are the exception: without any there is nothing to keep. */
static void test_promises_survive (void **state)
{
  struct rng rng = seed;
  unsigned long promised = 0, required = 0;

  (void) state;
  for (unsigned round = 0; round < ROUNDS * 2; round++) {
    cleanup_settings struct settings a = { 0 }, b = { 0 }, met = { 0 };

    random_settings (&rng, RANDOM_SAID, &a);
    random_settings (&rng, RANDOM_SAID, &b);
    assert_int_equal (settings_complete (&a, NULL), 0);
    assert_int_equal (settings_complete (&b, NULL), 0);
    assert_int_equal (settings_meet (&a, &b, &met), 0);
    settle_conflicts (&a, &met);
    for (enum control c = 0; c < CONTROL_COUNT; c++) {
      if (c == CONTROL_SECRETS_FILES || !control_is_promised (c, &a))
        continue;
      CHECK (control_is_promised (c, &met), "%s is no longer promised", control_info (c)->name);
      promised++;
      if (!control_is_required (c, &a) || is_contradictory (&a, c))
        continue;
      CHECK (control_is_required (c, &met), "%s is no longer required", control_info (c)->name);
      required++;
    }
  }
  assert_true (promised > 10000 && required > 10000);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_commutes),
  cmocka_unit_test (test_associates),
  cmocka_unit_test (test_repeats),
  cmocka_unit_test (test_bounds),
  cmocka_unit_test (test_bounds_greatest),
  cmocka_unit_test (test_chains),
  cmocka_unit_test (test_reflects),
  cmocka_unit_test (test_antisymmetric),
  cmocka_unit_test (test_transitive),
  cmocka_unit_test (test_order_and_meet_agree),
  cmocka_unit_test (test_monotone),
  cmocka_unit_test (test_compares_both_ways),
  cmocka_unit_test (test_states_are_ends),
  cmocka_unit_test (test_conflicts_where_they_may),
  cmocka_unit_test (test_lets_through_what_both_do),
  cmocka_unit_test (test_origin_is_one_of_both),
  cmocka_unit_test (test_complete_settings_are_only_tightened),
  cmocka_unit_test (test_promises_survive),
};

int main (void)
{
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (cases, take_seed, NULL);
}
