/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "profile-schema.h"

#include <string.h>

#include "base-json-write.h"
#include "base-limits.h"
#include "profile-configuration-internal.h"
#include "profile-parse-internal.h"

/* Patterns are looser than the parser where a regular expression is not enough; a test checks that
 * everything the parser accepts is valid by the schema. */
static const char *const patterns[] = {
  [SYNTAX_SIZE] = "^(0|[1-9][0-9]*)[KMGT]?$",
  [SYNTAX_DURATION] = "^(0|[1-9][0-9]*)(ms|s|m|h)$",
  [SYNTAX_RUNTIME] = "^(/|[A-Za-z0-9_])[^\\u0000]*$",
  [SYNTAX_IMAGE] = "^[A-Za-z0-9_./:@+][A-Za-z0-9_./:@+-]*$",
  [SYNTAX_SECCOMP] = "^(strict|default|.*\\.json)$",
  [SYNTAX_LSM] = "^[A-Za-z0-9_][A-Za-z0-9_.-]*$",
  [SYNTAX_HIDE] = "^[^\\u0000]+$",
  [SYNTAX_PATH] = "^/[^\\u0000]*$",
  [SYNTAX_CAPABILITY] = "^CAP_[A-Z_]+$",
  [SYNTAX_SYSCALL] = "^[a-z0-9_]+$",
  [SYNTAX_HOST] = "^(\\*\\.)?[A-Za-z0-9\\[].*$",
  [SYNTAX_VARIABLE] = "^[A-Za-z_][A-Za-z0-9_]*\\*?$",
  [SYNTAX_CONTROL] = "^(\\*|[a-z]+\\.[a-z_]+)$",
  [SYNTAX_ASSIGNMENT] = NULL,
};

static void write_pattern (struct json_writer *w, enum value_syntax syntax)
{
  json_string (w, "type", "string");
  if ((size_t) syntax < ARRAY_LEN (patterns) && patterns[syntax] != NULL)
    json_string (w, "pattern", patterns[syntax]);
}

static void write_object_of (struct json_writer *w, const char *const *names, size_t count, size_t required)
{
  json_string (w, "type", "object");
  json_array_begin (w, "required");
  for (size_t i = 0; i < required; i++)
    json_string (w, NULL, names[i]);
  json_array_end (w);
  json_bool (w, "additionalProperties", false);
  json_object_begin (w, "properties");
  for (size_t i = 0; i < count; i++) {
    json_object_begin (w, names[i]);
    if (strcmp (names[i], "access") == 0) {
      json_array_begin (w, "enum");
      json_string (w, NULL, "read-only");
      json_string (w, NULL, "read-write");
      json_array_end (w);
    } else
      json_string (w, "type", "string");
    json_object_end (w);
  }
  json_object_end (w);
}

static void write_list (struct json_writer *w, const struct setting_info *info)
{
  static const char *const mount[] = { "source", "target", "access", "reason" };
  static const char *const secret[] = { "name", "source", "target" };
  size_t limit = info->syntax == SYNTAX_MOUNT ? LIMIT_MOUNTS : LIMIT_SET_ENTRIES;

  json_string (w, "type", "array");
  json_number (w, "maxItems", info->syntax == SYNTAX_SECRET ? LIMIT_SECRETS : limit);
  json_object_begin (w, "items");
  if (info->syntax == SYNTAX_MOUNT)
    write_object_of (w, mount, ARRAY_LEN (mount), 2);
  else if (info->syntax == SYNTAX_SECRET)
    write_object_of (w, secret, ARRAY_LEN (secret), 2);
  else
    write_pattern (w, info->syntax);
  json_object_end (w);
}

static void write_number (struct json_writer *w, const struct setting_info *info)
{
  if (info->syntax == SYNTAX_COUNT)
    json_string (w, "type", "integer");
  else if (info->syntax == SYNTAX_MILLI)
    json_string (w, "type", "number");
  else if (info->syntax == SYNTAX_DURATION) {
    write_pattern (w, info->syntax);
    return;
  } else {
    json_array_begin (w, "type");
    json_string (w, NULL, "integer");
    json_string (w, NULL, "string");
    json_array_end (w);
    json_string (w, "pattern", patterns[SYNTAX_SIZE]);
  }
  if (info->syntax == SYNTAX_MILLI) {
    json_milli (w, "minimum", info->min);
    json_milli (w, "maximum", info->max);
  } else {
    json_number (w, "minimum", info->min);
    json_number (w, "maximum", info->max);
  }
}

static void write_type (struct json_writer *w, const struct setting_info *info)
{
  switch (info->kind) {
  case KIND_FLAG: json_string (w, "type", "boolean"); break;
  case KIND_LEVEL:
    json_array_begin (w, "enum");
    for (size_t i = 0; info->levels[i] != NULL; i++)
      json_string (w, NULL, info->levels[i]);
    json_array_end (w);
    break;
  case KIND_NUMBER: write_number (w, info); break;
  case KIND_IDS:
    json_string (w, "type", "string");
    json_string (w, "pattern", "^(0|[1-9][0-9]*):(0|[1-9][0-9]*)$");
    break;
  case KIND_TEXT: write_pattern (w, info->syntax); break;
  case KIND_SET: write_list (w, info); break;
  case KIND_GRANTS:
    if (info->syntax != SYNTAX_ASSIGNMENT) {
      write_list (w, info);
      break;
    }
    json_string (w, "type", "object");
    json_object_begin (w, "additionalProperties");
    json_string (w, "type", "string");
    json_object_end (w);
    break;
  }
}

static void write_setting (struct json_writer *w, const char *leaf, enum setting setting)
{
  const struct setting_info *info = setting_info (setting);

  json_object_begin (w, leaf);
  json_string (w, "description", info->help);
  if (info->nullable) {
    json_array_begin (w, "anyOf");
    json_object_begin (w, NULL);
    write_type (w, info);
    json_object_end (w);
    json_object_begin (w, NULL);
    json_string (w, "type", "null");
    json_object_end (w);
    json_array_end (w);
  } else
    write_type (w, info);
  json_object_end (w);
}

static void write_section (struct json_writer *w, const char *name, const char *prefix);

/* The settings and sections directly below PREFIX ("" or "process."), in the order of the table. */
static void write_members (struct json_writer *w, const char *prefix)
{
  size_t skip = strlen (prefix);
  char last[LIMIT_NAME_BYTES] = "";

  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    const char *key = setting_info (s)->key;
    char name[LIMIT_NAME_BYTES], below[LIMIT_NAME_BYTES + 1];
    size_t len;

    if (!str_has_prefix (key, prefix))
      continue;
    len = strcspn (key + skip, ".");
    memcpy (name, key + skip, len);
    name[len] = '\0';
    if (key[skip + len] == '\0') {
      write_setting (w, name, s);
      continue;
    }
    if (strcmp (name, last) == 0)
      continue;
    memcpy (last, name, len + 1);
    memcpy (below, key, skip + len + 1);
    below[skip + len + 1] = '\0';
    write_section (w, name, below);
  }
}

static void write_section_body (struct json_writer *w, const char *prefix)
{
  json_string (w, "type", "object");
  json_bool (w, "additionalProperties", false);
  json_object_begin (w, "properties");
  write_members (w, prefix);
  json_object_end (w);
}

static void write_section (struct json_writer *w, const char *name, const char *prefix)
{
  json_object_begin (w, name);
  if (strcmp (prefix, "process.seccomp.") == 0) {
    json_string (w, "description", "the list's name or file, or an object that adds to it");
    json_array_begin (w, "anyOf");
    json_object_begin (w, NULL);
    write_pattern (w, SYNTAX_SECCOMP);
    json_object_end (w);
    json_object_begin (w, NULL);
    write_section_body (w, prefix);
    json_object_end (w);
    json_array_end (w);
  } else
    write_section_body (w, prefix);
  json_object_end (w);
}

/* Header schemas are constants; parsing and writing them again gives one layout for all. */
static int write_constant (struct json_writer *w, const char *key, const char *help, const char *schema,
                           struct error *err)
{
  static const struct json_limits limits = { LIMIT_STRING_BYTES, LIMIT_PROFILE_DEPTH, LIMIT_PROFILE_NODES,
                                             .comments = false };
  cleanup_json struct json_node *tree = NULL;
  int r = json_read (key, schema, strlen (schema), &limits, &tree, err);

  if (r < 0)
    return r;
  json_object_begin (w, key);
  json_string (w, "description", help);
  for (size_t i = 0; i < tree->count; i++)
    json_copy (w, tree->keys[i].name, tree->items[i]);
  json_object_end (w);
  return 0;
}

/* Writes everything before the keys of a document. */
static void begin_document (struct json_writer *w, const char *title, const char *const *required)
{
  json_object_begin (w, NULL);
  json_string (w, "$schema", "http://json-schema.org/draft-07/schema#");
  json_string (w, "title", title);
  json_string (w, "type", "object");
  json_array_begin (w, "required");
  for (; *required != NULL; required++)
    json_string (w, NULL, *required);
  json_array_end (w);
  json_bool (w, "additionalProperties", false);
  json_object_begin (w, "properties");
}

/* Keys of one section are adjacent in the table. */
static int write_configuration (char **ret_text, struct error *err)
{
  static const char *const required[] = { "version", NULL };
  cleanup_json_writer struct json_writer w = { .pretty = true };
  const char *section = "";
  int r;

  begin_document (&w, "tyrum-oci configuration", required);
  r = write_constant (&w, "$schema", "where an editor finds the schema", "{ \"type\": \"string\" }", err);
  if (r == 0)
    r = write_constant (&w, "version", "the version of the configuration", "{ \"const\": 1 }", err);
  for (size_t i = 0; r == 0 && i < configuration_key_count; i++) {
    const struct configuration_key *key = &configuration_keys[i];

    if (strcmp (key->section, section) != 0) {
      if (section[0] != '\0') {
        json_object_end (&w);
        json_object_end (&w);
      }
      section = key->section;
      json_object_begin (&w, section);
      json_string (&w, "type", "object");
      json_bool (&w, "additionalProperties", false);
      json_object_begin (&w, "properties");
    }
    r = write_constant (&w, key->field.key, key->help, key->schema, err);
  }
  if (r < 0)
    return r;
  for (unsigned open = 0; open < 4; open++)
    json_object_end (&w);
  return json_finish (&w, ret_text, err);
}

int schema_write (const char *what, char **ret_text, struct error *err)
{
  static const char *const of_ceiling[] = { "version", NULL }, *const of_profile[] = { "version", "name",
                                                                                       NULL };
  cleanup_json_writer struct json_writer w = { .pretty = true };
  bool ceiling = strcmp (what, "ceiling") == 0;
  const struct header_key *headers = ceiling ? ceiling_header_keys : profile_header_keys;
  size_t count = ceiling ? ceiling_header_key_count : profile_header_key_count;

  if (strcmp (what, "configuration") == 0)
    return write_configuration (ret_text, err);
  begin_document (&w, ceiling ? "tyrum-oci ceiling" : "tyrum-oci profile", ceiling ? of_ceiling : of_profile);
  for (size_t i = 0; i < count; i++) {
    int r = write_constant (&w, headers[i].name, headers[i].help, headers[i].schema, err);

    if (r < 0)
      return r;
  }
  write_members (&w, "");
  json_object_end (&w);
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}
