/* How a carriage is shown, the same in explain and matrix, in words and in JSON.
 *
 * A carriage goes in; a word, a colour or a JSON object comes out. What is declared and was not yet observed
 * is marked as such everywhere: a question mark in tables, "declared" as the basis in JSON.
 *
 * Must never: show a declaration as if it had been measured.
 */
#pragma once

#include "base-json-write.h"
#include "control-enforcement.h"
#include "options-output.h"

/* {"carry": "enforced", "basis": "measured", "reason": "..."} */
void carry_write (struct json_writer *w, const char *key, const struct carriage *carriage);

/* The cell of a table: "enforced", or "enforced?" where nobody has observed it yet; BRIEF: "enf", "enf?". */
const char *carry_cell (const struct carriage *carriage, bool brief);

enum tone carry_tone (enum carry carry);
