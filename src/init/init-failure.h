/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why init gives up, without a heap for the message.
 *
 * The rest of the project uses struct error, which allocates its message. Init allocates nothing: its texts
 * are constants, the only quoted part is an argument of its command line, and the reason is an errno. The
 * first cause is kept. Functions return 0, or a negative errno after setting the failure; only main prints
 * it.
 *
 * failure_set_silent is for an end that the supervisor asked for: nothing is printed, because standard error
 * belongs to the command.
 */
#pragma once

#include "base-exit-code.h"

struct failure {
  int code;           /* negative errno, 0 when nothing happened */
  const char *text;   /* what we tried; not owned */
  const char *quoted; /* on what, from the command line, or NULL; not owned */
  int errnum;         /* why: an errno from the kernel, or 0 */
};

/* Stores the first cause and returns CODE. QUOTED may be NULL. */
int failure_set (struct failure *failure, int code, const char *text, const char *quoted);

/* The same for a system call that failed with ERRNUM. Returns -ERRNUM. */
int failure_set_errno (struct failure *failure, int errnum, const char *text, const char *quoted);

/* The same, with nothing to print. */
int failure_set_silent (struct failure *failure, int code);

/* Writes one line to standard error; errors are ignored. */
void failure_print (const struct failure *failure);
