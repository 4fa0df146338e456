/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Help, the manual page in roff, and completions for three shells, all printed from the tables of verbs and
 * options. Nothing here names a verb or an option: a new row of a table is documented and completed. */
#pragma once

#include "base-error.h"
#include "options-output.h"
#include "options-verb.h"

/* The help of one verb. */
int help_text (const struct verb *verb, struct output *output, struct error *err);

/* The manual page of the whole program. */
void help_man (struct strbuf *out);

void help_bash (struct strbuf *out);
void help_zsh (struct strbuf *out);
void help_fish (struct strbuf *out);
