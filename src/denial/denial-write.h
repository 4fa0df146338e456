/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Denials as JSON, and as one line each for people and models. */
#pragma once

#include "base-json-write.h"
#include "denial-record.h"

/* Writes the array under KEY. */
void denials_write (struct json_writer *w, const char *key, const struct denials *denials);

/* Writes the fields of DENIAL into the open object. */
void denial_write_fields (struct json_writer *w, const struct denial *denial);

/* One line without a newline. NULL: out of memory. */
char *denial_text (const struct denial *denial);

/* "EPERM"; NULL for 0 and for an unknown number. */
const char *denial_errno_name (int errnum);
