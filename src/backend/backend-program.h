/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs of backends: where they are, and which version they say they are.
 *
 * What a runtime prints is outside input: the first line counts, as far as it is short and plain.
 */
#pragma once

#include "base-error.h"
#include "control-backend.h"

/* What struct backend's version is asked with. */
struct backend_question {
  const struct backend *backend;
  const char *runtime; /* what --runtime says; NULL: the backend's own */
  const char *socket;  /* what --engine-socket says; NULL: where the engine usually is */
};

/* Finds the runtime NAME: an absolute path, or a name in the usual directories for programs. */
int backend_find_program (const char *name, char **ret_path, struct error *err);

/* The first line of what PROGRAM, an absolute path, says to --version. */
int program_version (const char *program, char **ret_version, struct error *err);
