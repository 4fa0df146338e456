/* How each backend carries each control: enforced, weaker, impossible, and why.
 *
 * Declared here from what is known of the backends, and by which basis. `matrix` prints it,
 * a launch refuses by it, and the conformance suite holds it against what really happens.
 * The answer may depend on the value: no network is easy, an allow-list is not.
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "control-catalogue.h"

enum backend {
  BACKEND_LIBCRUN,
  BACKEND_OCI_CRUN,
  BACKEND_OCI_RUNC,
  BACKEND_OCI_RUNSC,
  BACKEND_DOCKER,
  BACKEND_PODMAN,
  BACKEND_OCI_OTHER, /* an OCI runtime that we know nothing about */
  BACKEND_COUNT
};

/* The ones that the matrix shows; an unknown runtime is not a column. */
#define BACKEND_KNOWN BACKEND_OCI_OTHER

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

/* The best that BACKEND can do for CONTROL: the matrix's cell. */
struct enforcement enforcement_of (enum control control, enum backend backend);

/* What BACKEND can do for the value that SETTINGS promise. */
struct enforcement enforcement_for (enum control control, enum backend backend,
                                    const struct settings *settings);

/* The same where BACKEND is an engine that has RUNTIME carry it out (NULL: its own choice): a runtime with a
 * kernel of its own takes away what the engine could do. */
struct enforcement enforcement_through (enum control control, enum backend backend, const char *runtime,
                                        const struct settings *settings);

/* Whether BACKEND is an engine: a service that starts containers for whoever may call its socket. */
bool backend_is_engine (enum backend backend);

/* Whether an engine's RUNTIME (NULL: its own choice) runs containers on a kernel of their own. */
bool runtime_has_own_kernel (const char *runtime);

/* Values of a control that some backend carries differently, row by row; false past the last. */
struct enforcement_note {
  enum control control;
  const char *value; /* "allow" */
  unsigned backends; /* bit per enum backend */
  struct enforcement enforcement;
};
bool enforcement_note_at (size_t index, struct enforcement_note *ret_note);

const char *backend_name (enum backend backend); /* "oci:runc" */
const char *enforcement_text (enum enforcement_level level);
const char *basis_text (enum basis basis);

/* Finds the backend for --backend NAME and --runtime RUNTIME (may be NULL). */
int backend_find (const char *name, const char *runtime, enum backend *ret_backend, struct error *err);
