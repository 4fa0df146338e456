/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by drift*.c. */
#pragma once

#include "posture-drift.h"

/* Adds a finding about PROCESS, or about the whole run for NULL. Takes both texts; if one is NULL, memory ran
 * out. */
void drift_say (struct drift *drift, enum control control, const struct outside *process, char *was,
                char *is);

/* drift-process.c: adds a finding for each privilege of PROCESS that init did not have. */
void drift_of_process (struct drift *drift, const struct outside *then, const struct outside *process);
