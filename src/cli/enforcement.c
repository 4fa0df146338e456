#include <config.h>

#include "cli-enforcement.h"

void carry_write (struct json_writer *w, const char *key, const struct carriage *carriage)
{
  json_object_begin (w, key);
  json_string (w, "carry", carry_text (carriage->carry));
  json_string (w, "basis", carriage->basis == BASIS_MEASURED ? "measured" : "declared");
  json_string (w, "reason", carriage->reason);
  json_object_end (w);
}

const char *carry_cell (const struct carriage *carriage, bool brief)
{
  static const char *const words[][2][3] = {
    { { "enforced", "weaker", "impossible" }, { "enforced?", "weaker?", "impossible?" } },
    { { "enf", "weak", "imp" }, { "enf?", "weak?", "imp?" } },
  };

  return words[brief][carriage->basis != BASIS_MEASURED][carriage->carry];
}

enum tone carry_tone (enum carry carry)
{
  static const enum tone tones[] = { TONE_GOOD, TONE_WARN, TONE_BAD };

  return tones[carry];
}
