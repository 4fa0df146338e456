/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds a plan from profile, request, ceiling and host facts. The order of the topics is in plan_build. */
#include <config.h>

#include "plan-draft-internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "control-lattice.h"

const struct value *draft_value (const struct draft *draft, enum setting setting)
{
  return &draft->plan->settings.values[setting];
}

int draft_note (struct draft *draft, const char *format, ...)
{
  char *text = NULL;
  va_list ap;

  va_start (ap, format);
  if (vasprintf (&text, format, ap) < 0)
    text = NULL;
  va_end (ap);
  return strlist_add_take (&draft->plan->notes, text) < 0 ? error_oom (draft->err) : 0;
}

/* A profile without a sandbox needs the ceiling, then the flag; with both there is still nothing to plan. */
static int refuse_disabled (struct draft *draft)
{
  if (draft->profile->settings.values[SETTING_ISOLATION_TYPE].level != ISOLATION_DISABLED)
    return 0;
  if (!draft->ceiling->allow_unconfined)
    return error_set (
        draft->err, -EPERM,
        "profile '%s' has no sandbox, and the operator's ceiling does not allow that on this host",
        draft->profile->name);
  if (!draft->request->unconfined)
    return error_set (draft->err, -EPERM,
                      "profile '%s' has no sandbox; say --rawdog-no-sandbox-at-all if you mean it",
                      draft->profile->name);
  return error_set (draft->err, -EOPNOTSUPP, "profile '%s' has no sandbox, so there is nothing to specify",
                    draft->profile->name);
}

static int refuse_conflict (struct draft *draft, enum setting setting)
{
  const struct value *wanted = &draft->profile->settings.values[setting];
  const struct value *allowed = &draft->ceiling->settings.values[setting];
  cleanup_free char *want = value_text (setting, wanted), *may = value_text (setting, allowed);
  cleanup_free char *where = origin_text (&wanted->origin), *limit = origin_text (&allowed->origin);

  if (want == NULL || may == NULL || where == NULL || limit == NULL)
    return error_oom (draft->err);
  return error_set (draft->err, -EPERM, "%s: %s (%s) and %s of the ceiling (%s) cannot both hold",
                    setting_info (setting)->key, want, where, may, limit);
}

/* The meet of profile and ceiling, tightened by the request. */
static int meet_settings (struct draft *draft)
{
  struct settings under = { 0 };
  int r;

  if (settings_meet (&draft->profile->settings, &draft->ceiling->settings, &under) < 0)
    return error_oom (draft->err);
  for (enum setting s = 0; s < SETTING_COUNT; s++)
    if (under.values[s].state == VALUE_CONFLICT) {
      settings_clear (&under);
      return refuse_conflict (draft, s);
    }
  r = request_check (&under, draft->request, draft->err);
  if (r == 0 && settings_meet (&under, &draft->request->tighten, &draft->plan->settings) < 0)
    r = error_oom (draft->err);
  settings_clear (&under);
  return r;
}

/* If the ceiling names a runtime or an image, no other one is allowed. */
static int check_choice (struct draft *draft)
{
  const struct request *request = draft->request;
  const struct value *runtime = &draft->ceiling->settings.values[SETTING_ISOLATION_RUNTIME];
  const struct value *image = &draft->ceiling->settings.values[SETTING_ISOLATION_IMAGE];
  const char *chosen = request->runtime ? request->runtime : request->backend->name;

  if (str_has_prefix (chosen, "oci:"))
    chosen += strlen ("oci:");
  if (value_is_set (runtime) && strcmp (runtime->text, chosen) != 0)
    return error_set (draft->err, -EPERM,
                      "isolation.type: the ceiling allows no runtime but '%s', and this is '%s'",
                      runtime->text, chosen);
  if (value_is_set (image)
      && (request->root != ROOT_FROM_IMAGE || strcmp (image->text, request->root_path) != 0))
    return error_set (draft->err, -EPERM, "isolation.type: the ceiling allows no root but the image '%s'",
                      image->text);
  return 0;
}

static int copy_identity (struct draft *draft)
{
  struct plan *plan = draft->plan;
  const struct request *request = draft->request;

  plan->backend = request->backend;
  plan->below = request->below;
  if (request->stand_in
      && draft_note (draft,
                     "the backend libcrun is not in this build, so %s is used; to add it, run "
                     "contrib/libcrun-headers and build again",
                     request->backend->name)
             < 0)
    return -ENOMEM;
  plan->profile_name = strdup (draft->profile->name);
  plan->profile_file = strdup (draft->profile->file);
  plan->run_id = strdup (request->run_id ? request->run_id : "spec");
  plan->owner = plan_owner (draft->host);
  if (request->runtime != NULL)
    plan->runtime = strdup (request->runtime);
  if (plan->owner == NULL || plan->profile_name == NULL || plan->profile_file == NULL || plan->run_id == NULL
      || (request->runtime != NULL && plan->runtime == NULL))
    return error_oom (draft->err);
  return profile_digest (draft->profile, plan->profile_digest, draft->err);
}

static int draft_network (struct draft *draft)
{
  draft->plan->network_namespace = draft_value (draft, SETTING_NETWORK_MODE)->level != NETWORK_HOST;
  return 0;
}

int plan_build (const struct profile *profile, const struct request *request, const struct ceiling *ceiling,
                const struct host_facts *host, struct plan **ret_plan, struct error *err)
{
  static int (*const topics[]) (struct draft *) = {
    refuse_disabled, check_choice,  copy_identity, meet_settings, draft_controls, draft_process, draft_env,
    draft_ids,       draft_network, draft_root,    draft_mounts,  draft_limits,   draft_engine,
  };
  cleanup_plan struct plan *plan = calloc (1, sizeof (*plan));
  struct draft draft = { profile, request, ceiling, host, plan, err };

  if (plan == NULL)
    return error_oom (err);
  for (size_t i = 0; i < ARRAY_LEN (topics); i++) {
    int r = topics[i](&draft);

    if (r < 0)
      return r;
  }
  *ret_plan = take_ptr (plan);
  return 0;
}

static int add_sources (const struct grants *grants, struct strlist *paths)
{
  for (size_t i = 0; i < grants->count; i++)
    if (strset_add (paths, grants->items[i].source) < 0)
      return -ENOMEM;
  return 0;
}

int plan_paths (const struct profile *profile, const struct request *request, struct strlist *ret_paths,
                struct error *err)
{
  cleanup_strlist struct strlist paths = { 0 };

  if (add_sources (&profile->settings.values[SETTING_MOUNTS].grants, &paths) < 0
      || add_sources (&profile->settings.values[SETTING_SECRETS].grants, &paths) < 0
      || add_sources (&request->mounts, &paths) < 0 || add_sources (&request->secrets, &paths) < 0
      || (request->workspace != NULL && strset_add (&paths, request->workspace) < 0)
      || (request->root == ROOT_FROM_DIRECTORY && strset_add (&paths, request->root_path) < 0))
    return error_oom (err);
  *ret_paths = paths;
  paths = (struct strlist){ 0 };
  return 0;
}
