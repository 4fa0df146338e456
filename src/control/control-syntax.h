/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether an entry of a list, or the text of a setting, is well formed.
 *
 * Only the syntax: whether a path exists or a control is available is decided elsewhere. A refusal
 * names what was expected.
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "control-setting.h"

int syntax_check (enum value_syntax syntax, const char *text, struct error *err);

/* NAME, as a shell would assign it. */
bool syntax_is_variable (const char *text);

/* The number of CAP_NAME, or -1. */
int syntax_capability (const char *text);
const char *syntax_capability_name (int number);
