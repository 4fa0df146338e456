/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What OCI runtimes share: the command line of create, start, kill and delete, and the JSON log read back. */
#include <config.h>

#include "backend-oci.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend-program.h"
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

static int global_argv (const struct runtime_call *call, struct strlist *argv)
{
  cleanup_free char *log = str_format ("%s/log.json", call->directory);

  if (log == NULL)
    return -ENOMEM;
  return add_all (argv, (const char *const[]){ call->program, "--root", call->state, "--log", log,
                                               "--log-format", "json", NULL });
}

static int create_argv (const struct runtime_call *call, struct strlist *argv)
{
  cleanup_free char *pid = str_format ("%s/pid", call->directory);
  char passed[16];
  int r;

  if (pid == NULL)
    return -ENOMEM;
  snprintf (passed, sizeof (passed), "%u", call->passed);
  r = add_all (argv, (const char *const[]){ "create", "--bundle", call->bundle, "--pid-file", pid, NULL });
  if (r == 0 && call->passed > 0)
    r = add_all (argv, (const char *const[]){ "--preserve-fds", passed, NULL });
  if (r == 0 && call->console != NULL)
    r = add_all (argv, (const char *const[]){ "--console-socket", call->console, NULL });
  return r < 0 ? r : add_all (argv, (const char *const[]){ call->id, NULL });
}

static int step_argv (const struct runtime_call *call, enum runtime_step step, struct strlist *argv)
{
  if (step == STEP_CREATE)
    return create_argv (call, argv);
  if (step == STEP_START)
    return add_all (argv, (const char *const[]){ "start", call->id, NULL });
  if (step == STEP_KILL) {
    char signal_number[16];

    snprintf (signal_number, sizeof (signal_number), "%d", call->signal);
    return add_all (argv, (const char *const[]){ "kill", call->id, signal_number, NULL });
  }
  return add_all (argv, (const char *const[]){ "delete", "--force", call->id, NULL });
}

int oci_argv_with (const struct runtime_call *call, enum runtime_step step, const char *const *extra,
                   struct strlist *ret_argv, struct error *err)
{
  cleanup_strlist struct strlist argv = { 0 };

  if (global_argv (call, &argv) < 0 || add_all (&argv, extra) < 0 || step_argv (call, step, &argv) < 0)
    return error_oom (err);
  *ret_argv = argv;
  argv = (struct strlist){ 0 };
  return 0;
}

int oci_argv (const struct runtime_call *call, enum runtime_step step, struct strlist *ret_argv,
              struct error *err)
{
  return oci_argv_with (call, step, (const char *const[]){ NULL }, ret_argv, err);
}

/* The message of one line of the log, if it is an error. */
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

/* Runtimes log the cause first and the result last, so the last error counts. */
char *oci_failure (const struct runtime_call *call, enum runtime_step step, int control)
{
  cleanup_free char *path = str_format ("%s/log.json", call->directory);
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

int oci_find (const char *runtime, const char *helper, char **ret_path, struct error *err)
{
  (void) helper;
  return backend_find_program (runtime ? runtime : "runc", ret_path, err);
}

int oci_ready (const struct backend *backend, const char *helper)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *program = NULL;

  int r = backend_find_program (backend->name + strlen ("oci:"), &program, &ignored);

  (void) helper;
  return r == -ENOMEM ? r : r == 0;
}

int oci_version (const struct backend_question *question, char **ret_text, struct error *err)
{
  const char *own = question->backend == &backend_other ? "runc" : question->backend->name + strlen ("oci:");
  cleanup_free char *program = NULL;
  cleanup_free char *version = NULL;
  int r = backend_find_program (question->runtime ? question->runtime : own, &program, err);

  if (r == 0)
    r = program_version (program, &version, err);
  if (r < 0)
    return r;
  *ret_text = str_format ("%s (%s)", version, program);
  return *ret_text ? 0 : error_oom (err);
}
