/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libcrun, through our own helper, which creates and starts in one step and reports over its socket. The
 * supervisor removes the container itself, so there is no program to run for kill and delete. */
#include <config.h>

#include "backend-oci.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "render-oci.h"
#include "wire-libcrun-helper.h"

static int helper_argv (const struct runtime_call *call, enum runtime_step step, struct strlist *ret_argv,
                        struct error *err)
{
  cleanup_strlist struct strlist argv = { 0 };
  const char *const fixed[] = { call->program, "--bundle", call->bundle, "--state",
                                call->state,   "--id",     call->id };
  char passed[16];
  bool failed = false;

  if (step != STEP_CREATE)
    return 0;
  for (size_t i = 0; i < ARRAY_LEN (fixed) && !failed; i++)
    failed = strlist_add (&argv, fixed[i]) < 0;
  snprintf (passed, sizeof (passed), "%u", call->passed);
  failed = failed || strlist_add (&argv, "--preserve-fds") < 0 || strlist_add (&argv, passed) < 0;
  if (!call->cgroup)
    failed = failed || strlist_add (&argv, "--no-cgroup") < 0;
  if (call->console != NULL)
    failed = failed || strlist_add (&argv, "--console-socket") < 0 || strlist_add (&argv, call->console) < 0;
  if (failed)
    return error_oom (err);
  *ret_argv = argv;
  argv = (struct strlist){ 0 };
  return 0;
}

/* The first message that reports a failure. */
static char *helper_failure (const struct runtime_call *call, enum runtime_step step, int control)
{
  struct helper_message message;
  ssize_t n;

  (void) call;
  (void) step;
  while ((n = recv (control, &message, sizeof (message), MSG_DONTWAIT)) > 0) {
    if ((size_t) n < offsetof (struct helper_message, text) || message.magic != HELPER_MAGIC
        || message.version != HELPER_VERSION || message.type != HELPER_FAILED
        || message.length > (size_t) n - offsetof (struct helper_message, text))
      continue;
    return strndup (message.text, message.length);
  }
  return NULL;
}

static int find_helper (const char *runtime, const char *helper, char **ret_path, struct error *err)
{
  (void) runtime;
  if (access (helper, F_OK) < 0 && errno == ENOENT)
    return error_set (err, -ENOENT,
                      "the backend libcrun is not in this build ('%s' is not there): run "
                      "contrib/libcrun-headers, configure and make again, or install crun or runc and use "
                      "--backend oci:crun or oci:runc",
                      helper);
  *ret_path = strdup (helper);
  return *ret_path ? 0 : error_oom (err);
}

/* The helper is built only if libcrun and its headers are there. One that exists and cannot be executed is an
 * error. */
static int libcrun_ready (const struct backend *backend, const char *helper)
{
  (void) backend;
  return helper == NULL || access (helper, X_OK) == 0 || errno != ENOENT;
}

/* The version of the library that the helper was built with. */
static int libcrun_version (const struct backend_question *question, char **ret_text, struct error *err)
{
  (void) question;
#ifdef LIBCRUN_VERSION
  *ret_text = strdup ("libcrun " LIBCRUN_VERSION);
  return *ret_text ? 0 : error_oom (err);
#else
  (void) ret_text;
  return error_set (err, -EOPNOTSUPP, "this program was built without libcrun");
#endif
}

static const struct enforcement_row rows[] = {
  { CONTROL_FDS_CLOSED, -1, ENFORCEMENT_ENFORCED, true,
    "closed by us before crun starts, as crun 1.8.1 passes on descriptors that its caller left open" },
  { .reason = NULL },
};

static const struct runtime_program program = {
  .needs_v1_view = true,
  .is_helper = true,
  .creates_only = true,
  .leaves_v1_groups = true,
  .takes_compiled_filter = true,
  .has_control = true,
  .find = find_helper,
  .argv = helper_argv,
  .failure = helper_failure,
};

const struct backend backend_libcrun = {
  .name = "libcrun",
  .isolation = ISOLATION_CONTAINER,
  .rows = rows,
  .observed = true,
  .fixed_runtime = true,
  .shows_group = true,
  .prewarms = true,
  .document = "oci",
  .render = render_oci,
  .version = libcrun_version,
  .ready = libcrun_ready,
  .missing = "not in this build",
  .driver = &run_by_programs,
  .program = &program,
};
