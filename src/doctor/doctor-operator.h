/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operator's checklist: five points, each tried for real under the profile and backend that are asked. */
#pragma once

#include "base-error.h"
#include "options-options.h"
#include "options-output.h"

/* Fills OUTPUT with the report; its status is 1 where a point does not hold or is open. */
int operator_check (const struct arguments *arguments, struct output *output, struct error *err);
