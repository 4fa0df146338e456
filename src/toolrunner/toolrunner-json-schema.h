/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON Schema, draft 2019-09, as far as output contracts of Tyrum's playbooks use it.
 *
 * Tyrum checks with Ajv and ignores keywords that no draft has. The same is done here, and the messages are
 * worded as Ajv words them. A keyword that the draft has and this file does not implement makes the schema
 * invalid: it is never ignored, since a value that it would refuse must not pass.
 *
 * SCHEMA comes from the payload, so work and recursion are bounded. Pure.
 */
#pragma once

#include <stdbool.h>

#include "base-json-read.h"
#include "base-str.h"

/* Whether VALUE matches SCHEMA. If not, PROBLEMS gets what is wrong: "data/name must be string; ..."; or
 * "invalid output schema: ..." if the schema itself cannot be used. */
bool json_schema_matches (const struct json_node *schema, const struct json_node *value,
                          struct strbuf *problems);
