/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of the configuration's keys, for the schema. */
#pragma once

#include "base-json-object.h"

struct configuration_key {
  const char *section;
  struct json_field field;
  const char *help;
  const char *schema; /* the key's JSON Schema, without description */
};

extern const struct configuration_key configuration_keys[];
extern const size_t configuration_key_count;
