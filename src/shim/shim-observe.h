/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The proof at the last moment: init stands before the container's command, and start asks it.
 *
 * start listens where init will call, has the low-level runtime start the container, makes sure by the
 * kernel's word that the caller is the container's first process, asks it what the judge wants to know, looks
 * from outside, and says go or stop. On stop the command never runs: the container is ended, and start fails
 * with the reason.
 */
#pragma once

#include <sys/types.h>

#include "shim-verbs.h"

/* PID is the container's first process, which waits to be started, and PIDFD that process. Returns the
 * low-level runtime's exit status. */
int observe_start (struct call *call, pid_t pid, int pidfd, struct error *err);
