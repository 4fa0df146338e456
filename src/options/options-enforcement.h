/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a enforcement is shown, the same in explain and matrix, in words and in JSON.
 *
 * A enforcement goes in; a word, a colour or a JSON object comes out. What is declared and was not yet
 * observed is marked as such everywhere: a question mark in tables, "declared" as the basis in JSON.
 *
 * Must never: show a declaration as if it had been measured.
 */
#pragma once

#include "base-json-write.h"
#include "control-backend.h"
#include "options-output.h"

/* {"carry": "enforced", "basis": "measured", "reason": "..."} */
void enforcement_write (struct json_writer *w, const char *key, const struct enforcement *enforcement);

/* The cell of a table: "enforced", or "enforced?" where nobody has observed it yet; BRIEF: "enf", "enf?". */
const char *enforcement_cell (const struct enforcement *enforcement, bool brief);

enum tone enforcement_tone (enum enforcement_level level);
