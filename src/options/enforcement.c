/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "options-enforcement.h"

void enforcement_write (struct json_writer *w, const char *key, const struct enforcement *enforcement)
{
  json_object_begin (w, key);
  json_string (w, "enforcement", enforcement_text (enforcement->level));
  json_string (w, "basis", enforcement->basis == BASIS_MEASURED ? "measured" : "declared");
  json_string (w, "reason", enforcement->reason);
  json_object_end (w);
}

const char *enforcement_cell (const struct enforcement *enforcement, bool brief)
{
  static const char *const words[][2][3] = {
    { { "enforced", "weaker", "impossible" }, { "enforced?", "weaker?", "impossible?" } },
    { { "enf", "weak", "imp" }, { "enf?", "weak?", "imp?" } },
  };

  return words[brief][enforcement->basis != BASIS_MEASURED][enforcement->level];
}

enum tone enforcement_tone (enum enforcement_level level)
{
  static const enum tone tones[] = { TONE_GOOD, TONE_WARN, TONE_BAD };

  return tones[level];
}
