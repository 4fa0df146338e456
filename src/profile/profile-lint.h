/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds errors and likely mistakes in a profile beyond what the parser refuses.
 *
 * Findings are data: severity, position, key, message. Every plan refuses errors as well;
 * warnings are allowed. Pure.
 */
#pragma once

#include <stddef.h>

#include "base-cleanup.h"
#include "base-error.h"
#include "profile-profile.h"

enum lint_severity { LINT_WARNING, LINT_ERROR };

struct lint_finding {
  enum lint_severity severity;
  char *where; /* "ci.json:14" */
  char *what;  /* "limits.memory: ..." */
};

struct lint {
  struct lint_finding *items;
  size_t count;
};

/* PROFILE must be resolved. */
int profile_lint (const struct profile *profile, struct lint *ret_lint, struct error *err);

void lint_clear (struct lint *lint);
#define cleanup_lint cleanup (lint_clear)
