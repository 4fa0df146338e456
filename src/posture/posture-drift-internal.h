/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files that compare share. */
#pragma once

#include "posture-drift.h"

/* Adds a finding about PROCESS, or about the run as a whole for NULL. Takes both texts; a NULL means that
 * memory ran out. */
void drift_say (struct drift *drift, enum control control, const struct outside *process, char *was,
                char *is);

/* drift-process.c: whether PROCESS has more than the run's first process had. */
void drift_of_process (struct drift *drift, const struct outside *then, const struct outside *process);
