/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by seccomp-list.c and seccomp-condition.c: the list itself, and its tests on arguments.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "base-json-object.h"
#include "base-json-read.h"

struct seccomp_constant {
  const char *name;
  uint32_t value;
};

/* Finds TEXT, the text of NODE, in TABLE; otherwise fails with "is not WHAT" and a suggestion. */
int seccomp_look_up (const struct json_place *place, const struct json_node *node, const char *text,
                     const char *what, const struct seccomp_constant *table, size_t count,
                     uint32_t *ret_value, struct error *err);

/* Reads { "argument": 1, "not_in": ["TIOCSTI"] } as a further test of AT, a struct seccomp_rule. */
json_reader seccomp_read_test;
