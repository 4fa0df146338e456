/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* crun, by its command line. */
#include <config.h>

#include "backend-oci.h"
#include "render-oci.h"

static int crun_argv (const struct runtime_call *call, enum runtime_step step, struct strlist *ret_argv,
                      struct error *err)
{
  const char *const without[] = { "--cgroup-manager", "disabled", NULL };

  return oci_argv_with (call, step, call->cgroup ? without + 2 : without, ret_argv, err);
}

static const struct enforcement_row rows[] = {
  { CONTROL_FDS_CLOSED, -1, ENFORCEMENT_ENFORCED, true,
    "closed by us before crun starts, as crun 1.8.1 passes on descriptors that its caller left open" },
  { .reason = NULL },
};

static const struct runtime_program program = {
  .needs_v1_view = true,
  .find = oci_find,
  .argv = crun_argv,
  .failure = oci_failure,
};

const struct backend backend_crun = {
  OCI_RUNTIME,         .name = "oci:crun", .rows = rows,        .observed = true,
  .shows_group = true, .ready = oci_ready, .program = &program,
};
