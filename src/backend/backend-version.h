/* Which runtime, and which version of it: asked of the program itself.
 *
 * What a runtime prints is outside input: the first line counts, as far as it is short and plain.
 */
#pragma once

#include "base-error.h"
#include "control-enforcement.h"

/* The first line of what PROGRAM, an absolute path, says to --version. */
int program_version (const char *program, char **ret_version, struct error *err);

struct backend_question {
  enum backend backend;
  const char *runtime; /* what --runtime says; NULL: the backend's own */
  const char *socket;  /* what --engine-socket says; NULL: where the engine usually is */
};

/* "runc version 1.1.5 (/usr/sbin/runc)", "Podman 4.3.1 (/run/podman/podman.sock)". */
int backend_version (const struct backend_question *question, char **ret_text, struct error *err);
