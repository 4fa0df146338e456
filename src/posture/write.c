/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A posture as JSON, as a table, and as one line. */
#include <config.h>

#include "posture-posture.h"

#include <string.h>

const char *verdict_text (enum verdict verdict)
{
  static const char *const texts[] = { "unverified", "verified", "violated", "waived" };

  return texts[verdict];
}

const char *overall_text (enum overall overall)
{
  static const char *const texts[] = { "verified", "partial", "violated" };

  return texts[overall];
}

const char *seen_text (enum seen seen)
{
  static const char *const texts[] = { "nobody", "inside", "outside", "both" };

  return texts[seen];
}

/* Whether the control prevents the start of the command. */
static bool is_broken (const struct posture_control *state)
{
  return state->promised
         && (state->verdict == VERDICT_VIOLATED || (state->required && state->verdict == VERDICT_UNVERIFIED));
}

char *posture_broken_text (const struct posture *posture)
{
  cleanup_strbuf struct strbuf buf = { 0 };

  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    const struct posture_control *state = &posture->controls[c];

    if (is_broken (state))
      strbuf_addf (&buf, "%s%s (%s: %s; rule %s)", buf.len > 0 ? "; " : "", control_info (c)->name,
                   verdict_text (state->verdict), state->evidence, state->rule);
  }
  return strbuf_take (&buf);
}

/* Names of files may be any bytes. */
static void write_text (struct json_writer *w, const char *key, const char *text)
{
  json_string (w, key, str_is_utf8 (text, strlen (text)) ? text : "(not valid UTF-8)");
}

void posture_write (struct json_writer *w, const char *key, const struct posture *posture)
{
  json_object_begin (w, key);
  json_string (w, "verdict", overall_text (posture->overall));
  json_array_begin (w, "controls");
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    const struct posture_control *state = &posture->controls[c];

    if (!state->promised)
      continue;
    json_object_begin (w, NULL);
    json_string (w, "name", control_info (c)->name);
    json_bool (w, "promised", true);
    json_bool (w, "required", state->required);
    if (state->observed == VERDICT_UNVERIFIED)
      json_null (w, "observed");
    else
      json_bool (w, "observed", state->observed == VERDICT_VERIFIED);
    json_string (w, "verdict", verdict_text (state->verdict));
    json_string (w, "seen_by", state->seen == SEEN_NOT ? NULL : seen_text (state->seen));
    write_text (w, "evidence", state->evidence);
    write_text (w, "rule", state->rule);
    json_object_end (w);
  }
  json_array_end (w);
  json_object_end (w);
}

char *posture_text (const struct posture *posture)
{
  cleanup_strbuf struct strbuf buf = { 0 };

  strbuf_addf (&buf, "posture: %s\n", overall_text (posture->overall));
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    const struct posture_control *state = &posture->controls[c];

    if (state->promised)
      strbuf_addf (&buf, "  %-26s %-11s %-8s %s\n", control_info (c)->name, verdict_text (state->verdict),
                   seen_text (state->seen), state->evidence);
  }
  return strbuf_take (&buf);
}
