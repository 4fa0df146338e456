/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "profile-seccomp.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base-json-object.h"
#include "base-json-read.h"
#include "base-limits.h"
#include "profile-seccomp-internal.h"

static const struct seccomp_constant errnos[] = {
  { "EPERM", EPERM },
  { "ENOENT", ENOENT },
  { "EACCES", EACCES },
  { "ENODEV", ENODEV },
  { "EINVAL", EINVAL },
  { "ENOTTY", ENOTTY },
  { "ENOSYS", ENOSYS },
  { "EOPNOTSUPP", EOPNOTSUPP },
  { "EPROTONOSUPPORT", EPROTONOSUPPORT },
  { "EAFNOSUPPORT", EAFNOSUPPORT },
};

/* The position of a name, to find names that are listed twice. */
struct mention {
  const char *name; /* owned by the tree */
  unsigned line, column;
};

struct builder {
  struct seccomp_list *list;
  struct mention *mentions;
  size_t mention_count;
};

/* Makes room for one more item after COUNT; returns it cleared, or NULL. */
static void *new_item (void **items, size_t count, size_t size)
{
  if (count == 0 || (count & (count - 1)) == 0) {
    void *grown = realloc (*items, (count ? count * 2 : 1) * size);

    if (grown == NULL)
      return NULL;
    *items = grown;
  }
  return memset ((char *) *items + count * size, 0, size);
}

static struct seccomp_rule *add_rule (struct builder *b, const char *name, unsigned line)
{
  void *items = b->list->rules;
  struct seccomp_rule *rule = new_item (&items, b->list->rule_count, sizeof (*rule));

  b->list->rules = items;
  if (rule == NULL)
    return NULL;
  b->list->rule_count++;
  rule->line = line;
  rule->name = strdup (name);
  return rule->name ? rule : NULL;
}

static int add_deny (struct builder *b, const char *name, int errnum, unsigned line)
{
  void *items = b->list->denies;
  struct seccomp_deny *deny = new_item (&items, b->list->deny_count, sizeof (*deny));

  b->list->denies = items;
  if (deny == NULL)
    return -ENOMEM;
  b->list->deny_count++;
  deny->errnum = errnum;
  deny->line = line;
  deny->name = strdup (name);
  return deny->name ? 0 : -ENOMEM;
}

static bool is_call_name (const char *name)
{
  size_t len = 0;

  while ((name[len] >= 'a' && name[len] <= 'z') || (name[len] >= '0' && name[len] <= '9') || name[len] == '_')
    len++;
  return len > 0 && len <= LIMIT_NAME_BYTES && name[len] == '\0';
}

/* Called once for every name of the list. */
static int mention (struct builder *b, const struct json_place *place, const struct json_node *node,
                    const char *name, unsigned line, unsigned column, struct error *err)
{
  void *items = b->mentions;
  struct mention *m;

  if (!is_call_name (name))
    return json_fail (place, node, err, "'%s' is not the name of a system call", name);
  m = new_item (&items, b->mention_count, sizeof (*m));
  b->mentions = items;
  if (m == NULL)
    return error_oom (err);
  b->mention_count++;
  *m = (struct mention){ .name = name, .line = line, .column = column };
  return 0;
}

static int look_up_errno (const struct json_place *place, const struct json_node *node, const char *text,
                          int *ret_errnum, struct error *err)
{
  uint32_t value;
  int r = seccomp_look_up (place, node, text, "the name of an error, such as EPERM or ENOSYS", errnos,
                           ARRAY_LEN (errnos), &value, err);

  if (r == 0)
    *ret_errnum = (int) value;
  return r;
}

/* One call under "when". */
struct conditional {
  struct builder *builder;
  const char *name;
  int errnum;
  size_t ways;
};

static JSON_READER (read_way)
{
  struct conditional *call = at;
  struct seccomp_rule *rule;

  if (node->count == 0)
    return json_fail (place, node, err, "no test, so '%s' would always be allowed; name it under 'allow'",
                      call->name);
  rule = add_rule (call->builder, call->name, node->line);
  if (rule == NULL)
    return error_oom (err);
  call->ways++;
  return json_read_array (place, node, JSON_OBJECT, SECCOMP_ARGUMENTS, seccomp_read_test, rule, err);
}

static JSON_READER (read_ways)
{
  return json_read_array (place, node, JSON_ARRAY, SECCOMP_WAYS_MAX, read_way, at, err);
}

static JSON_READER (read_else)
{
  struct conditional *call = at;

  return look_up_errno (place, node, node->text, &call->errnum, err);
}

static const struct json_field conditional_fields[] = {
  { "allow", JSON_ARRAY, read_ways, 0 },
  { "else", JSON_STRING, read_else, 0 },
};

static int read_conditional (const struct json_place *place, const struct json_node *node,
                             const struct json_key *key, struct builder *b, struct error *err)
{
  struct conditional call = { .builder = b, .name = key->name };
  int r = mention (b, place, node, key->name, key->line, key->column, err);

  if (r == 0)
    r = json_read_object (place, node, conditional_fields, ARRAY_LEN (conditional_fields), &call, err);
  if (r < 0)
    return r;
  if (call.ways == 0)
    return json_fail (place, node, err, "no condition allows the call; name '%s' under 'deny'", key->name);
  if (call.errnum == 0)
    return json_fail (place, node, err, "key 'else' is missing");
  return add_deny (b, key->name, call.errnum, key->line) < 0 ? error_oom (err) : 0;
}

static JSON_READER (read_when)
{
  for (size_t i = 0; i < node->count; i++) {
    struct json_place below = { .parent = place, .name = node->keys[i].name };
    int r = read_conditional (&below, node->items[i], &node->keys[i], at, err);

    if (r < 0)
      return r;
  }
  return 0;
}

static JSON_READER (read_allowed)
{
  int r = mention (at, place, node, node->text, node->line, node->column, err);

  if (r == 0 && add_rule (at, node->text, node->line) == NULL)
    r = error_oom (err);
  return r;
}

static JSON_READER (read_allow)
{
  for (size_t i = 0; i < node->count; i++) {
    struct json_place below = { .parent = place, .name = node->keys[i].name };
    int r = json_read_array (&below, node->items[i], JSON_STRING, LIMIT_SET_ENTRIES, read_allowed, at, err);

    if (r < 0)
      return r;
  }
  return 0;
}

struct denied {
  struct builder *builder;
  int errnum;
};

static JSON_READER (read_denied)
{
  struct denied *denied = at;
  int r = mention (denied->builder, place, node, node->text, node->line, node->column, err);

  if (r == 0 && add_deny (denied->builder, node->text, denied->errnum, node->line) < 0)
    r = error_oom (err);
  return r;
}

static JSON_READER (read_deny)
{
  for (size_t i = 0; i < node->count; i++) {
    struct json_place below = { .parent = place, .name = node->keys[i].name };
    struct denied denied = { .builder = at };
    int r = look_up_errno (&below, node->items[i], node->keys[i].name, &denied.errnum, err);

    if (r == 0)
      r = json_read_array (&below, node->items[i], JSON_STRING, LIMIT_SET_ENTRIES, read_denied, &denied, err);
    if (r < 0)
      return r;
  }
  return 0;
}

static JSON_READER (read_version)
{
  if (strcmp (node->text, "1") == 0)
    return 0;
  return json_fail (place, node, err, "version %s is not supported; this program reads version 1",
                    node->text);
}

static JSON_READER (read_name)
{
  struct builder *b = at;

  if (node->text[0] == '\0' || strlen (node->text) > LIMIT_NAME_BYTES
      || node->text[strspn (node->text, "abcdefghijklmnopqrstuvwxyz0123456789_-")] != '\0')
    return json_fail (place, node, err, "'%s' is not a name of lower-case letters, digits, '-' and '_'",
                      node->text);
  return json_into_text (place, node, &b->list->name, err);
}

static JSON_READER (read_meaning)
{
  struct builder *b = at;

  return json_into_text (place, node, &b->list->meaning, err);
}

static JSON_READER (read_unknown)
{
  struct builder *b = at;

  return look_up_errno (place, node, node->text, &b->list->unknown_errnum, err);
}

static const struct json_field list_fields[] = {
  { "version", JSON_NUMBER, read_version, 0 }, { "name", JSON_STRING, read_name, 0 },
  { "meaning", JSON_STRING, read_meaning, 0 }, { "unknown", JSON_STRING, read_unknown, 0 },
  { "allow", JSON_OBJECT, read_allow, 0 },     { "when", JSON_OBJECT, read_when, 0 },
  { "deny", JSON_OBJECT, read_deny, 0 },
};

static const char *const required[] = { "version", "name", "meaning", "unknown", "allow" };

static int compare_mentions (const void *a, const void *b)
{
  const struct mention *x = a, *y = b;
  int order = strcmp (x->name, y->name);

  if (order != 0)
    return order;
  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  return x->column < y->column ? -1 : 1;
}

/* A call may be listed only once: allowed, conditional or denied. */
static int check_repeats (struct builder *b, struct error *err)
{
  if (b->mention_count > 0)
    qsort (b->mentions, b->mention_count, sizeof (*b->mentions), compare_mentions);
  for (size_t i = 1; i < b->mention_count; i++) {
    const struct mention *first = &b->mentions[i - 1], *second = &b->mentions[i];

    if (strcmp (first->name, second->name) == 0)
      return error_set (err, -EINVAL, "%s:%u:%u: '%s' is named again (first on line %u)", b->list->file,
                        second->line, second->column, second->name, first->line);
  }
  return 0;
}

static int read_list (struct builder *b, const struct json_node *tree, struct error *err)
{
  struct json_place place = { .name = b->list->file };
  int r = json_read_object (&place, tree, list_fields, ARRAY_LEN (list_fields), b, err);

  for (size_t i = 0; r == 0 && i < ARRAY_LEN (required); i++)
    if (json_get (tree, required[i]) == NULL)
      r = json_fail (&place, tree, err, "key '%s' is missing", required[i]);
  return r < 0 ? r : check_repeats (b, err);
}

int seccomp_list_parse (const char *file, const char *text, size_t len, struct seccomp_list **ret_list,
                        struct error *err)
{
  static const struct json_limits limits = {
    .bytes = LIMIT_PROFILE_BYTES,
    .depth = LIMIT_PROFILE_DEPTH,
    .nodes = LIMIT_PROFILE_NODES,
    .comments = true,
  };
  cleanup_seccomp_list struct seccomp_list *list = calloc (1, sizeof (*list));
  cleanup_json struct json_node *tree = NULL;
  struct builder b = { .list = list };
  int r;

  if (list == NULL || (list->file = strdup (file)) == NULL)
    return error_oom (err);
  r = json_read (file, text, len, &limits, &tree, err);
  if (r == 0)
    r = read_list (&b, tree, err);
  free (b.mentions);
  if (r < 0)
    return r;
  *ret_list = take_ptr (list);
  return 0;
}

void seccomp_list_free (struct seccomp_list *list)
{
  if (list == NULL || list->kept)
    return;
  for (size_t i = 0; i < list->rule_count; i++) {
    for (size_t j = 0; j < list->rules[i].test_count; j++)
      free (list->rules[i].tests[j].values);
    free (list->rules[i].name);
  }
  for (size_t i = 0; i < list->deny_count; i++)
    free (list->denies[i].name);
  free (list->rules);
  free (list->denies);
  free (list->name);
  free (list->meaning);
  free (list->file);
  free (list);
}
