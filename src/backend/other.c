/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An OCI runtime that has no file of its own. It has no name to be found by, and no rows. */
#include <config.h>

#include "backend-oci.h"
#include "render-oci.h"

static const struct enforcement_row rows[] = {
  { CONTROL_SECCOMP, -1, ENFORCEMENT_ENFORCED, false, "linux.seccomp" },
  { .reason = NULL },
};

static const struct runtime_program program = {
  .find = oci_find,
  .argv = oci_argv,
  .failure = oci_failure,
};

const struct backend backend_other = {
  OCI_RUNTIME,
  .name = "oci:other",
  .rows = rows,
  .program = &program,
};
