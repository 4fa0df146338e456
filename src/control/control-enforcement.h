/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How each backend enforces each control: enforced, weaker or impossible, with the reason.
 *
 * Each declaration has its basis. What holds for most backends is declared here, the rest in the files of the
 * backends. `matrix` prints it, a launch refuses by it, and the conformance suite compares it with
 * observations. The answer may depend on the value: an empty network is easy, an allow-list is not.
 */
#pragma once

#include <stdbool.h>

#include "control-catalogue.h"

struct backend;

enum enforcement_level { ENFORCEMENT_ENFORCED, ENFORCEMENT_WEAKER, ENFORCEMENT_IMPOSSIBLE };

/* The evidence for a declaration. */
enum basis {
  BASIS_MEASURED, /* observed on a real backend */
  BASIS_SPEC,     /* by the runtime specification or the engine's interface; not yet observed */
};

struct enforcement {
  enum enforcement_level level;
  enum basis basis;
  const char *reason;
};

/* A row of a backend's table, or of the common one. */
struct enforcement_row {
  enum control control;
  int value_level; /* applies only to this value of the first setting, before other rows; -1: any */
  enum enforcement_level level;
  bool measured; /* observed on running containers (matrix --observe; AppArmor in the virtual machine of the
                    tests) of the backends marked as observed */
  const char *reason;
};

/* A difference between backends that is not a control: nothing is promised about it, but it
 * affects users who change backends. `matrix` prints it, and the conformance suite accepts exactly
 * the declared differences. */
struct backend_difference {
  const char *name; /* "exit.signal" */
  const char *reason;
};

/* The best that BACKEND can do for CONTROL: a cell of the matrix. */
struct enforcement enforcement_of (enum control control, const struct backend *backend);

/* What BACKEND can do for the value in SETTINGS. */
struct enforcement enforcement_for (enum control control, const struct backend *backend,
                                    const struct settings *settings);

/* The same where BACKEND delegates to the runtime BELOW (NULL: unknown): a runtime with its own kernel may
 * weaken what the backend enforces. */
struct enforcement enforcement_through (enum control control, const struct backend *backend,
                                        const struct backend *below, const struct settings *settings);

/* What BACKEND declares specifically for the value LEVEL; false: nothing. */
bool enforcement_of_value (enum control control, const struct backend *backend, unsigned level,
                           struct enforcement *ret_enforcement);

bool enforcement_equal (const struct enforcement *a, const struct enforcement *b);
const char *enforcement_text (enum enforcement_level level);
const char *basis_text (enum basis basis);
