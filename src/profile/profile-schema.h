/* JSON Schema of the profile language and of the ceiling, made from the parser's own tables. */
#pragma once

#include "base-error.h"

/* The schema as text; WHAT is "profile" or "ceiling". */
int schema_write (const char *what, char **ret_text, struct error *err);
