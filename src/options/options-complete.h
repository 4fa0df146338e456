/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the three printers of completions share: walks over the tables of verbs and options.
 *
 * Each function adds one list or one piece of quoted text to the script that is being printed. How a shell
 * wants it laid out is the printer's business.
 *
 * Must never: let text of a table end a quote in the script.
 */
#pragma once

#include "options-help.h"

/* Adds the names of all options that take a value, "--" included, with SEPARATOR between them. */
void complete_valued (struct strbuf *out, const char *separator);

/* Adds the options of VERB in the same form. */
void complete_options (struct strbuf *out, const struct verb *verb, const char *separator);

/* Adds the names of VERB's sub-verbs. */
void complete_verbs (struct strbuf *out, const struct verb *verb, const char *separator);

/* Adds the words that INFO offers by itself: its own list, and the controls where they are meant. */
void complete_words (struct strbuf *out, const struct option_info *info, const char *separator);

/* Adds TEXT inside single quotes, an apostrophe written as APOSTROPHE, with a backslash before each of
 * SPECIAL. */
void complete_quote (struct strbuf *out, const char *text, const char *special, const char *apostrophe);

/* Adds the path of VERB with blanks replaced: "profile_diff". */
void complete_function (struct strbuf *out, const struct verb *verb);
