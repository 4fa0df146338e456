/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "denial-write.h"

#include <inttypes.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-str.h"

static const char *const effects[] = { "denied", "ended", "empty", "cut", "slowed" };
static const char *const confidences[] = { "observed", "inferred" };

const char *denial_errno_name (int errnum)
{
  return errnum > 0 ? strerrorname_np (errnum) : NULL;
}

/* "python3[12]"; NULL: not known, or out of memory. */
static char *who_text (const struct denial *denial)
{
  if (denial->program == NULL)
    return NULL;
  return denial->pid > 0 ? str_format ("%s[%" PRIu32 "]", denial->program, denial->pid)
                         : strdup (denial->program);
}

void denial_write_fields (struct json_writer *w, const struct denial *denial)
{
  cleanup_free char *who = who_text (denial);

  json_string (w, "control", control_info (denial->control)->name);
  json_string (w, "what", denial->what);
  json_string (w, "who", who);
  json_string (w, "effect", effects[denial->effect]);
  json_bool (w, "aside", denial->aside);
  json_string (w, "errno", denial_errno_name (denial->errnum));
  json_number (w, "count", denial->count);
  json_string (w, "rule", denial->rule);
  json_string (w, "confidence", confidences[denial->confidence]);
  json_string (w, "allow", denial->allow);
}

void denials_write (struct json_writer *w, const char *key, const struct denials *denials)
{
  json_array_begin (w, key);
  for (size_t i = 0; i < denials->count; i++) {
    json_object_begin (w, NULL);
    denial_write_fields (w, &denials->items[i]);
    json_object_end (w);
  }
  json_array_end (w);
}

char *denial_text (const struct denial *denial)
{
  cleanup_strbuf struct strbuf buf = { 0 };
  cleanup_free char *who = who_text (denial);
  const char *name = denial_errno_name (denial->errnum);

  strbuf_addf (&buf, "%s by %s%s: %s", denial->effect == EFFECT_EMPTY ? "hidden" : effects[denial->effect],
               control_info (denial->control)->name,
               denial->confidence == CONFIDENCE_INFERRED ? " (inferred)" : "", denial->what);
  if (who != NULL)
    strbuf_addf (&buf, " of %s", who);
  if (denial->count > 1)
    strbuf_addf (&buf, ", %" PRIu64 " times", denial->count);
  if (name != NULL)
    strbuf_addf (&buf, ", %s", name);
  strbuf_addf (&buf, "; rule %s; to allow: %s", denial->rule, denial->allow);
  return strbuf_take (&buf);
}
