/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "session-context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-file.h"
#include "base-limits.h"
#include "base-path.h"
#include "control-lattice.h"
#include "engine-socket.h"
#include "profile-source.h"
#include "session-paths.h"

void context_clear (struct context *context)
{
  host_facts_free (context->host);
  profile_store_clear (&context->store);
  ceiling_free (context->ceiling);
  profile_free (context->profile);
  request_clear (&context->request);
  *context = (struct context){ 0 };
}

static int read_host (struct context *context, const char *file, struct error *err)
{
  cleanup_free char *text = NULL;
  size_t len = 0;
  int r;

  if (file == NULL)
    return host_look (&context->host, err);
  context->described = true;
  r = file_read (AT_FDCWD, file, LIMIT_PROFILE_BYTES, &text, &len, err);
  if (r == 0)
    r = host_facts_read (file, text, len, &context->host, err);
  return r < 0 ? error_prefix (err, "--host-facts") : 0;
}

static int open_store (struct context *context, struct error *err)
{
  return profile_store_init (&context->store, paths_directory ("TYRUM_OCI_CONFDIR", TYRUM_OCI_SYSCONFDIR),
                             context->host->uid == 0 ? NULL : context->host->config_home,
                             paths_directory ("TYRUM_OCI_DATADIR", TYRUM_OCI_DATADIR),
                             context->request.workspace, err);
}

int context_open_store (struct context *context, struct error *err)
{
  int r = read_host (context, NULL, err);

  return r < 0 ? r : open_store (context, err);
}

/* Why DIRECTORY, without links, cannot be the workspace; NULL when it can. */
static const char *not_a_workspace (const char *directory)
{
  cleanup_free char *shipped = realpath (paths_directory ("TYRUM_OCI_DATADIR", TYRUM_OCI_DATADIR), NULL);
  const char *why;

  if (source_classify (directory, &why) == SOURCE_FORBIDDEN)
    return why;
  /* Files in the workspace are untrusted, so every profile would be. */
  if (shipped != NULL && path_is_within (shipped, directory))
    return "it holds the shipped profiles, which the command could rewrite";
  return NULL;
}

/* On a described host the path is taken literally; the host's facts say whether it exists. */
static int described_workspace (const char *given, struct request *request, struct error *err)
{
  if (given == NULL)
    return 0;
  if (!path_is_normal (given))
    return error_set (err, ERROR_USAGE,
                      "--workspace: with --host-facts '%s' has to be an absolute path without '.', '..' or "
                      "empty parts",
                      given);
  request->workspace = strdup (given);
  return request->workspace ? 0 : error_oom (err);
}

static int find_workspace (struct context *context, const char *given, bool lenient, struct error *err)
{
  cleanup_free char *directory = NULL;
  const char *why;

  if (context->described)
    return described_workspace (given, &context->request, err);
  directory = realpath (given ? given : ".", NULL);
  if (directory == NULL && errno == ENOMEM)
    return error_oom (err);
  if (directory == NULL)
    return error_set_errno (err, errno, "--workspace: cannot find '%s'", given ? given : ".");
  why = not_a_workspace (directory);
  if (why == NULL)
    context->request.workspace = take_ptr (directory);
  else if (given != NULL)
    return error_set (err, -EPERM, "--workspace: '%s' cannot be the workspace: %s", directory, why);
  else if (!lenient)
    return error_set (
        err, -EPERM,
        "the current directory '%s' cannot be the workspace: %s; choose another with --workspace DIR",
        directory, why);
  return 0;
}

/* Has no effect where the settings in force are already as tight. */
static int tighten (struct context *context, const struct session_limit *limit, struct error *err)
{
  cleanup_settings struct settings settings = { 0 };
  struct value *slot = &context->request.tighten.values[limit->setting];
  const struct value *now = &settings.values[limit->setting];
  cleanup_value struct value value = { 0 };
  int r = context_settings (context, &settings, err);

  if (r == 0)
    r = value_parse (limit->setting, limit->text, &value, err);
  if (r < 0 || (value_is_set (now) && now->number <= value.number))
    return r;
  if (limit->origin != NULL && (value.origin.file = strdup (limit->origin)) == NULL)
    return error_oom (err);
  value_clear (slot);
  *slot = value;
  value = (struct value){ 0 };
  return 0;
}

/* The part of the request that depends on the profile. */
static int complete (struct context *context, const struct session_request *asked, struct error *err)
{
  struct request *request = &context->request;
  int r = session_request_root (asked, context->profile, context->ceiling, request, err);

  if (r == 0)
    r = session_request_backend (asked, context->profile, context->ceiling, request, err);
  for (size_t i = 0; r == 0 && i < SESSION_LIMITS && asked->at_most[i].text != NULL; i++)
    r = tighten (context, &asked->at_most[i], err);
  if (r < 0 || asked->workspace_instead == NULL)
    return r;
  free (request->workspace);
  request->workspace = strdup (asked->workspace_instead);
  return request->workspace ? 0 : error_oom (err);
}

int context_open (struct context *context, const struct session_request *asked, struct error *err)
{
  int r =
      asked->argv == NULL || strlist_copy (asked->argv, &context->request.argv) == 0 ? 0 : error_oom (err);

  context->process = asked->process;
  context->engine_socket = asked->engine_socket;
  context->request.backend = backends[0];
  if (r == 0)
    r = session_request_read (asked, &context->request, err);
  if (r == 0)
    r = read_host (context, asked->host_facts, err);
  if (r == 0)
    r = find_workspace (context, asked->workspace, asked->workspace_optional, err);
  if (r == 0)
    r = open_store (context, err);
  if (r == 0)
    r = ceiling_load (&context->store, &context->ceiling, err);
  if (r == 0)
    r = profile_load (&context->store, session_request_profile (asked), &context->profile, err);
  return r < 0 ? r : complete (context, asked, err);
}

/* Checks the request against PROFILE under the ceiling, as plan_build does. */
static int check_request (const struct context *context, const struct profile *profile, struct error *err)
{
  cleanup_settings struct settings under = { 0 };

  if (settings_meet (&profile->settings, &context->ceiling->settings, &under) < 0)
    return error_oom (err);
  return request_check (&under, &context->request, err);
}

static bool grants_request (const struct context *context, const char *name)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_profile struct profile *profile = NULL;

  if (profile_load (&context->store, name, &profile, &ignored) < 0)
    return false;
  return profile->settings.values[SETTING_ISOLATION_TYPE].level != ISOLATION_DISABLED
         && check_request (context, profile, &ignored) == 0;
}

/* The first profile that grants the request: the shipped ones from strict to loose, then all others.
 * *RET_NAME is NULL when there is none. */
static int find_granting (const struct context *context, char **ret_name, struct error *err)
{
  static const char *const shipped[] = { "baseline", "hardened", "plugin", "unsafe" };
  cleanup_strlist struct strlist names = { 0 };
  int r = profile_names (&context->store, &names, err);

  for (size_t i = 0; r == 0 && i < ARRAY_LEN (shipped) + names.count; i++) {
    const char *name = i < ARRAY_LEN (shipped) ? shipped[i] : names.items[i - ARRAY_LEN (shipped)];

    if (!grants_request (context, name))
      continue;
    *ret_name = strdup (name);
    return *ret_name ? 0 : error_oom (err);
  }
  return r;
}

/* If ERR refuses the request, adds the name of a profile that grants it. Errors of this search are ignored:
 * they must not hide the refusal. */
static void suggest_profile (const struct context *context, struct error *err)
{
  cleanup_error struct error refusal = { 0 };
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *name = NULL;
  char *message;

  if (check_request (context, context->profile, &refusal) == 0 || !str_equal (refusal.message, err->message)
      || err->message == NULL || find_granting (context, &name, &ignored) < 0 || name == NULL)
    return;
  message = str_format ("%s; profile '%s' grants it", err->message, name);
  if (message == NULL)
    return;
  free (err->message);
  err->message = message;
}

/* Whose the engine is decides on ids and limits, unless root asks. Where none is found the launch says so. */
static void find_engine_owner (struct context *context)
{
  struct request *request = &context->request;
  const struct engine_place place =
      engine_place_from_environment (request->backend, context->engine_socket, context->host->uid);
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *socket = NULL;
  struct stat st;

  request->engine_found = engine_socket_find (&place, &socket, &ignored) == 0 && stat (socket, &st) == 0;
  if (request->engine_found)
    request->engine_owner = st.st_uid;
}

int context_plan (struct context *context, struct plan **ret_plan, struct error *err)
{
  cleanup_strlist struct strlist paths = { 0 };
  int r = plan_paths (context->profile, &context->request, &paths, err);

  for (size_t i = 0; r == 0 && i < paths.count && !context->described; i++)
    r = host_look_path (context->host, paths.items[i], err);
  if (r == 0 && !context->described && context->request.root == ROOT_FROM_HOST
      && context->host->root.count == 0)
    r = host_look_root (context->host, err);
  if (r == 0 && !context->described)
    r = paths_add_protected (context->process, &context->request, context->host, err);
  if (r < 0)
    return r;
  if (!context->described && context->host->uid != 0 && context->request.backend->own_privilege)
    find_engine_owner (context);
  r = plan_build (context->profile, &context->request, context->ceiling, context->host, ret_plan, err);
  if (r < 0)
    suggest_profile (context, err);
  return r;
}

static bool has_conflict (const struct settings *settings)
{
  for (size_t i = 0; i < SETTING_COUNT; i++)
    if (settings->values[i].state == VALUE_CONFLICT)
      return true;
  return false;
}

int context_settings (const struct context *context, struct settings *ret_settings, struct error *err)
{
  const struct settings *own = &context->profile->settings;
  cleanup_settings struct settings under = { 0 };
  struct settings tightened = { 0 };

  if (settings_meet (own, &context->ceiling->settings, &under) < 0
      || settings_meet (&under, &context->request.tighten, &tightened) < 0)
    return error_oom (err);
  if (has_conflict (&tightened)) {
    settings_clear (&tightened);
    if (settings_copy (own, &tightened) < 0)
      return error_oom (err);
  }
  *ret_settings = tightened;
  return 0;
}
