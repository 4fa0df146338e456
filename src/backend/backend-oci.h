/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What OCI runtimes share (oci.c): functions for struct runtime_program and struct backend. */
#pragma once

#include "supervisor-driver.h"

/* Everything that is the same for all runtimes: all but name, rows and program. */
#define OCI_RUNTIME                                                                                          \
  .isolation = ISOLATION_CONTAINER, .document = "oci", .render = render_oci, .version = oci_version,         \
  .driver = &run_by_programs

/* The argv of create, start, kill and delete, as the command line of the runtime specification has them. */
int oci_argv (const struct runtime_call *call, enum runtime_step step, struct strlist *ret_argv,
              struct error *err);

/* The same with EXTRA, which ends with NULL, before the verb. */
int oci_argv_with (const struct runtime_call *call, enum runtime_step step, const char *const *extra,
                   struct strlist *ret_argv, struct error *err);

/* The last error in the JSON log. */
char *oci_failure (const struct runtime_call *call, enum runtime_step step, int control);

int oci_find (const char *runtime, const char *helper, char **ret_path, struct error *err);
int oci_ready (const struct backend *backend, const char *helper);
int oci_version (const struct backend_question *question, char **ret_text, struct error *err);
