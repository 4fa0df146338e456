/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares what an engine reports about a container with what it was sent. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "engine-reply.h"

static bool says_nothing (const struct json_node *node)
{
  if (node == NULL)
    return true;
  switch (node->type) {
  case JSON_NULL: return true;
  case JSON_BOOL: return !node->flag;
  case JSON_NUMBER: return strcmp (node->text, "0") == 0;
  case JSON_STRING: return node->text[0] == '\0';
  case JSON_ARRAY:
  case JSON_OBJECT: break;
  }
  /* An object with only empty values is empty: engines fill in their own keys. */
  for (size_t i = 0; i < node->count; i++)
    if (node->type == JSON_ARRAY || !says_nothing (node->items[i]))
      return false;
  return true;
}

static int differ (const char *path, struct strlist *differences)
{
  return strlist_add (differences, path);
}

static int compare (const char *path, const struct json_node *sent, const struct json_node *got, bool open,
                    struct strlist *differences);

static int compare_lists (const char *path, const struct json_node *sent, const struct json_node *got,
                          struct strlist *differences)
{
  if (sent->count != got->count)
    return differ (path, differences);
  for (size_t i = 0; i < sent->count; i++) {
    cleanup_free char *below = str_format ("%s[%zu]", path, i);
    int r = below ? compare (below, sent->items[i], got->items[i], false, differences) : -ENOMEM;

    if (r < 0)
      return r;
  }
  return 0;
}

static int compare_objects (const char *path, const struct json_node *sent, const struct json_node *got,
                            bool open, struct strlist *differences)
{
  for (size_t i = 0; i < sent->count; i++) {
    const char *name = sent->keys[i].name;
    cleanup_free char *below = str_format ("%s.%s", path, name);
    int r = below ? compare (below, sent->items[i], json_get (got, name), false, differences) : -ENOMEM;

    if (r < 0)
      return r;
  }
  for (size_t i = 0; i < got->count && !open; i++) {
    cleanup_free char *below = NULL;

    if (json_get (sent, got->keys[i].name) != NULL || says_nothing (got->items[i]))
      continue;
    below = str_format ("%s.%s", path, got->keys[i].name);
    if (below == NULL || differ (below, differences) < 0)
      return -ENOMEM;
  }
  return 0;
}

static int compare (const char *path, const struct json_node *sent, const struct json_node *got, bool open,
                    struct strlist *differences)
{
  if (says_nothing (sent) && says_nothing (got))
    return 0;
  if (got == NULL || sent->type != got->type)
    return differ (path, differences);
  switch (sent->type) {
  case JSON_NULL: return 0;
  case JSON_BOOL: return sent->flag == got->flag ? 0 : differ (path, differences);
  case JSON_NUMBER:
  case JSON_STRING: return strcmp (sent->text, got->text) == 0 ? 0 : differ (path, differences);
  case JSON_ARRAY: return compare_lists (path, sent, got, differences);
  case JSON_OBJECT: return compare_objects (path, sent, got, open, differences);
  }
  return differ (path, differences);
}

int reply_compare (const char *path, const struct json_node *sent, const struct json_node *got,
                   struct strlist *differences)
{
  return compare (path, sent, got, true, differences);
}
