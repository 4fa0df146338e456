/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the reader of seccomp lists is made of: the list itself, and the tests on arguments in it.
 *
 * Only for those two files.
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

/* Finds TEXT, which stands at NODE, in TABLE; or says that it is not WHAT, and what it may have been. */
int seccomp_look_up (const struct json_place *place, const struct json_node *node, const char *text,
                     const char *what, const struct seccomp_constant *table, size_t count,
                     uint32_t *ret_value, struct error *err);

/* Reads { "argument": 1, "not_in": ["TIOCSTI"] } as one test more of AT, a struct seccomp_rule. */
json_reader seccomp_read_test;
