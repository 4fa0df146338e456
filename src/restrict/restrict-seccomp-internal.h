/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conditions of OCI seccomp rules, and what can be proven about two of them.
 *
 * A condition is a conjunction of tests, at most one for an argument; no test at all is always true. Every
 * answer errs on the side of "cannot be shown".
 */
#pragma once

#include "base-error.h"
#include "base-json-edit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum compare { COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_EQ, COMPARE_GE, COMPARE_GT, COMPARE_MASKED };

struct condition_test {
  uint64_t index, value, two; /* masked: VALUE is the mask, TWO what is left under it */
  enum compare compare;
};

struct condition {
  struct condition_test tests[6];
  size_t count;
};

/* Reads the args of RULE. *RET_CLEAR is false where two tests look at one argument: runtimes differ in what
 * that means. */
int condition_read (const struct json_node *rule, struct condition *ret_condition, bool *ret_clear,
                    struct error *err);

/* Whatever passes A passes B. */
bool condition_implies (const struct condition *a, const struct condition *b);
/* Nothing passes both. */
bool condition_disjoint (const struct condition *a, const struct condition *b);
/* Both, where no argument is looked at by both; false else. */
bool condition_join (const struct condition *a, const struct condition *b, struct condition *ret_both);

/* The args array; NULL when memory ran out. */
struct json_node *condition_write (const struct condition *condition);
