/* libcrun, through our own helper: it creates and starts in one go and says over its socket what went wrong.
 * What is left afterwards is the supervisor's to remove, so nothing needs to be executed for it. */
#include <config.h>

#include "backend-internal.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "wire-libcrun-helper.h"

static int daemon_argv (const struct launch *launch, enum backend_step step, struct strlist *ret_argv,
                        struct error *err)
{
  cleanup_strlist struct strlist argv = { 0 };
  const char *const fixed[] = { launch->program, "--bundle", launch->bundle, "--state",
                                launch->state,   "--id",     launch->id };
  char passed[16];
  bool failed = false;

  if (step != STEP_CREATE)
    return 0;
  for (size_t i = 0; i < ARRAY_LEN (fixed) && !failed; i++)
    failed = strlist_add (&argv, fixed[i]) < 0;
  snprintf (passed, sizeof (passed), "%u", launch->passed);
  failed = failed || strlist_add (&argv, "--preserve-fds") < 0 || strlist_add (&argv, passed) < 0;
  if (!launch->cgroup)
    failed = failed || strlist_add (&argv, "--no-cgroup") < 0;
  if (launch->console != NULL)
    failed =
        failed || strlist_add (&argv, "--console-socket") < 0 || strlist_add (&argv, launch->console) < 0;
  if (failed)
    return error_oom (err);
  *ret_argv = argv;
  argv = (struct strlist){ 0 };
  return 0;
}

/* The first message that tells of a failure. */
static char *daemon_failure (const struct launch *launch, enum backend_step step, int control)
{
  struct helper_message message;
  ssize_t n;

  (void) launch;
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

const struct backend_ops backend_libcrun = {
  .name = "libcrun",
  .needs_v1_view = true,
  .listens = true,
  .prepared = true,
  .has_control = true,
  .argv = daemon_argv,
  .failure = daemon_failure,
};
