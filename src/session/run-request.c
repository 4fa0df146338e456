#include <config.h>

#include "session-run-request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-path.h"
#include "control-lattice.h"
#include "session-paths.h"

/* Every run gets an id and a range of ids of its own. A document that is only printed has these, so that the
 * same input prints the same bytes. */
#define PRINTED_RUN_ID "spec"

typedef int reader (struct request *request, const char *text, struct error *err);

static int mark_usage (int result, struct error *err)
{
  if (result < 0 && err->code != -ENOMEM)
    err->code = CLI_USAGE;
  return result < 0 ? err->code : 0;
}

static int read_each (struct request *request, const struct arguments *arguments, struct error *err)
{
  static const struct {
    enum option option;
    reader *read;
  } rows[] = {
    { OPTION_ENV, request_add_env },         { OPTION_MOUNT, request_add_mount },
    { OPTION_SECRET, request_add_secret },   { OPTION_LIMIT, request_add_limit },
    { OPTION_TIMEOUT, request_set_timeout }, { OPTION_ACCEPT, request_accept },
  };

  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    const struct strlist *values = &arguments->values[rows[i].option];

    for (size_t k = 0; k < values->count; k++) {
      int r = rows[i].read (request, values->items[k], err);

      if (r < 0)
        return mark_usage (r, err);
    }
  }
  return 0;
}

static int copy_environment (struct request *request, struct error *err)
{
  for (char *const *e = environ; e != NULL && *e != NULL; e++)
    if (strchr (*e, '=') != NULL && strlist_add (&request->caller_env, *e) < 0)
      return error_oom (err);
  return 0;
}

int request_read (struct request *request, const struct arguments *arguments, struct error *err)
{
  const char *cwd = arguments_text (arguments, OPTION_CWD);
  int r;

  request->rawdog = arguments_have (arguments, OPTION_UNCONFINED);
  request->id_slot = 0;
  request->run_id = strdup (PRINTED_RUN_ID);
  if (cwd != NULL)
    request->cwd = strdup (cwd);
  if (request->run_id == NULL || (cwd != NULL && request->cwd == NULL))
    return error_oom (err);
  if (arguments_have (arguments, OPTION_ROOTFS) && arguments_have (arguments, OPTION_IMAGE))
    return error_set (err, CLI_USAGE, "--rootfs and --image both name a root; give one of them");
  r = read_each (request, arguments, err);
  return r < 0 ? r : copy_environment (request, err);
}

/* A setting that is only a default for the command line; the text is NULL where neither sets it, or where
 * both do and disagree, which the plan refuses. */
static int default_text (enum setting setting, const struct profile *profile, const struct ceiling *ceiling,
                         char **ret_text, struct error *err)
{
  cleanup_value struct value met = { 0 };

  if (value_meet (setting, &profile->settings.values[setting], &ceiling->settings.values[setting], &met) < 0)
    return error_oom (err);
  *ret_text = value_is_set (&met) ? take_ptr (met.text) : NULL;
  return 0;
}

static int root_from_directory (struct request *request, const char *directory, bool described,
                                struct error *err)
{
  if (described && !path_is_normal (directory))
    return error_set (
        err, CLI_USAGE,
        "--rootfs: with --host-facts '%s' has to be an absolute path without '.', '..' or empty "
        "parts",
        directory);
  request->root = ROOT_FROM_DIRECTORY;
  request->root_path = described ? strdup (directory) : realpath (directory, NULL);
  if (request->root_path != NULL)
    return 0;
  return described || errno == ENOMEM ? error_oom (err)
                                      : error_set_errno (err, errno, "--rootfs: cannot find '%s'", directory);
}

int request_choose_root (struct request *request, const struct arguments *arguments,
                         const struct profile *profile, const struct ceiling *ceiling, bool described,
                         struct error *err)
{
  const char *rootfs = arguments_text (arguments, OPTION_ROOTFS);
  const char *image = arguments_text (arguments, OPTION_IMAGE);
  cleanup_free char *fallback = NULL;
  int r;

  if (rootfs != NULL && strcmp (rootfs, "host") != 0)
    return root_from_directory (request, rootfs, described, err);
  if (rootfs != NULL)
    return 0;
  r = default_text (SETTING_ISOLATION_IMAGE, profile, ceiling, &fallback, err);
  if (r < 0)
    return r;
  if (image == NULL)
    image = fallback;
  if (image == NULL)
    return 0;
  request->root = ROOT_FROM_IMAGE;
  request->root_path = strdup (image);
  return request->root_path ? 0 : error_oom (err);
}

int request_choose_backend (struct request *request, const struct arguments *arguments,
                            const struct profile *profile, const struct ceiling *ceiling, bool described,
                            struct error *err)
{
  const char *backend = arguments_text (arguments, OPTION_BACKEND);
  const char *runtime = arguments_text (arguments, OPTION_RUNTIME);
  const char *target = arguments_text (arguments, OPTION_TARGET);
  const struct backend *asked;
  cleanup_free char *fallback = NULL;
  int r = 0;

  /* A document that is named like a backend is read by that one and no other. */
  if (backend == NULL && target != NULL && backend_named (target) != NULL)
    backend = target;
  asked = backend ? backend_named (backend) : NULL;
  if (runtime != NULL && backend != NULL
      && (str_has_prefix (backend, "oci:") || (asked && asked->fixed_runtime)))
    return error_set (err, CLI_USAGE, "--runtime: backend '%s' has its runtime already; use --backend oci",
                      backend);
  if (runtime == NULL && (backend == NULL || (asked && asked->names_runtimes)))
    r = default_text (SETTING_ISOLATION_RUNTIME, profile, ceiling, &fallback, err);
  if (r < 0)
    return r;
  /* Profiles name backends like runtimes; what is no backend is a runtime. */
  if (fallback != NULL && backend_named (fallback) == NULL)
    runtime = fallback;
  else if (fallback != NULL && backend == NULL)
    backend = fallback;
  if (backend == NULL && runtime == NULL && !described) {
    backend = paths_default_backend ();
    if (backend == NULL)
      return error_oom (err);
    request->stand_in = strcmp (backend, backends[0]->name) != 0;
  }
  if (backend == NULL)
    backend = runtime ? "oci" : backends[0]->name;
  r = backend_find (backend, runtime, &request->backend, err);
  if (r < 0) {
    error_prefix (err, "--backend");
    return mark_usage (r, err);
  }
  if (runtime == NULL && str_has_prefix (backend, "oci:"))
    runtime = backend + strlen ("oci:");
  if (runtime != NULL)
    request->runtime = strdup (runtime);
  if (runtime != NULL && request->backend->names_runtimes)
    request->below = backend_of_runtime (runtime);
  return runtime == NULL || request->runtime ? 0 : error_oom (err);
}
