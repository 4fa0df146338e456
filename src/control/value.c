/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "control-value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-number.h"
#include "control-syntax.h"

static int parse_flag (const char *text, struct value *value, struct error *err)
{
  if (strcmp (text, "true") != 0 && strcmp (text, "false") != 0)
    return error_set (err, -EINVAL, "'%s' is not true or false", text);
  value->flag = text[0] == 't';
  return 0;
}

static int parse_level (const struct setting_info *info, const char *text, struct value *value,
                        struct error *err)
{
  cleanup_strbuf struct strbuf list = { 0 };
  const char *near;
  unsigned count = 0;

  for (; info->levels[count] != NULL; count++)
    if (strcmp (info->levels[count], text) == 0) {
      value->level = count;
      return 0;
    }
  for (unsigned i = 0; i < count; i++)
    strbuf_addf (&list, "%s'%s'", i ? ", " : "", info->levels[i]);
  near = str_nearest (text, info->levels, count);
  if (list.failed)
    return error_oom (err);
  if (near != NULL)
    return error_set (err, -EINVAL, "'%s' is not one of %s; did you mean '%s'?", text, list.text, near);
  return error_set (err, -EINVAL, "'%s' is not one of %s", text, list.text);
}

static void format_number (const struct setting_info *info, uint64_t number, char text[NUMBER_TEXT])
{
  if (info->syntax == SYNTAX_SIZE)
    number_format_size (number, text);
  else if (info->syntax == SYNTAX_DURATION)
    number_format_duration (number, text);
  else if (info->syntax == SYNTAX_MILLI)
    number_format_milli (number, text);
  else
    snprintf (text, NUMBER_TEXT, "%" PRIu64, number);
}

static int parse_number (const struct setting_info *info, const char *text, struct value *value,
                         struct error *err)
{
  static const char *const forms[] = {
    [SYNTAX_COUNT] = "a number",
    [SYNTAX_SIZE] = "a size such as 512K, 64M or 1G",
    [SYNTAX_DURATION] = "a duration such as 500ms, 60s or 5m",
    [SYNTAX_MILLI] = "a number such as 0.5 or 2",
  };
  char low[NUMBER_TEXT], high[NUMBER_TEXT];
  uint64_t number = 0;
  bool ok;

  if (info->syntax == SYNTAX_SIZE)
    ok = number_parse_size (text, &number);
  else if (info->syntax == SYNTAX_DURATION)
    ok = number_parse_duration (text, &number);
  else if (info->syntax == SYNTAX_MILLI)
    ok = number_parse_milli (text, &number);
  else
    ok = number_parse (text, UINT64_MAX, &number);
  if (ok && number >= info->min && number <= info->max) {
    value->number = number;
    return 0;
  }
  format_number (info, info->min, low);
  format_number (info, info->max, high);
  if (info->max == INT64_MAX)
    return error_set (err, -EINVAL, "'%s' is not %s of at least %s", text, forms[info->syntax], low);
  return error_set (err, -EINVAL, "'%s' is not %s from %s to %s", text, forms[info->syntax], low, high);
}

int value_parse (enum setting setting, const char *text, struct value *value, struct error *err)
{
  const struct setting_info *info = setting_info (setting);
  char *copy;
  int r = 0;

  switch (info->kind) {
  case KIND_FLAG: r = parse_flag (text, value, err); break;
  case KIND_LEVEL: r = parse_level (info, text, value, err); break;
  case KIND_NUMBER: r = parse_number (info, text, value, err); break;
  case KIND_IDS:
    if (!number_parse_ids (text, &value->uid, &value->gid))
      r = error_set (err, -EINVAL, "'%s' is not numeric ids such as 10001:10001", text);
    break;
  case KIND_TEXT:
    r = syntax_check (info->syntax, text, err);
    if (r < 0)
      break;
    copy = strdup (text);
    if (copy == NULL) {
      r = error_oom (err);
      break;
    }
    free (value->text);
    value->text = copy;
    break;
  case KIND_SET:
  case KIND_GRANTS: r = error_set (err, -EINVAL, "expected a list, found '%s'", text); break;
  }
  if (r == 0)
    value->state = VALUE_SET;
  return r;
}

int value_add (enum setting setting, const char *entry, struct value *value, struct error *err)
{
  int r = syntax_check (setting_info (setting)->syntax, entry, err);
  bool all = setting_info (setting)->syntax == SYNTAX_CONTROL && strcmp (entry, "*") == 0;

  if (r < 0)
    return r;
  if (all && setting != SETTING_REQUIRE)
    return error_set (err, -EINVAL, "'*' would make every control optional; name them one by one");
  if (all)
    strlist_clear (&value->set);
  if (setting == SETTING_REQUIRE && strset_has (&value->set, "*"))
    return 0; /* "*" already includes every other entry */
  if (value->set.count >= LIMIT_SET_ENTRIES)
    return error_set (err, -E2BIG, "more than %zu entries", LIMIT_SET_ENTRIES);
  if (strset_add (&value->set, entry) < 0)
    return error_oom (err);
  value->state = VALUE_SET;
  return 0;
}

static void grant_clear (struct grant *grant)
{
  free (grant->name);
  free (grant->source);
  free (grant->target);
  free (grant->reason);
  *grant = (struct grant){ 0 };
}

static size_t grant_limit (enum value_syntax syntax)
{
  if (syntax == SYNTAX_MOUNT)
    return LIMIT_MOUNTS;
  return syntax == SYNTAX_SECRET ? LIMIT_SECRETS : LIMIT_ENVIRONMENT;
}

int value_add_grant (enum setting setting, struct grant *grant, struct value *value, struct error *err)
{
  struct grants *grants = &value->grants;
  size_t limit = grant_limit (setting_info (setting)->syntax);
  struct grant *items;
  size_t at = 0;
  int r = 0;

  while (at < grants->count && strcmp (grants->items[at].name, grant->name) < 0)
    at++;
  if (at < grants->count && strcmp (grants->items[at].name, grant->name) == 0)
    r = error_set (err, -EEXIST, "'%s' is listed twice", grant->name);
  else if (grants->count >= limit)
    r = error_set (err, -E2BIG, "more than %zu entries", limit);
  if (r < 0) {
    grant_clear (grant);
    return r;
  }
  items = realloc (grants->items, (grants->count + 1) * sizeof (*items));
  if (items == NULL) {
    grant_clear (grant);
    return error_oom (err);
  }
  memmove (items + at + 1, items + at, (grants->count - at) * sizeof (*items));
  items[at] = *grant;
  *grant = (struct grant){ 0 };
  grants->items = items;
  grants->count++;
  value->state = VALUE_SET;
  return 0;
}

const struct grant *grants_find (const struct grants *grants, const char *name)
{
  for (size_t i = 0; i < grants->count; i++)
    if (strcmp (grants->items[i].name, name) == 0)
      return &grants->items[i];
  return NULL;
}

static void grants_clear (struct grants *grants)
{
  for (size_t i = 0; i < grants->count; i++)
    grant_clear (&grants->items[i]);
  free (grants->items);
  *grants = (struct grants){ 0 };
}

static bool copy_text (const char *from, char **ret_text)
{
  *ret_text = from ? strdup (from) : NULL;
  return from == NULL || *ret_text != NULL;
}

static int grants_copy (const struct grants *from, struct grants *ret_grants)
{
  struct grants copy = { 0 };

  if (from->count == 0) {
    *ret_grants = copy;
    return 0;
  }
  copy.items = calloc (from->count, sizeof (*copy.items));
  if (copy.items == NULL)
    return -ENOMEM;
  for (size_t i = 0; i < from->count; i++) {
    const struct grant *grant = &from->items[i];
    struct grant *to = &copy.items[copy.count++];

    to->writable = grant->writable;
    if (!copy_text (grant->name, &to->name) || !copy_text (grant->source, &to->source)
        || !copy_text (grant->target, &to->target) || !copy_text (grant->reason, &to->reason)) {
      grants_clear (&copy);
      return -ENOMEM;
    }
  }
  *ret_grants = copy;
  return 0;
}

int origin_copy (const struct origin *from, struct origin *ret_origin)
{
  struct origin copy = *from;

  if (!copy_text (from->file, &copy.file))
    return -ENOMEM;
  *ret_origin = copy;
  return 0;
}

int value_copy (const struct value *from, struct value *ret_value)
{
  cleanup_value struct value copy = { 0 };
  const char *text = from->text;

  copy.state = from->state;
  copy.flag = from->flag;
  copy.level = from->level;
  copy.number = from->number;
  copy.uid = from->uid;
  copy.gid = from->gid;
  if (origin_copy (&from->origin, &copy.origin) < 0 || !copy_text (text, &copy.text)
      || strlist_copy (&from->set, &copy.set) < 0 || grants_copy (&from->grants, &copy.grants) < 0)
    return -ENOMEM;
  *ret_value = copy;
  copy = (struct value){ 0 };
  return 0;
}

static bool grants_equal (const struct grants *a, const struct grants *b)
{
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++) {
    const struct grant *x = &a->items[i], *y = &b->items[i];

    if (!str_equal (x->name, y->name) || !str_equal (x->source, y->source)
        || !str_equal (x->target, y->target) || x->writable != y->writable)
      return false;
  }
  return true;
}

bool value_equal (enum setting setting, const struct value *a, const struct value *b)
{
  if (a->state != b->state)
    return false;
  if (a->state != VALUE_SET)
    return true;
  switch (setting_info (setting)->kind) {
  case KIND_FLAG: return a->flag == b->flag;
  case KIND_LEVEL: return a->level == b->level;
  case KIND_NUMBER: return a->number == b->number;
  case KIND_IDS: return a->uid == b->uid && a->gid == b->gid;
  case KIND_TEXT: return str_equal (a->text, b->text);
  case KIND_SET: return strlist_equal (&a->set, &b->set);
  case KIND_GRANTS: return grants_equal (&a->grants, &b->grants);
  }
  return false;
}

static void grants_text (enum value_syntax syntax, const struct grants *grants, struct strbuf *buf)
{
  for (size_t i = 0; i < grants->count; i++) {
    const struct grant *grant = &grants->items[i];
    const char *comma = i ? ", " : "";

    if (syntax == SYNTAX_MOUNT)
      strbuf_addf (buf, "%s%s on %s (%s)", comma, grant->source, grant->name,
                   grant->writable ? "read-write" : "read-only");
    else if (syntax == SYNTAX_SECRET)
      strbuf_addf (buf, "%s%s at %s", comma, grant->name, grant->target);
    else
      strbuf_addf (buf, "%s%s=%s", comma, grant->name, grant->source);
  }
  if (grants->count == 0)
    strbuf_add (buf, "(none)");
}

char *value_text (enum setting setting, const struct value *value)
{
  const struct setting_info *info = setting_info (setting);
  cleanup_strbuf struct strbuf buf = { 0 };
  char number[NUMBER_TEXT];

  if (value->state == VALUE_CONFLICT)
    return strdup ("(conflict)");
  if (value->state != VALUE_SET)
    return strdup (value->state == VALUE_LIFTED ? "(lifted)" : "(unset)");
  switch (info->kind) {
  case KIND_FLAG: strbuf_add (&buf, value->flag ? "true" : "false"); break;
  case KIND_LEVEL: strbuf_add (&buf, info->levels[value->level]); break;
  case KIND_NUMBER:
    format_number (info, value->number, number);
    strbuf_add (&buf, number);
    break;
  case KIND_IDS: strbuf_addf (&buf, "%" PRIu32 ":%" PRIu32, value->uid, value->gid); break;
  case KIND_TEXT: strbuf_add (&buf, value->text); break;
  case KIND_SET:
    for (size_t i = 0; i < value->set.count; i++)
      strbuf_addf (&buf, "%s%s", i ? ", " : "", value->set.items[i]);
    if (value->set.count == 0)
      strbuf_add (&buf, "(none)");
    break;
  case KIND_GRANTS: grants_text (info->syntax, &value->grants, &buf); break;
  }
  return strbuf_take (&buf);
}

char *origin_text (const struct origin *origin)
{
  if (origin->file == NULL)
    return strdup ("built-in default");
  if (origin->line == 0)
    return strdup (origin->file);
  return str_format ("%s:%u", origin->file, origin->line);
}

void value_clear (struct value *value)
{
  free (value->origin.file);
  free (value->text);
  strlist_clear (&value->set);
  grants_clear (&value->grants);
  *value = (struct value){ 0 };
}

bool value_is_set (const struct value *value)
{
  return value->state == VALUE_SET;
}

int settings_copy (const struct settings *from, struct settings *ret_settings)
{
  struct settings copy = { 0 };

  for (size_t i = 0; i < SETTING_COUNT; i++)
    if (value_copy (&from->values[i], &copy.values[i]) < 0) {
      settings_clear (&copy);
      return -ENOMEM;
    }
  *ret_settings = copy;
  return 0;
}

void settings_clear (struct settings *settings)
{
  for (size_t i = 0; i < SETTING_COUNT; i++)
    value_clear (&settings->values[i]);
}

int settings_complete (struct settings *settings, struct error *err)
{
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    const struct setting_info *info = setting_info (s);
    struct value *value = &settings->values[s];
    int r = 0;

    if (value->state != VALUE_UNSET)
      continue;
    value->origin.trusted = true;
    if (info->fallback != NULL)
      r = value_parse (s, info->fallback, value, err);
    else if (s == SETTING_REQUIRE)
      r = value_add (s, "*", value, err);
    else if (s != SETTING_TOOLS && (info->kind == KIND_SET || info->kind == KIND_GRANTS))
      value->state = VALUE_SET;
    if (r < 0)
      return r;
  }
  return 0;
}
