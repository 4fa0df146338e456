/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "session-request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-number.h"
#include "base-path.h"
#include "control-lattice.h"
#include "plan-request.h"
#include "profile-ceiling.h"
#include "profile-profile.h"
#include "session-paths.h"
#include "supervisor-run.h"

/* A run gets its own id and range of ids. A document that is only printed has fixed ones, so that equal input
 * gives equal bytes. */
#define PRINTED_RUN_ID "spec"

typedef int reader (struct request *request, const char *text, struct error *err);

static int mark_usage (int result, struct error *err)
{
  if (result < 0 && err->code != -ENOMEM)
    err->code = ERROR_USAGE;
  return result < 0 ? err->code : 0;
}

static int read_each (const struct session_request *asked, struct request *request, struct error *err)
{
  const struct {
    const struct strlist *texts;
    reader *read;
  } rows[] = {
    { asked->env, request_add_env },         { asked->mounts, request_add_mount },
    { asked->secrets, request_add_secret },  { asked->limits, request_add_limit },
    { asked->timeout, request_set_timeout }, { asked->accepted, request_accept },
  };

  for (size_t i = 0; i < ARRAY_LEN (rows); i++)
    for (size_t k = 0; rows[i].texts != NULL && k < rows[i].texts->count; k++) {
      int r = rows[i].read (request, rows[i].texts->items[k], err);

      if (r < 0)
        return mark_usage (r, err);
    }
  return 0;
}

const char *session_request_profile (const struct session_request *asked)
{
  return asked->profile ? asked->profile : "baseline";
}

int session_request_grace (const struct session_request *asked, uint64_t *ret_ms, struct error *err)
{
  uint64_t ms = RUN_GRACE_MS;

  if (asked->grace != NULL && (!number_parse_duration (asked->grace, &ms) || ms == 0 || ms > LIMIT_GRACE_MS))
    return error_set (err, ERROR_USAGE, "--grace: '%s' is not a duration from 1ms to %us", asked->grace,
                      LIMIT_GRACE_MS / 1000);
  *ret_ms = ms;
  return 0;
}

int session_request_read (const struct session_request *asked, struct request *request, struct error *err)
{
  uint64_t grace;
  int r;

  request->unconfined = asked->unconfined;
  request->terminal = asked->terminal;
  request->id_slot = 0;
  request->run_id = strdup (PRINTED_RUN_ID);
  if (asked->cwd != NULL)
    request->cwd = strdup (asked->cwd);
  if (request->run_id == NULL || (asked->cwd != NULL && request->cwd == NULL))
    return error_oom (err);
  if (asked->rootfs != NULL && asked->image != NULL)
    return error_set (err, ERROR_USAGE, "--rootfs and --image both name a root; give one of them");
  for (char *const *e = asked->caller_env; e != NULL && *e != NULL; e++)
    if (strchr (*e, '=') != NULL && strlist_add (&request->caller_env, *e) < 0)
      return error_oom (err);
  r = session_request_grace (asked, &grace, err);
  return r < 0 ? r : read_each (asked, request, err);
}

/* A setting that is only a default for the command line. *RET_TEXT is NULL if neither sets it, or if both set
 * it differently, which plan_build refuses. */
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
        err, ERROR_USAGE,
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

int session_request_root (const struct session_request *asked, const struct profile *profile,
                          const struct ceiling *ceiling, struct request *request, struct error *err)
{
  const char *rootfs = asked->rootfs, *image = asked->image;
  cleanup_free char *fallback = NULL;
  int r;

  if (rootfs != NULL && strcmp (rootfs, "host") != 0)
    return root_from_directory (request, rootfs, asked->host_facts != NULL, err);
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

int session_request_backend (const struct session_request *asked, const struct profile *profile,
                             const struct ceiling *ceiling, struct request *request, struct error *err)
{
  const char *backend = asked->backend, *runtime = asked->runtime;
  const struct backend *known = backend ? backend_named (backend) : NULL;
  cleanup_free char *fallback = NULL;
  int r = 0;

  if (runtime != NULL && backend != NULL
      && (str_has_prefix (backend, "oci:") || (known && known->fixed_runtime)))
    return error_set (err, ERROR_USAGE, "--runtime: backend '%s' has its runtime already; use --backend oci",
                      backend);
  if (runtime == NULL && (backend == NULL || (known && known->names_runtimes)))
    r = default_text (SETTING_ISOLATION_RUNTIME, profile, ceiling, &fallback, err);
  if (r < 0)
    return r;
  /* Profiles name a backend or a runtime; a name that is no backend is a runtime. */
  if (fallback != NULL && backend_named (fallback) == NULL)
    runtime = fallback;
  else if (fallback != NULL && backend == NULL)
    backend = fallback;
  if (backend == NULL && runtime == NULL && asked->host_facts == NULL) {
    known = paths_default_backend (asked->process);
    if (known == NULL)
      return error_oom (err);
    backend = known->name;
    request->stand_in = known != backends[0];
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
