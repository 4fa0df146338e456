/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "restrict-seccomp-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base-number.h"
#include "base-str.h"

static const char *const names[] = {
  [COMPARE_NE] = "SCMP_CMP_NE",
  [COMPARE_LT] = "SCMP_CMP_LT",
  [COMPARE_LE] = "SCMP_CMP_LE",
  [COMPARE_EQ] = "SCMP_CMP_EQ",
  [COMPARE_GE] = "SCMP_CMP_GE",
  [COMPARE_GT] = "SCMP_CMP_GT",
  [COMPARE_MASKED] = "SCMP_CMP_MASKED_EQ",
};

static bool read_number (const struct json_node *arg, const char *key, uint64_t max, uint64_t *ret_number)
{
  const struct json_node *node = json_get (arg, key);

  *ret_number = 0;
  return node == NULL || (node->type == JSON_NUMBER && number_parse (node->text, max, ret_number));
}

static bool read_test (const struct json_node *arg, struct condition_test *ret_test)
{
  const struct json_node *op = json_get (arg, "op");

  if (op == NULL || op->type != JSON_STRING || !read_number (arg, "index", 5, &ret_test->index)
      || !read_number (arg, "value", UINT64_MAX, &ret_test->value)
      || !read_number (arg, "valueTwo", UINT64_MAX, &ret_test->two))
    return false;
  for (size_t i = 0; i < ARRAY_LEN (names); i++)
    if (strcmp (names[i], op->text) == 0) {
      ret_test->compare = (enum compare) i;
      return true;
    }
  return false;
}

int condition_read (const struct json_node *rule, struct condition *ret_condition, bool *ret_clear,
                    struct error *err)
{
  const struct json_node *args = json_get (rule, "args");
  struct condition condition = { 0 };
  bool clear = true;

  if (args != NULL && args->type != JSON_NULL && args->type != JSON_ARRAY)
    return error_set (err, -EINVAL, "config.json:%u:%u: seccomp: args is not an array", args->line,
                      args->column);
  for (size_t i = 0; args != NULL && i < args->count; i++) {
    struct condition_test test = { 0 };

    if (!read_test (args->items[i], &test))
      return error_set (err, -EINVAL, "config.json:%u:%u: seccomp: not a test of an argument",
                        args->items[i]->line, args->items[i]->column);
    for (size_t k = 0; k < condition.count; k++)
      clear = clear && condition.tests[k].index != test.index;
    if (condition.count == ARRAY_LEN (condition.tests))
      clear = false;
    else
      condition.tests[condition.count++] = test;
  }
  *ret_condition = condition;
  *ret_clear = clear;
  return 0;
}

/* Whether the one argument VALUE passes. */
static bool passes (uint64_t value, const struct condition_test *test)
{
  switch (test->compare) {
  case COMPARE_NE: return value != test->value;
  case COMPARE_LT: return value < test->value;
  case COMPARE_LE: return value <= test->value;
  case COMPARE_EQ: return value == test->value;
  case COMPARE_GE: return value >= test->value;
  case COMPARE_GT: return value > test->value;
  case COMPARE_MASKED: return (value & test->value) == test->two;
  }
  return false;
}

static bool same_test (const struct condition_test *a, const struct condition_test *b)
{
  return a->compare == b->compare && a->value == b->value
         && (a->compare != COMPARE_MASKED || a->two == b->two);
}

/* A masked comparison with the whole lower half is taken for equality with a number that fits there: that
 * half is all that the kernel reads of the arguments that filters test for equality. */
static bool masked_implies (const struct condition_test *a, const struct condition_test *b)
{
  switch (b->compare) {
  case COMPARE_MASKED: return (b->value & ~a->value) == 0 && (a->two & b->value) == b->two;
  case COMPARE_NE: return (b->value & a->value) != a->two;
  case COMPARE_EQ:
    return b->value <= UINT32_MAX && (a->value & UINT32_MAX) == UINT32_MAX
           && (a->two & UINT32_MAX) == b->value;
  default: return false;
  }
}

static bool test_implies (const struct condition_test *a, const struct condition_test *b)
{
  if (same_test (a, b))
    return true;
  if (a->compare == COMPARE_EQ)
    return passes (a->value, b);
  return a->compare == COMPARE_MASKED && masked_implies (a, b);
}

bool condition_implies (const struct condition *a, const struct condition *b)
{
  for (size_t i = 0; i < b->count; i++) {
    bool implied = false;

    for (size_t k = 0; k < a->count; k++)
      implied =
          implied || (a->tests[k].index == b->tests[i].index && test_implies (&a->tests[k], &b->tests[i]));
    if (!implied)
      return false;
  }
  return true;
}

static bool tests_disjoint (const struct condition_test *a, const struct condition_test *b)
{
  if (a->compare == COMPARE_EQ)
    return !passes (a->value, b);
  if (b->compare == COMPARE_EQ)
    return !passes (b->value, a);
  return a->compare == COMPARE_MASKED && b->compare == COMPARE_MASKED
         && ((a->two ^ b->two) & a->value & b->value) != 0;
}

bool condition_disjoint (const struct condition *a, const struct condition *b)
{
  for (size_t i = 0; i < a->count; i++)
    for (size_t k = 0; k < b->count; k++)
      if (a->tests[i].index == b->tests[k].index && tests_disjoint (&a->tests[i], &b->tests[k]))
        return true;
  return false;
}

bool condition_join (const struct condition *a, const struct condition *b, struct condition *ret_both)
{
  struct condition both = *a;

  for (size_t i = 0; i < b->count; i++) {
    for (size_t k = 0; k < a->count; k++)
      if (a->tests[k].index == b->tests[i].index)
        return false;
    both.tests[both.count++] = b->tests[i];
  }
  *ret_both = both;
  return true;
}

static struct json_node *new_unsigned (uint64_t number)
{
  char digits[24];

  snprintf (digits, sizeof (digits), "%" PRIu64, number);
  return json_new_text (JSON_NUMBER, digits);
}

struct json_node *condition_write (const struct condition *condition)
{
  cleanup_json struct json_node *args = json_new (JSON_ARRAY);

  for (size_t i = 0; args != NULL && i < condition->count; i++) {
    const struct condition_test *test = &condition->tests[i];
    struct json_node *arg = json_new (JSON_OBJECT);

    if (json_append (args, arg) < 0 || json_set (arg, "index", new_unsigned (test->index)) < 0
        || json_set (arg, "value", new_unsigned (test->value)) < 0
        || json_set (arg, "valueTwo", new_unsigned (test->two)) < 0
        || json_set (arg, "op", json_new_text (JSON_STRING, names[test->compare])) < 0)
      return NULL;
  }
  return take_ptr (args);
}
