/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Denials as others get them: an array of a document, and one line each for people and models. */
#pragma once

#include "base-json-write.h"
#include "denial-record.h"

/* Writes the array under KEY. */
void denials_write (struct json_writer *w, const char *key, const struct denials *denials);

/* Writes what is known of one into the object that is open. */
void denial_write_fields (struct json_writer *w, const struct denial *denial);

/* One line without its end. NULL when memory ran out. */
char *denial_text (const struct denial *denial);

/* "EPERM"; NULL for 0 and for what has no name here. */
const char *denial_errno_name (int errnum);
