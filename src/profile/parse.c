/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "profile-parse-internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-path.h"
#include "control-syntax.h"

int parse_error (struct parse *parse, const struct json_node *at, const char *key, const char *format, ...)
{
  cleanup_free char *what = NULL;
  va_list ap;

  va_start (ap, format);
  if (vasprintf (&what, format, ap) < 0)
    what = NULL;
  va_end (ap);
  if (what == NULL)
    return error_oom (parse->err);
  return error_set (parse->err, -EINVAL, "%s:%u:%u: %s: %s", parse->label, at->line, at->column, key, what);
}

static int parse_expected (struct parse *parse, const struct json_node *node, const char *key,
                           const char *expected)
{
  return parse_error (parse, node, key, "expected %s, found %s", expected, json_type_text (node->type));
}

/* Moves an error without a position into the parser's error, with the position of NODE. */
static int place_error (struct parse *parse, const struct json_node *node, const char *key,
                        struct error *plain)
{
  int r = plain->code;

  if (plain->message == NULL)
    error_oom (parse->err);
  else
    parse_error (parse, node, key, "%s", plain->message);
  error_clear (plain);
  return r;
}

int parse_string (struct parse *parse, const struct json_node *node, const char *key, char **ret_text)
{
  char *copy;

  if (node->type != JSON_STRING)
    return parse_expected (parse, node, key, "a string");
  copy = strdup (node->text);
  if (copy == NULL)
    return error_oom (parse->err);
  free (*ret_text);
  *ret_text = copy;
  return 0;
}

/* Mount points of every run; a mount of a profile there would undo a control. */
static const char *const reserved_targets[] = { "/proc", "/sys", "/dev", "/workspace", "/tmp", "/run/tyrum" };

static int check_target (struct parse *parse, const struct json_node *node, const char *key,
                         const char *target)
{
  if (!path_is_normal (target) || strlen (target) > LIMIT_PATH_BYTES || strcmp (target, "/") == 0)
    return parse_error (parse, node, key,
                        "'%s' is not an absolute path below / without '.', '..' or empty parts", target);
  for (size_t i = 0; i < ARRAY_LEN (reserved_targets); i++)
    if (path_is_within (target, reserved_targets[i]) || path_is_within (reserved_targets[i], target))
      return parse_error (parse, node, key, "'%s' and '%s', which every run sets up itself, overlap", target,
                          reserved_targets[i]);
  return 0;
}

static int check_source (struct parse *parse, const struct json_node *node, const char *key,
                         const char *source)
{
  if (path_is_normal (source) && strlen (source) <= LIMIT_PATH_BYTES)
    return 0;
  return parse_error (parse, node, key, "'%s' is not an absolute path without '.', '..' or empty parts",
                      source);
}

struct grant_field {
  const char *name;
  bool required;
};

static bool is_one_of (const char *text, const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp (names[i], text) == 0)
      return true;
  return false;
}

/* Finds the members of a grant's object; refuses any that is not in FIELDS. */
static int grant_members (struct parse *parse, const struct json_node *node, const char *key,
                          const struct grant_field *fields, size_t count, const struct json_node **ret_nodes)
{
  const char *names[8];

  if (node->type != JSON_OBJECT)
    return parse_expected (parse, node, key, "an object");
  for (size_t i = 0; i < count; i++) {
    names[i] = fields[i].name;
    ret_nodes[i] = json_get (node, fields[i].name);
    if (ret_nodes[i] == NULL && fields[i].required)
      return parse_error (parse, node, key, "'%s' is missing", fields[i].name);
    if (ret_nodes[i] != NULL && ret_nodes[i]->type != JSON_STRING)
      return parse_expected (parse, ret_nodes[i], key, "a string");
  }
  for (size_t i = 0; i < node->count; i++) {
    const char *near;

    if (is_one_of (node->keys[i].name, names, count))
      continue;
    near = str_nearest (node->keys[i].name, names, count);
    return parse_error (parse, node->items[i], key, "unknown key '%s'%s%s%s", node->keys[i].name,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  return 0;
}

static char *dup_text (const struct json_node *node)
{
  return node ? strdup (node->text) : NULL;
}

/* Adds the grant, which is consumed. */
static int add_grant (struct parse *parse, const struct json_node *node, enum setting setting,
                      struct grant *grant, struct value *value)
{
  struct error plain = { 0 };

  if (grant->name == NULL || grant->source == NULL) {
    free (grant->name);
    free (grant->source);
    free (grant->target);
    free (grant->reason);
    return error_oom (parse->err);
  }
  if (value_add_grant (setting, grant, value, &plain) < 0)
    return place_error (parse, node, setting_info (setting)->key, &plain);
  return 0;
}

static int read_mount (struct parse *parse, const struct json_node *node, struct value *value)
{
  static const struct grant_field fields[] = {
    { "source", true }, { "target", true }, { "access", false }, { "reason", false }
  };
  const char *key = setting_info (SETTING_MOUNTS)->key;
  const struct json_node *at[ARRAY_LEN (fields)];
  struct grant grant = { 0 };
  const char *access;
  int r;

  r = grant_members (parse, node, key, fields, ARRAY_LEN (fields), at);
  if (r < 0)
    return r;
  access = at[2] ? at[2]->text : "read-only";
  r = check_source (parse, at[0], key, at[0]->text);
  if (r == 0)
    r = check_target (parse, at[1], key, at[1]->text);
  if (r == 0 && strcmp (access, "read-only") != 0 && strcmp (access, "read-write") != 0)
    r = parse_error (parse, at[2], key, "access '%s' is not 'read-only' or 'read-write'", access);
  if (r < 0)
    return r;
  grant.source = dup_text (at[0]);
  grant.name = dup_text (at[1]);
  grant.writable = strcmp (access, "read-write") == 0;
  grant.reason = dup_text (at[3]);
  return add_grant (parse, node, SETTING_MOUNTS, &grant, value);
}

static int read_secret (struct parse *parse, const struct json_node *node, struct value *value)
{
  static const struct grant_field fields[] = { { "name", true }, { "source", true }, { "target", false } };
  const char *key = setting_info (SETTING_SECRETS)->key;
  const struct json_node *at[ARRAY_LEN (fields)];
  cleanup_free char *target = NULL;
  struct grant grant = { 0 };
  int r;

  r = grant_members (parse, node, key, fields, ARRAY_LEN (fields), at);
  if (r < 0)
    return r;
  if (!syntax_is_variable (at[0]->text))
    return parse_error (parse, at[0], key, "'%s' is not a name of letters, digits and '_'", at[0]->text);
  target = at[2] ? strdup (at[2]->text) : str_format ("/run/secrets/%s", at[0]->text);
  if (target == NULL)
    return error_oom (parse->err);
  r = check_source (parse, at[1], key, at[1]->text);
  if (r == 0)
    r = check_target (parse, at[2] ? at[2] : node, key, target);
  if (r < 0)
    return r;
  grant.name = dup_text (at[0]);
  grant.source = dup_text (at[1]);
  grant.target = take_ptr (target);
  return add_grant (parse, node, SETTING_SECRETS, &grant, value);
}

static int read_assignments (struct parse *parse, const struct json_node *node, struct value *value)
{
  const char *key = setting_info (SETTING_ENVIRONMENT_SET)->key;

  if (node->type != JSON_OBJECT)
    return parse_expected (parse, node, key, "an object");
  value->state = VALUE_SET;
  for (size_t i = 0; i < node->count; i++) {
    const struct json_node *item = node->items[i];
    struct grant grant = { 0 };
    int r;

    if (!syntax_is_variable (node->keys[i].name))
      return parse_error (parse, item, key, "'%s' is not a variable's name", node->keys[i].name);
    if (item->type != JSON_STRING)
      return parse_expected (parse, item, key, "a string");
    grant.name = strdup (node->keys[i].name);
    grant.source = dup_text (item);
    r = add_grant (parse, item, SETTING_ENVIRONMENT_SET, &grant, value);
    if (r < 0)
      return r;
  }
  return 0;
}

static int read_list (struct parse *parse, const struct json_node *node, enum setting setting,
                      struct value *value)
{
  const struct setting_info *info = setting_info (setting);

  if (node->type != JSON_ARRAY)
    return parse_expected (parse, node, info->key, "an array");
  value->state = VALUE_SET;
  for (size_t i = 0; i < node->count; i++) {
    const struct json_node *item = node->items[i];
    struct error plain = { 0 };
    int r = 0;

    if (info->syntax == SYNTAX_MOUNT)
      r = read_mount (parse, item, value);
    else if (info->syntax == SYNTAX_SECRET)
      r = read_secret (parse, item, value);
    else if (item->type != JSON_STRING)
      r = parse_expected (parse, item, info->key, "a string");
    else if (value_add (setting, item->text, value, &plain) < 0)
      r = place_error (parse, item, info->key, &plain);
    if (r < 0)
      return r;
  }
  return 0;
}

/* Which JSON types a scalar may have; a size may be a plain number of bytes. */
static bool scalar_type_fits (const struct setting_info *info, enum json_type type)
{
  if (info->kind == KIND_FLAG)
    return type == JSON_BOOL;
  if (info->kind != KIND_NUMBER || info->syntax == SYNTAX_DURATION)
    return type == JSON_STRING;
  return type == JSON_NUMBER || (type == JSON_STRING && info->syntax == SYNTAX_SIZE);
}

static const char *scalar_expected (const struct setting_info *info)
{
  if (info->kind == KIND_FLAG)
    return "true or false";
  if (info->kind != KIND_NUMBER)
    return "a string";
  if (info->syntax == SYNTAX_SIZE)
    return "a size such as \"64M\"";
  return info->syntax == SYNTAX_DURATION ? "a duration such as \"60s\"" : "a number";
}

/* A relative list file is relative to the file that names it. The lattice compares texts, and 'site.json'
 * in two directories is two lists, so the text becomes the full path. */
static int place_list (struct parse *parse, struct value *value)
{
  const char *slash = strrchr (parse->file, '/');
  char *path;

  if (!str_has_suffix (value->text, ".json") || value->text[0] == '/' || slash == NULL)
    return 0;
  path = str_format ("%.*s%s", (int) (slash - parse->file + 1), parse->file, value->text);
  if (path == NULL)
    return error_oom (parse->err);
  free (value->text);
  value->text = path;
  return 0;
}

static int read_scalar (struct parse *parse, const struct json_node *node, enum setting setting,
                        struct value *value)
{
  const struct setting_info *info = setting_info (setting);
  struct error plain = { 0 };
  const char *text = node->type == JSON_BOOL ? (node->flag ? "true" : "false") : node->text;

  if (!scalar_type_fits (info, node->type))
    return parse_expected (parse, node, info->key, scalar_expected (info));
  if (value_parse (setting, text, value, &plain) < 0)
    return place_error (parse, node, info->key, &plain);
  return setting == SETTING_SECCOMP_LIST ? place_list (parse, value) : 0;
}

static int read_setting (struct parse *parse, const struct json_node *node, enum setting setting)
{
  const struct setting_info *info = setting_info (setting);
  struct value *value = &parse->settings->values[setting];
  int r;

  if (value->state != VALUE_UNSET)
    return parse_error (parse, node, info->key, "set twice");
  value->origin.line = node->line;
  value->origin.trusted = parse->trusted;
  value->origin.file = strdup (parse->file);
  if (value->origin.file == NULL)
    return error_oom (parse->err);
  if (node->type == JSON_NULL) {
    if (!info->nullable)
      return parse_error (parse, node, info->key, "cannot be null; leave it out to keep the parent's value");
    value->state = VALUE_LIFTED;
    return 0;
  }
  if (info->syntax == SYNTAX_ASSIGNMENT)
    r = read_assignments (parse, node, value);
  else if (info->kind == KIND_SET || info->kind == KIND_GRANTS)
    r = read_list (parse, node, setting, value);
  else
    r = read_scalar (parse, node, setting, value);
  return r;
}

/* Whether some setting lies below PATH. */
static bool is_section (const char *path)
{
  size_t len = strlen (path);

  for (enum setting s = 0; s < SETTING_COUNT; s++)
    if (strncmp (setting_info (s)->key, path, len) == 0 && setting_info (s)->key[len] == '.')
      return true;
  return false;
}

/* Suggests the key that was probably meant, among those valid in SECTION ("" for the top). */
static int unknown_key (struct parse *parse, const struct json_key *key, const char *section,
                        const struct header_key *headers, size_t header_count)
{
  char names[SETTING_COUNT + 8][LIMIT_NAME_BYTES];
  const char *list[SETTING_COUNT + 8];
  size_t count = 0, skip = section[0] ? strlen (section) + 1 : 0;
  const char *near;

  for (size_t i = 0; skip == 0 && i < header_count; i++)
    list[count++] = headers[i].name;
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    const char *path = setting_info (s)->key;

    if (skip > 0 && !(str_has_prefix (path, section) && path[skip - 1] == '.'))
      continue;
    memcpy (names[count], path + skip, strcspn (path + skip, "."));
    names[count][strcspn (path + skip, ".")] = '\0';
    list[count] = names[count];
    count++;
  }
  near = str_nearest (key->name, list, count);
  return error_set (parse->err, -EINVAL, "%s:%u:%u: unknown key '%s%s%s'%s%s%s", parse->label, key->line,
                    key->column, section, section[0] ? "." : "", key->name, near ? "; did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
}

static int read_section (struct parse *parse, const struct json_node *object, const char *section);

static int read_member (struct parse *parse, const struct json_node *node, const char *path)
{
  enum setting setting;

  if (setting_find (path, &setting))
    return read_setting (parse, node, setting);
  if (strcmp (path, "process.seccomp") == 0 && node->type == JSON_STRING)
    return read_setting (parse, node, SETTING_SECCOMP_LIST);
  if (node->type != JSON_OBJECT)
    return parse_expected (parse, node, path, "an object");
  return read_section (parse, node, path);
}

static int read_section (struct parse *parse, const struct json_node *object, const char *section)
{
  for (size_t i = 0; i < object->count; i++) {
    cleanup_free char *path = str_format ("%s.%s", section, object->keys[i].name);
    enum setting setting;
    int r;

    if (path == NULL)
      return error_oom (parse->err);
    if (strchr (object->keys[i].name, '.') != NULL || (!setting_find (path, &setting) && !is_section (path)))
      return unknown_key (parse, &object->keys[i], section, NULL, 0);
    r = read_member (parse, object->items[i], path);
    if (r < 0)
      return r;
  }
  return 0;
}

static const struct header_key *find_header (const struct header_key *headers, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp (headers[i].name, name) == 0)
      return &headers[i];
  return NULL;
}

int parse_document (struct parse *parse, const struct json_node *tree, const struct header_key *headers,
                    size_t header_count, void *document)
{
  const struct json_node *version = json_get (tree, "version");

  if (tree->type != JSON_OBJECT)
    return error_set (parse->err, -EINVAL, "%s:%u:%u: expected an object, found %s", parse->label, tree->line,
                      tree->column, json_type_text (tree->type));
  if (version == NULL)
    return error_set (parse->err, -EINVAL, "%s:%u:%u: 'version' is missing; this is version 1", parse->label,
                      tree->line, tree->column);
  if (version->type != JSON_NUMBER || strcmp (version->text, "1") != 0)
    return parse_error (parse, version, "version", "this program reads version 1");

  for (size_t i = 0; i < tree->count; i++) {
    const char *name = tree->keys[i].name;
    const struct header_key *header = find_header (headers, header_count, name);
    enum setting setting;
    int r;

    if (header != NULL)
      r = header->read ? header->read (parse, tree->items[i], document) : 0;
    else if (strchr (name, '.') == NULL && (setting_find (name, &setting) || is_section (name)))
      r = read_member (parse, tree->items[i], name);
    else
      r = unknown_key (parse, &tree->keys[i], "", headers, header_count);
    if (r < 0)
      return r;
  }
  return 0;
}
