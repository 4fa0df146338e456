/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON Schema of the profile language, of the ceiling and of the operator's configuration, made from the
 * parser's own tables. */
#pragma once

#include "base-error.h"

/* The schema as text; WHAT is "profile", "ceiling" or "configuration". */
int schema_write (const char *what, char **ret_text, struct error *err);
