/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How explain and matrix show an enforcement: as a word, a colour or a JSON object. One that is declared and
 * has not been observed is marked: with a question mark in tables, with the basis "declared" in JSON.
 *
 * Must never: show a declaration as if it had been measured.
 */
#pragma once

#include "base-json-write.h"
#include "control-backend.h"
#include "options-output.h"

/* {"enforcement": "enforced", "basis": "measured", "reason": "..."} */
void enforcement_write (struct json_writer *w, const char *key, const struct enforcement *enforcement);

/* The cell of a table: "enforced", or "enforced?" if not observed yet; BRIEF: "enf", "enf?". */
const char *enforcement_cell (const struct enforcement *enforcement, bool brief);

enum tone enforcement_tone (enum enforcement_level level);
