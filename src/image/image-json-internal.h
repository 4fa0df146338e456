/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the readers of an image's documents share: bounded reading, members of objects, digests.
 *
 * Unlike base-json-object.h, which needs a row for every key, these functions look up the keys that matter
 * and ignore the others.
 */
#pragma once

#include <stdbool.h>

#include "base-json-object.h"
#include "base-json-read.h"
#include "base-sha256.h"
#include "base-str.h"

/* Reads TEXT, which must be an object, within the limits of an image's documents. */
int image_json_read (const char *name, const char *text, size_t len, struct json_node **ret_tree,
                     struct error *err);

/* *RET_NODE is the member KEY of OBJECT. If it is absent or null: NULL, or an error if REQUIRED. */
int image_json_member (const struct json_place *place, const struct json_node *object, const char *key,
                       enum json_type type, bool required, const struct json_node **ret_node,
                       struct error *err);

/* The same for a member that is a string; *RET_TEXT is a copy, or NULL. */
int image_json_text (const struct json_place *place, const struct json_node *object, const char *key,
                     bool required, char **ret_text, struct error *err);

/* An optional member that is a list of strings. */
int image_json_strings (const struct json_place *place, const struct json_node *object, const char *key,
                        struct strlist *ret_list, struct error *err);

/* The digits of "sha256:DIGITS". */
int image_json_digest (const struct json_place *place, const struct json_node *node, char hex[SHA256_HEX],
                       struct error *err);
