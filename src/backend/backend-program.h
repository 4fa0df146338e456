/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs of backends: where they are, and which version they report.
 *
 * What a runtime prints is outside input: only a short first line of plain ASCII is accepted.
 */
#pragma once

#include "base-error.h"
#include "control-backend.h"

/* What struct backend's version function needs. */
struct backend_question {
  const struct backend *backend;
  const char *runtime; /* the value of --runtime; NULL: the backend's own */
  const char *socket;  /* the value of --engine-socket; NULL: the usual places */
};

/* Finds the runtime NAME: an absolute path, or a name in the usual directories for programs. */
int backend_find_program (const char *name, char **ret_path, struct error *err);

/* Runs PROGRAM, an absolute path, with --version and gives the first line of its output. */
int program_version (const char *program, char **ret_version, struct error *err);
