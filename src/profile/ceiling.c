/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "profile-ceiling.h"

#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-number.h"
#include "profile-parse-internal.h"

static int read_unconfined (struct parse *parse, const struct json_node *node, void *document)
{
  if (node->type != JSON_BOOL)
    return parse_error (parse, node, "allow_rawdog", "expected true or false, found %s",
                        json_type_text (node->type));
  ((struct ceiling *) document)->allow_unconfined = node->flag;
  return 0;
}

static int read_id (struct parse *parse, const struct json_node *node, const char *key, uint32_t *ret_id)
{
  uint64_t id;

  if (node->type != JSON_NUMBER || !number_parse (node->text, LIMIT_ID_MAX, &id))
    return parse_error (parse, node, key, "expected a number from 0 to %u", LIMIT_ID_MAX);
  *ret_id = (uint32_t) id;
  return 0;
}

static int read_ids (struct parse *parse, const struct json_node *node, void *document)
{
  struct ceiling *ceiling = document;
  const struct json_node *first = json_get (node, "first"), *count = json_get (node, "count");
  int r;

  if (first == NULL || count == NULL || node->count != 2)
    return parse_error (parse, node, "ids", "expected an object with 'first' and 'count'");
  r = read_id (parse, first, "ids.first", &ceiling->ids_first);
  if (r == 0)
    r = read_id (parse, count, "ids.count", &ceiling->ids_count);
  if (r < 0)
    return r;
  if (ceiling->ids_count == 0 || ceiling->ids_count - 1 > LIMIT_ID_MAX - ceiling->ids_first)
    return parse_error (parse, count, "ids.count", "%u ids from %u on are not a range of ids",
                        ceiling->ids_count, ceiling->ids_first);
  if (ceiling->ids_first < 65536)
    return parse_error (parse, first, "ids.first", "ids below 65536 belong to the host's own users");
  return 0;
}

const struct header_key ceiling_header_keys[] = {
  { "$schema", NULL, "where an editor finds the schema", "{ \"type\": \"string\" }" },
  { "version", NULL, "the version of the profile language", "{ \"const\": 1 }" },
  { "allow_rawdog", read_unconfined, "whether a run without any sandbox may be asked for",
    "{ \"type\": \"boolean\" }" },
  { "ids", read_ids, "host ids for private user namespaces",
    "{ \"type\": \"object\", \"required\": [\"first\", \"count\"], \"additionalProperties\": false, "
    "\"properties\": { \"first\": { \"type\": \"integer\", \"minimum\": 65536 }, "
    "\"count\": { \"type\": \"integer\", \"minimum\": 1 } } }" },
};
const size_t ceiling_header_key_count = ARRAY_LEN (ceiling_header_keys);

/* A ceiling with a seccomp list but without exceptions allows no exceptions. */
static void close_list (struct ceiling *ceiling)
{
  struct value *allow = &ceiling->settings.values[SETTING_SECCOMP_ALLOW];

  if (value_is_set (&ceiling->settings.values[SETTING_SECCOMP_LIST]) && allow->state == VALUE_UNSET)
    allow->state = VALUE_SET;
}

int ceiling_parse (const char *file, const char *text, size_t len, struct ceiling **ret_ceiling,
                   struct error *err)
{
  static const struct json_limits limits = { LIMIT_PROFILE_BYTES, LIMIT_PROFILE_DEPTH, LIMIT_PROFILE_NODES,
                                             .comments = true };
  cleanup_ceiling struct ceiling *ceiling = calloc (1, sizeof (*ceiling));
  cleanup_free char *label = str_format ("ceiling '%s'", file);
  cleanup_json struct json_node *tree = NULL;
  struct parse parse = { .label = label, .file = file, .trusted = true, .err = err };
  int r;

  if (ceiling == NULL || label == NULL)
    return error_oom (err);
  ceiling->file = strdup (file);
  if (ceiling->file == NULL)
    return error_oom (err);
  r = json_read (label, text, len, &limits, &tree, err);
  if (r < 0)
    return r;
  parse.settings = &ceiling->settings;
  r = parse_document (&parse, tree, ceiling_header_keys, ceiling_header_key_count, ceiling);
  if (r < 0)
    return r;
  close_list (ceiling);
  *ret_ceiling = take_ptr (ceiling);
  return 0;
}

void ceiling_free (struct ceiling *ceiling)
{
  if (ceiling == NULL)
    return;
  free (ceiling->file);
  settings_clear (&ceiling->settings);
  seccomp_list_free (ceiling->seccomp);
  free (ceiling);
}
