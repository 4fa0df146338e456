/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a command printed, as a value, and the contract that a playbook has for it.
 *
 * The contract is args.__playbook.output of a step: "text", "json", or {"type": ..., "schema": ...}. As in
 * Tyrum, "text" asks for nothing, a schema is for JSON only, and what is none of these is no contract.
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-error.h"
#include "base-json-read.h"

/* Reads JSON that JavaScript wrote or would read: what is not UTF-8 is U+FFFD, and so are a NUL and half a
 * surrogate pair, which JavaScript writes as escapes and C strings and UTF-8 have no place for. */
int javascript_json_read (const char *name, const char *text, size_t len, unsigned depth,
                          struct json_node **ret_tree, struct error *err);

/* TEXT is standard output. *RET_PARSED is NULL where it is not JSON. *RET_VIOLATION is NULL where the
 * contract of ARGS, if there is one, holds; else it says what is wrong, in Tyrum's words. */
int output_contract_check (const struct json_node *args, const char *text, size_t len, bool truncated,
                           struct json_node **ret_parsed, char **ret_violation, struct error *err);
