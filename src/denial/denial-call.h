/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A system call that the filter of a run refused, as a record: what was called, with the argument that
 * mattered, and which line of the list refuses it. */
#pragma once

#include <stdint.h>

#include "denial-record.h"
#include "plan-plan.h"

struct denied_call {
  int number;
  uint64_t arguments[SECCOMP_ARGUMENTS];
  const char *program; /* NULL: not known */
  uint32_t pid;
};

/* What the filter says to CALL: an errno, never 0, as whoever asks has been told that it is refused. */
int denied_call_answer (const struct filter *filter, const struct denied_call *call);

/* Counts it, or adds it. What memory is missing for is lost. */
void denied_call_record (const struct plan *plan, const struct denied_call *call, struct denials *denials);
