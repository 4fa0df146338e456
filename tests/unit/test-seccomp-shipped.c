/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shipped lists: how they stand to each other, to what Linux has, and to what is written of them. */
#include <config.h>

#include "plan-seccomp.h"

#include "seccomp-case.h"

static bool applies (const struct filter_rule *rule, const char *name)
{
  return strset_has (&rule->names, name);
}

static bool disjoint (const struct filter_rule *a, const struct filter_rule *b)
{
  for (size_t i = 0; i < a->arg_count; i++)
    for (size_t j = 0; j < b->arg_count; j++) {
      const struct filter_arg *x = &a->args[i], *y = &b->args[j];

      if (x->index == y->index && ((x->datum ^ y->datum) & x->mask & y->mask) != 0)
        return true;
    }
  return false;
}

/* The part of all calls that a rule takes, in 2^-96ths (no list of ours has more than three arguments). */
static unsigned __int128 volume (const struct filter_rule *rule)
{
  int bits = 96;

  for (size_t i = 0; i < rule->arg_count; i++)
    bits -= __builtin_popcount (rule->args[i].mask);
  assert_true (bits >= 0);
  return (unsigned __int128) 1 << bits;
}

/* The rules of a call never overlap, and leave nothing out: then an order among them cannot matter. */
static void check_cover (const struct filter *filter, const char *name)
{
  unsigned __int128 sum = 0;

  for (size_t i = 0; i < filter->rule_count; i++) {
    if (!applies (&filter->rules[i], name))
      continue;
    sum += volume (&filter->rules[i]);
    for (size_t j = i + 1; j < filter->rule_count; j++)
      CHECK (!applies (&filter->rules[j], name) || disjoint (&filter->rules[i], &filter->rules[j]),
             "rules %zu and %zu overlap for '%s'", i, j, name);
  }
  CHECK (sum == (unsigned __int128) 1 << 96, "the rules for '%s' leave something out", name);
}

static void test_cover (void **state)
{
  (void) state;
  for (size_t m = 0; m < ARRAY_LEN (machines); m++)
    for (size_t l = 0; l < ARRAY_LEN (list_names); l++) {
      cleanup_seccomp_list struct seccomp_list *list = shipped_list (list_names[l]);
      cleanup_filter struct filter *filter = build_filter (list, NULL, machines[m].name);

      for (size_t i = 0; i < filter->rule_count; i++)
        for (size_t n = 0; n < filter->rules[i].names.count; n++)
          check_cover (filter, filter->rules[i].names.items[n]);
    }
}

/* No allowing rule of SMALL meets a refusing one of BIG; with test_cover, SMALL is a part of BIG. */
static const char *outside (const struct filter *small, const struct filter *big)
{
  for (size_t i = 0; i < small->rule_count; i++)
    for (size_t n = 0; small->rules[i].allow && n < small->rules[i].names.count; n++) {
      const char *name = small->rules[i].names.items[n];

      if (!strset_has (&big->allowed, name))
        return name;
      for (size_t j = 0; j < big->rule_count; j++)
        if (!big->rules[j].allow && applies (&big->rules[j], name)
            && !disjoint (&small->rules[i], &big->rules[j]))
          return name;
    }
  return NULL;
}

static void test_strict_is_part_of_default (void **state)
{
  (void) state;
  for (size_t m = 0; m < ARRAY_LEN (machines); m++) {
    cleanup_seccomp_list struct seccomp_list *by_default = shipped_list ("default");
    cleanup_seccomp_list struct seccomp_list *strict = shipped_list ("strict");
    cleanup_filter struct filter *big = build_filter (by_default, NULL, machines[m].name);
    cleanup_filter struct filter *small = build_filter (strict, NULL, machines[m].name);
    const char *name = outside (small, big);

    CHECK (name == NULL, "'strict' allows more of '%s' than 'default'", name);
    assert_non_null (outside (big, small));
    assert_true (small->allowed.count < big->allowed.count);
  }
}

#define NUMBERS 512

/* Marks the numbers of all names in FILTER. */
static void mark_named (const struct filter *filter, uint32_t token, bool named[NUMBERS])
{
  for (size_t i = 0; i < filter->rule_count; i++)
    for (size_t n = 0; n < filter->rules[i].names.count; n++) {
      int number = seccomp_syscall_resolve_name_arch (token, filter->rules[i].names.items[n]);

      if (number >= 0 && number < NUMBERS)
        named[number] = true;
    }
}

/* Every call that libseccomp knows of either architecture is named in both lists: none is forgotten. */
static void test_every_call_is_named (void **state)
{
  (void) state;
  for (size_t l = 0; l < ARRAY_LEN (list_names); l++) {
    cleanup_seccomp_list struct seccomp_list *list = shipped_list (list_names[l]);

    for (size_t m = 0; m < ARRAY_LEN (machines); m++) {
      cleanup_filter struct filter *filter = build_filter (list, NULL, machines[m].name);
      bool named[NUMBERS] = { false };
      size_t known = 0;

      mark_named (filter, machines[m].token, named);
      for (int number = 0; number < NUMBERS; number++) {
        cleanup_free char *name = seccomp_syscall_resolve_num_arch (machines[m].token, number);

        CHECK (name == NULL || named[number], "'%s' does not name '%s'", list_names[l], name);
        known += name != NULL;
      }
      assert_true (known > 300);
    }
  }
}

/* The numbers in the documentation are counted here. */
static void test_documented_numbers (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_free char *path = source_file ("docs/seccomp.md");
  cleanup_free char *text = NULL;
  size_t len;

  (void) state;
  CHECK (file_read (AT_FDCWD, path, LIMIT_PROFILE_BYTES, &text, &len, &err) == 0, "%s", error_text (&err));
  for (size_t l = 0; l < ARRAY_LEN (list_names); l++) {
    cleanup_seccomp_list struct seccomp_list *list = shipped_list (list_names[l]);
    cleanup_filter struct filter *x86 = build_filter (list, NULL, "x86_64");
    cleanup_filter struct filter *arm = build_filter (list, NULL, "aarch64");
    cleanup_free char *row =
        str_format ("| `%s` | %zu | %zu |", list_names[l], x86->allowed.count, arm->allowed.count);

    CHECK (strstr (text, row) != NULL, "docs/seccomp.md does not have '%s'", row);
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_cover),
  cmocka_unit_test (test_strict_is_part_of_default),
  cmocka_unit_test (test_every_call_is_named),
  cmocka_unit_test (test_documented_numbers),
};

UNIT_MAIN (cases)
