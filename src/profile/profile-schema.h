/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON Schema of the profile language, the ceiling and the operator's configuration, generated from
 * the tables of the parsers. */
#pragma once

#include "base-error.h"

/* The schema as text; WHAT is "profile", "ceiling" or "configuration". */
int schema_write (const char *what, char **ret_text, struct error *err);
