/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the completions for three shells: lists from the tables of verbs and options, and quoting.
 *
 * Must never: let text of a table end a quote in the script.
 */
#pragma once

#include "options-help.h"

/* Adds the names of all options with a value that some verb takes, with "--" and separated by SEPARATOR. */
void complete_valued (struct strbuf *out, const char *separator);

/* Adds the options of VERB in the same format. */
void complete_options (struct strbuf *out, const struct verb *verb, const char *separator);

/* Adds the names of VERB's sub-verbs. */
void complete_verbs (struct strbuf *out, const struct verb *verb, const char *separator);

/* Adds the values that INFO offers: its words, those of backends, and the controls for COMPLETE_CONTROL. */
void complete_words (struct strbuf *out, const struct option_info *info, const char *separator);

/* Adds TEXT inside single quotes, an apostrophe written as APOSTROPHE, with a backslash before each of
 * SPECIAL. */
void complete_quote (struct strbuf *out, const char *text, const char *special, const char *apostrophe);

/* Adds the path of VERB with blanks replaced: "profile_diff". */
void complete_function (struct strbuf *out, const struct verb *verb);
