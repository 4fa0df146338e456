/* Any OCI runtime by its command line: create, start, delete, and the JSON log read back. */
#include <config.h>

#include "backend-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-file.h"
#include "base-json-read.h"
#include "base-limits.h"

static int add_all (struct strlist *argv, const char *const *list)
{
  for (; *list != NULL; list++)
    if (strlist_add (argv, *list) < 0)
      return -ENOMEM;
  return 0;
}

static int global_argv (const struct launch *launch, struct strlist *argv)
{
  cleanup_free char *log = str_format ("%s/log.json", launch->directory);

  if (log == NULL)
    return -ENOMEM;
  return add_all (argv, (const char *const[]){ launch->program, "--root", launch->state, "--log", log,
                                               "--log-format", "json", NULL });
}

static int create_argv (const struct launch *launch, struct strlist *argv)
{
  cleanup_free char *pid = str_format ("%s/pid", launch->directory);
  char passed[16];
  int r;

  if (pid == NULL)
    return -ENOMEM;
  snprintf (passed, sizeof (passed), "%u", launch->passed);
  r = add_all (argv, (const char *const[]){ "create", "--bundle", launch->bundle, "--pid-file", pid, NULL });
  if (r == 0 && launch->passed > 0)
    r = add_all (argv, (const char *const[]){ "--preserve-fds", passed, NULL });
  if (r == 0 && launch->console != NULL)
    r = add_all (argv, (const char *const[]){ "--console-socket", launch->console, NULL });
  return r < 0 ? r : add_all (argv, (const char *const[]){ launch->id, NULL });
}

static int step_argv (const struct launch *launch, enum backend_step step, struct strlist *argv)
{
  if (step == STEP_CREATE)
    return create_argv (launch, argv);
  if (step == STEP_START)
    return add_all (argv, (const char *const[]){ "start", launch->id, NULL });
  if (step == STEP_KILL) {
    char signal_number[16];

    snprintf (signal_number, sizeof (signal_number), "%d", launch->signal);
    return add_all (argv, (const char *const[]){ "kill", launch->id, signal_number, NULL });
  }
  return add_all (argv, (const char *const[]){ "delete", "--force", launch->id, NULL });
}

static int argv_with (const struct launch *launch, enum backend_step step, const char *const *extra,
                      struct strlist *ret_argv, struct error *err)
{
  cleanup_strlist struct strlist argv = { 0 };

  if (global_argv (launch, &argv) < 0 || add_all (&argv, extra) < 0 || step_argv (launch, step, &argv) < 0)
    return error_oom (err);
  *ret_argv = argv;
  argv = (struct strlist){ 0 };
  return 0;
}

static int plain_argv (const struct launch *launch, enum backend_step step, struct strlist *ret_argv,
                       struct error *err)
{
  return argv_with (launch, step, (const char *const[]){ NULL }, ret_argv, err);
}

static int crun_argv (const struct launch *launch, enum backend_step step, struct strlist *ret_argv,
                      struct error *err)
{
  const char *const without[] = { "--cgroup-manager", "disabled", NULL };

  return argv_with (launch, step, launch->cgroup ? without + 2 : without, ret_argv, err);
}

/* gVisor would set up interfaces of its own; a run without network has none but loopback. */
static int runsc_argv (const struct launch *launch, enum backend_step step, struct strlist *ret_argv,
                       struct error *err)
{
  const char *const without[] = { "--network", "none", "--ignore-cgroups", NULL };
  const char *const with[] = { "--network", "none", NULL };

  return argv_with (launch, step, launch->cgroup ? with : without, ret_argv, err);
}

/* The message of one line of the log, if it is an error; consumes nothing. */
static char *error_of_line (const char *line, size_t len)
{
  static const struct json_limits limits = { LIMIT_STRING_BYTES, 8, 64, .comments = false };
  cleanup_json struct json_node *tree = NULL;
  struct error ignored = { 0 };
  const struct json_node *level, *message;

  if (json_read ("log", line, len, &limits, &tree, &ignored) < 0) {
    error_clear (&ignored);
    return NULL;
  }
  level = json_get (tree, "level");
  message = json_get (tree, "msg");
  if (message == NULL || message->type != JSON_STRING)
    return NULL;
  if (level != NULL && level->type == JSON_STRING && strcmp (level->text, "error") != 0
      && strcmp (level->text, "fatal") != 0)
    return NULL;
  return strdup (message->text);
}

/* The last error counts: runtimes log the cause on the way and the verdict at the end. */
static char *log_failure (const struct launch *launch, enum backend_step step, int control)
{
  cleanup_free char *path = str_format ("%s/log.json", launch->directory);
  cleanup_free char *text = NULL;
  struct error ignored = { 0 };
  char *found = NULL;

  (void) step;
  (void) control;
  if (path == NULL || file_read (AT_FDCWD, path, LIMIT_PROFILE_BYTES, &text, NULL, &ignored) < 0) {
    error_clear (&ignored);
    return NULL;
  }
  for (const char *line = text; *line != '\0';) {
    size_t len = strcspn (line, "\n");
    char *message = error_of_line (line, len);

    if (message != NULL) {
      free (found);
      found = message;
    }
    line += len + (line[len] == '\n');
  }
  return found;
}

const struct backend_ops backend_crun = {
  .name = "oci:crun",
  .needs_v1_view = true,
  .listens = true,
  .argv = crun_argv,
  .failure = log_failure,
};
const struct backend_ops backend_runc = {
  .name = "oci:runc",
  .listens = true,
  .argv = plain_argv,
  .failure = log_failure,
};
const struct backend_ops backend_runsc = {
  .name = "oci:runsc",
  .transport = INIT_OVER_STDIO,
  .own_kernel = true,
  .argv = runsc_argv,
  .failure = log_failure,
};
const struct backend_ops backend_other = { .name = "oci:other", .argv = plain_argv, .failure = log_failure };
