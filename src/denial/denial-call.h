/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records a system call that the filter denied: its name, the relevant argument, and the line of the list. */
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

/* The errno of the filter for CALL, which is known to be denied; so never 0. */
int denied_call_answer (const struct filter *filter, const struct denied_call *call);

/* Adds a record for CALL, or counts one that exists. Without memory the record is lost. */
void denied_call_record (const struct plan *plan, const struct denied_call *call, struct denials *denials);
