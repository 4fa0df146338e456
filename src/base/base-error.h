/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One error type, owned by the caller.
 *
 * The first cause wins: error_set on an error that is already set does nothing, so a failing cleanup cannot
 * hide the original failure. Callers prepend context on the way up ("profile 'ci.json':14:9: limits.pids:
 * ..."). Functions that take an error return 0, or the negative errno that they stored. Only main prints. A
 * message is one line: control characters from outside are replaced.
 */
#pragma once

#include <stdbool.h>

struct error {
  int code;      /* negative errno; 0: no error */
  char *message; /* NULL when unset, or when memory ran out while reporting */
};

#define cleanup_error cleanup (error_clear)

/* A code outside the range of errno: the request itself is wrong, independent of the host and its files. */
#define ERROR_USAGE (-4096)

/* Stores the first cause and returns CODE, so that "return error_set (...)" reads well. */
int error_set (struct error *err, int code, const char *format, ...) __attribute__ ((format (printf, 3, 4)));

/* The same, with ": strerror" appended. */
int error_set_errno (struct error *err, int errnum, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* Puts "context: " in front of the message. Returns the stored code. */
int error_prefix (struct error *err, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

int error_oom (struct error *err);

bool error_is_set (const struct error *err);

/* Never NULL; "out of memory" when the message could not be allocated. */
const char *error_text (const struct error *err);

void error_clear (struct error *err);
