/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Takes off whatever the caller left on this process, before libcrun sees it.
 *
 * A container inherits from the process that makes it: descriptors, environment, working directory, umask,
 * signal mask and ignored signals, session and terminal. What is to go in is said by the spec; the rest must
 * not. A descriptor of a host directory that is left open is a way out for whoever chooses the container's
 * working directory.
 *
 * Must never: keep an open descriptor beyond the named ones, or go on when one cannot be closed.
 */
#pragma once

#include "base-error.h"

/* Closes all descriptors from FIRST on. */
int helper_close_from (int first, struct error *err);

/* Closes those between the standard streams and END, which the container has now. Kept they would hide from
 * the supervisor that it is gone, which is all that ends a start that waits for it. */
void helper_let_go (int end);

/* Checks that all descriptors below COUNT are open: what libcrun opens would take the free number, and go
 * into the container as if it had been asked for. */
int helper_check_open (int count, struct error *err);

/* Everything but descriptors and the working directory: session, umask, signals, environment. */
int helper_clean_process (struct error *err);

/* Default dispositions and an empty mask: again for each process that calls libcrun. */
int helper_clean_signals (struct error *err);
