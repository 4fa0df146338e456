/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How each backend carries each control: enforced, weaker, impossible, and why.
 *
 * Declared from what is known of the backends, and by which basis: what holds for most of them here, the rest
 * in the backends' own files. `matrix` prints it, a launch refuses by it, and the conformance suite holds it
 * against what really happens. The answer may depend on the value: no network is easy, an allow-list is not.
 */
#pragma once

#include <stdbool.h>

#include "control-catalogue.h"

struct backend;

enum enforcement_level { ENFORCEMENT_ENFORCED, ENFORCEMENT_WEAKER, ENFORCEMENT_IMPOSSIBLE };

/* Where the declaration comes from. */
enum basis {
  BASIS_MEASURED, /* seen on a real backend */
  BASIS_SPEC,     /* the runtime specification or the engine's interface says so; not yet observed by us */
};

struct enforcement {
  enum enforcement_level level;
  enum basis basis;
  const char *reason;
};

/* A row of a backend's table, or of the common one. */
struct enforcement_row {
  enum control control;
  int value_level; /* of the control's first setting, and then this row comes before others; -1: any */
  enum enforcement_level level;
  bool measured; /* it was seen on running containers (matrix --observe; AppArmor in the virtual machine of
                    the tests) of the backends that were observed */
  const char *reason;
};

/* What a run does or tells otherwise on some backend, and is no control: nothing is promised about it, but a
 * user who changes backends has to know. `matrix` prints it, and the conformance suite takes from there what
 * it may expect otherwise; what is not declared is the same everywhere. */
struct backend_difference {
  const char *name; /* "exit.signal" */
  const char *reason;
};

/* The best that BACKEND can do for CONTROL: the matrix's cell. */
struct enforcement enforcement_of (enum control control, const struct backend *backend);

/* What BACKEND can do for the value that SETTINGS promise. */
struct enforcement enforcement_for (enum control control, const struct backend *backend,
                                    const struct settings *settings);

/* The same where BACKEND has the runtime BELOW carry it out (NULL: it was not told which): a runtime with a
 * kernel of its own takes away what the backend could do. */
struct enforcement enforcement_through (enum control control, const struct backend *backend,
                                        const struct backend *below, const struct settings *settings);

/* What BACKEND declares for the value of that level alone; false: nothing. */
bool enforcement_of_value (enum control control, const struct backend *backend, unsigned level,
                           struct enforcement *ret_enforcement);

const char *enforcement_text (enum enforcement_level level);
const char *basis_text (enum basis basis);
