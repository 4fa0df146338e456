/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What executing a step and waiting for it share. */
#pragma once

#include "supervisor-internal.h"

/* The report of a child that fails. */
#define STEP_TEXT_BYTES 4096

/* The stage's mount and user namespace, as they are handed over. */
#define STAGE_NS_BYTES (2 * sizeof (int))

/* Waits until the child has ended, reading its reports from REPORT: *SAID is the last one,
 * empty where all went well. One that waits for a container which is dead is given up. */
int step_wait (struct run *run, enum runtime_step step, pid_t pid, int report, char *said, size_t size,
               int *ret_status, struct error *err);
