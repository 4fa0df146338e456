/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why init gives up, without a heap to keep the words on.
 *
 * The rest of the project uses struct error, which allocates its message. Init allocates nothing: its texts
 * are constants, the only thing quoted is a word of its own command line, and the number is an errno. The
 * first cause is kept. Functions return 0, or a negative errno after setting the failure; only main prints
 * it.
 *
 * A failure that was set without a text (failure_set_silent) is for an end that the supervisor asked for: it
 * knows, and standard error belongs to the payload.
 */
#pragma once

/* What init itself exits with when the payload was not run. */
#define EXIT_NOT_RUN 125

struct failure {
  int code;           /* negative errno, 0 when nothing happened */
  const char *text;   /* what we tried; not owned */
  const char *quoted; /* on what, from the command line, or NULL; not owned */
  int errnum;         /* why, when the kernel said so, or 0 */
};

/* Stores the first cause and returns CODE, so that "return failure_set (...)" reads well. QUOTED may be NULL.
 */
int failure_set (struct failure *failure, int code, const char *text, const char *quoted);

/* The same for what the kernel refused with ERRNUM. Returns -ERRNUM. */
int failure_set_errno (struct failure *failure, int errnum, const char *text, const char *quoted);

/* The same without anything to print. */
int failure_set_silent (struct failure *failure, int code);

/* One line on standard error, as far as it can be written. */
void failure_print (const struct failure *failure);
