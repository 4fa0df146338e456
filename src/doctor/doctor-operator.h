/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operator's checklist: five points, each tried under the requested profile and backend. */
#pragma once

#include "base-error.h"
#include "options-options.h"
#include "options-output.h"

/* Writes the report to OUTPUT; its status is 1 if a point does not hold or is open. */
int operator_check (const struct arguments *arguments, struct output *output, struct error *err);
