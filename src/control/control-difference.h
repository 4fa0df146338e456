/* What a run does or tells otherwise on some backend, and is no control: nothing is promised about it, but
 * who changes backends has to know. `matrix` prints it, and the conformance suite takes from there what it
 * may expect otherwise; whatever is not declared is the same everywhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct difference {
  const char *name;  /* "exit.signal" */
  unsigned backends; /* bit per enum backend */
  const char *reason;
};

/* Row by row; false past the last. */
bool difference_at (size_t index, struct difference *ret_difference);
