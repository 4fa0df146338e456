/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes profiles as text: a fixed order and every effective setting, so equal meanings give equal bytes. */
#include <config.h>

#include "profile-profile.h"

#include <string.h>

#include "base-json-write.h"
#include "base-sha256.h"

static void write_grants (struct json_writer *w, const char *key, enum value_syntax syntax,
                          const struct grants *grants)
{
  if (syntax == SYNTAX_ASSIGNMENT) {
    json_object_begin (w, key);
    for (size_t i = 0; i < grants->count; i++)
      json_string (w, grants->items[i].name, grants->items[i].source);
    json_object_end (w);
    return;
  }
  json_array_begin (w, key);
  for (size_t i = 0; i < grants->count; i++) {
    const struct grant *grant = &grants->items[i];

    json_object_begin (w, NULL);
    if (syntax == SYNTAX_SECRET)
      json_string (w, "name", grant->name);
    json_string (w, "source", grant->source);
    json_string (w, "target", syntax == SYNTAX_SECRET ? grant->target : grant->name);
    if (syntax == SYNTAX_MOUNT)
      json_string (w, "access", grant->writable ? "read-write" : "read-only");
    if (grant->reason != NULL)
      json_string (w, "reason", grant->reason);
    json_object_end (w);
  }
  json_array_end (w);
}

static int write_value (struct json_writer *w, const char *key, enum setting setting,
                        const struct value *value)
{
  const struct setting_info *info = setting_info (setting);
  cleanup_free char *text = NULL;

  if (value->state == VALUE_LIFTED) {
    json_null (w, key);
    return 0;
  }
  if (info->kind == KIND_FLAG)
    json_bool (w, key, value->flag);
  else if (info->syntax == SYNTAX_MILLI)
    json_milli (w, key, value->number);
  else if (info->syntax == SYNTAX_COUNT)
    json_number (w, key, value->number);
  else if (info->kind == KIND_SET)
    json_strings (w, key, &value->set);
  else if (info->kind == KIND_GRANTS)
    write_grants (w, key, info->syntax, &value->grants);
  else {
    text = value_text (setting, value);
    if (text == NULL)
      return -1;
    json_string (w, key, text);
  }
  return 0;
}

/* Closes the objects of FROM that are not shared with TO, and opens those of TO. */
static void change_section (struct json_writer *w, const char *from, const char *to)
{
  size_t same = 0, at;

  for (size_t i = 0; from[i] != '\0' && from[i] == to[i]; i++)
    if (from[i] == '.')
      same = i + 1;
  for (at = same; strchr (from + at, '.') != NULL; at = (size_t) (strchr (from + at, '.') - from) + 1)
    json_object_end (w);
  for (at = same; strchr (to + at, '.') != NULL; at = (size_t) (strchr (to + at, '.') - to) + 1) {
    char name[64];
    size_t len = strcspn (to + at, ".");

    memcpy (name, to + at, len);
    name[len] = '\0';
    json_object_begin (w, name);
  }
}

static int write_settings (struct json_writer *w, const struct settings *settings)
{
  const char *last = "";

  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    const struct value *value = &settings->values[s];
    const char *key = setting_info (s)->key;
    const char *leaf = strrchr (key, '.') ? strrchr (key, '.') + 1 : key;

    if (value->state != VALUE_SET && value->state != VALUE_LIFTED)
      continue;
    change_section (w, last, key);
    if (write_value (w, leaf, s, value) < 0)
      return -1;
    last = key;
  }
  change_section (w, last, "");
  return 0;
}

/* Without a sandbox the fallbacks are not promises, and the language refuses them beside 'disabled'. */
static int write_disabled (struct json_writer *w)
{
  json_object_begin (w, "isolation");
  json_string (w, "type", "disabled");
  json_object_end (w);
  return 0;
}

static int write_body (struct json_writer *w, const struct settings *settings)
{
  if (settings->values[SETTING_ISOLATION_TYPE].level == ISOLATION_DISABLED)
    return write_disabled (w);
  return write_settings (w, settings);
}

int profile_write (const struct profile *profile, char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };

  json_object_begin (&w, NULL);
  json_number (&w, "version", 1);
  json_string (&w, "name", profile->name);
  if (profile->meaning != NULL)
    json_string (&w, "meaning", profile->meaning);
  if (write_body (&w, &profile->settings) < 0)
    return error_oom (err);
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}

int profile_digest (const struct profile *profile, char ret_digest[PROFILE_DIGEST_SIZE], struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_free char *text = NULL;
  int r;

  json_object_begin (&w, NULL);
  if (write_body (&w, &profile->settings) < 0)
    return error_oom (err);
  /* The content of a custom list can change under the same name. */
  json_string (&w, "list", profile->seccomp_digest);
  json_object_end (&w);
  r = json_finish (&w, &text, err);
  if (r < 0)
    return r;
  memcpy (ret_digest, "sha256:", sizeof ("sha256:") - 1);
  sha256_hex (text, strlen (text), ret_digest + sizeof ("sha256:") - 1);
  return 0;
}
