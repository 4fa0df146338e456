/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* runc, by its command line. */
#include <config.h>

#include "backend-oci.h"
#include "render-oci.h"

static const struct runtime_program program = {
  .find = oci_find,
  .argv = oci_argv,
  .failure = oci_failure,
};

const struct backend backend_runc = {
  OCI_RUNTIME,         .name = "oci:runc", .observed = true,
  .shows_group = true, .ready = oci_ready, .program = &program,
};
