/* The targets that the command line can print: which document is made by whom, and for which backends.
 *
 * A name or a backend goes in, the row of the target comes out. Adding a target is adding a row; the
 * words of --target in the table of options have to name it as well.
 *
 * Must never: hand a backend a document that it does not read.
 */
#pragma once

#include "base-error.h"
#include "plan-plan.h"

struct target {
  const char *name;
  unsigned backends; /* bit per enum backend */
  int (*write) (const struct plan *plan, char **ret_text, struct error *err);
};

/* An unknown name is a usage error with a suggestion. */
int render_find (const char *name, const struct target **ret_target, struct error *err);

/* A document for a runtime is of no use to an engine, and the other way round. */
int render_check_backend (const struct target *target, enum backend backend, struct error *err);

/* The target that BACKEND is given. */
int render_of_backend (enum backend backend, const struct target **ret_target, struct error *err);
