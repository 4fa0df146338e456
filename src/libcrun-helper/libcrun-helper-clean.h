/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Resets what this process inherited from its caller, before libcrun is called.
 *
 * A container inherits from the process that makes it: descriptors, environment, working directory, umask,
 * signal mask and ignored signals, session and terminal. Only what the spec lists may go in. An open
 * descriptor of a host directory is a way out of the container if the attacker chooses its working directory.
 *
 * Must never: keep a descriptor open that is not listed, or continue if one cannot be closed.
 */
#pragma once

#include "base-error.h"

/* Closes all descriptors from FIRST on. */
int helper_close_from (int first, struct error *err);

/* Closes the container's descriptors: those between the standard streams and END. If they stayed open here,
 * the supervisor would not see that the container has ended, and would wait for its start for ever. */
void helper_let_go (int end);

/* Checks that all descriptors below COUNT are open: otherwise a descriptor that libcrun opens would take the
 * free number and go into the container. */
int helper_check_open (int count, struct error *err);

/* Resets everything but descriptors and the working directory: session, umask, signals, environment. */
int helper_clean_process (struct error *err);

/* Sets default dispositions and an empty mask; needed again in each process that calls libcrun. */
int helper_clean_signals (struct error *err);
