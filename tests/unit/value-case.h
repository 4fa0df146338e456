/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values and settings for tests, written as short texts.
 *
 * "(unset)", "(lifted)" and "(conflict)" are the states. Otherwise a text is what value_parse reads; the
 * entries of a set stand between commas; a grant is "name=source", with "!" behind it when it can be
 * written. A text that the setting refuses fails the test.
 */
#pragma once

#include <stdlib.h>

#include "control-value.h"
#include "unit.h"

static inline char *value_case_text (const char *text, size_t len)
{
  char *copy = strndup (text, len);

  assert_non_null (copy);
  return copy;
}

static inline void value_case_entry (enum setting setting, const char *entry, struct value *value)
{
  cleanup_error struct error err = { 0 };
  const char *equals = strchr (entry, '=');
  size_t len = strlen (entry);
  struct grant grant = { 0 };

  if (setting_info (setting)->kind == KIND_SET) {
    CHECK (value_add (setting, entry, value, &err) == 0, "%s", error_text (&err));
    return;
  }
  assert_non_null (equals);
  grant.writable = entry[len - 1] == '!';
  grant.name = value_case_text (entry, (size_t) (equals - entry));
  grant.source = value_case_text (equals + 1, len - (size_t) (equals + 1 - entry) - grant.writable);
  if (setting_info (setting)->syntax == SYNTAX_SECRET)
    grant.target = str_format ("/run/secrets/%s", grant.name);
  CHECK (value_add_grant (setting, &grant, value, &err) == 0, "%s", error_text (&err));
}

/* Makes VALUE, which must be empty, from TEXT. */
static inline void value_case (enum setting setting, const char *text, struct value *value)
{
  enum value_kind kind = setting_info (setting)->kind;
  cleanup_error struct error err = { 0 };

  if (strcmp (text, "(unset)") == 0)
    return;
  if (strcmp (text, "(lifted)") == 0) {
    value->state = VALUE_LIFTED;
  } else if (strcmp (text, "(conflict)") == 0) {
    value->state = VALUE_CONFLICT;
  } else if (kind == KIND_SET || kind == KIND_GRANTS) {
    value->state = VALUE_SET;
    while (*text != '\0') {
      size_t len = strcspn (text, ",");
      cleanup_free char *entry = value_case_text (text, len);

      value_case_entry (setting, entry, value);
      text += len + (text[len] == ',');
    }
  } else
    CHECK (value_parse (setting, text, value, &err) == 0, "%s: %s", setting_info (setting)->key,
           error_text (&err));
}

/* Gives one of SETTINGS another value. */
static inline void settings_case (struct settings *settings, enum setting setting, const char *text)
{
  value_clear (&settings->values[setting]);
  value_case (setting, text, &settings->values[setting]);
}
