/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-json-internal.h"

#include <string.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "image-name-internal.h"

static int expect (const struct json_place *place, const struct json_node *node, enum json_type type,
                   struct error *err)
{
  if (node->type == type)
    return 0;
  return json_fail (place, node, err, "expected %s, found %s", json_type_text (type),
                    json_type_text (node->type));
}

int image_json_read (const char *name, const char *text, size_t len, struct json_node **ret_tree,
                     struct error *err)
{
  static const struct json_limits limits = {
    .bytes = LIMIT_IMAGE_DOCUMENT_BYTES,
    .depth = LIMIT_IMAGE_DOCUMENT_DEPTH,
    .nodes = LIMIT_IMAGE_DOCUMENT_NODES,
  };
  const struct json_place place = { .name = name };
  cleanup_json struct json_node *tree = NULL;
  int r = json_read (name, text, len, &limits, &tree, err);

  if (r == 0)
    r = expect (&place, tree, JSON_OBJECT, err);
  if (r == 0)
    *ret_tree = take_ptr (tree);
  return r;
}

int image_json_member (const struct json_place *place, const struct json_node *object, const char *key,
                       enum json_type type, bool required, const struct json_node **ret_node,
                       struct error *err)
{
  const struct json_node *node = json_get (object, key);
  const struct json_place below = { .parent = place, .name = key };
  int r;

  if (node != NULL && node->type == JSON_NULL)
    node = NULL;
  if (node == NULL && required)
    return json_fail (place, object, err, "'%s' is missing", key);
  r = node ? expect (&below, node, type, err) : 0;
  if (r == 0)
    *ret_node = node;
  return r;
}

int image_json_text (const struct json_place *place, const struct json_node *object, const char *key,
                     bool required, char **ret_text, struct error *err)
{
  const struct json_node *node = NULL;
  char *copy = NULL;
  int r = image_json_member (place, object, key, JSON_STRING, required, &node, err);

  if (r < 0)
    return r;
  if (node != NULL && (copy = strdup (node->text)) == NULL)
    return error_oom (err);
  *ret_text = copy;
  return 0;
}

static JSON_READER (add_text)
{
  return strlist_add (at, node->text) < 0 ? error_oom (err) : 0;
}

int image_json_strings (const struct json_place *place, const struct json_node *object, const char *key,
                        struct strlist *ret_list, struct error *err)
{
  const struct json_place below = { .parent = place, .name = key };
  cleanup_strlist struct strlist list = { 0 };
  const struct json_node *node = NULL;
  int r = image_json_member (place, object, key, JSON_ARRAY, false, &node, err);

  if (r == 0 && node != NULL)
    r = json_read_array (&below, node, JSON_STRING, LIMIT_ARGUMENTS, add_text, &list, err);
  if (r < 0)
    return r;
  *ret_list = list;
  list = (struct strlist){ 0 };
  return 0;
}

int image_json_digest (const struct json_place *place, const struct json_node *node, char hex[SHA256_HEX],
                       struct error *err)
{
  static const char algorithm[] = "sha256:";
  const char *digits = node->text + strlen (algorithm);
  char shown[IMAGE_SHOWN];

  if (!str_has_prefix (node->text, algorithm))
    return json_fail (place, node, err, "'%s' is not a digest that starts with '%s'",
                      image_show (node->text, shown), algorithm);
  if (strlen (digits) != SHA256_HEX - 1 || strspn (digits, "0123456789abcdef") != SHA256_HEX - 1)
    return json_fail (place, node, err, "'%s' is not '%s' and %d lower-case hexadecimal digits",
                      image_show (node->text, shown), algorithm, SHA256_HEX - 1);
  memcpy (hex, digits, SHA256_HEX);
  return 0;
}
