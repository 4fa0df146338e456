/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control-lattice.h"
#include "mount-trace.h"
#include "shim-image-links.h"
#include "shim-parent-quota.h"

#define PROGRAM     "tyrum-oci-runtime"
#define NAME_PREFIX "tyrum-"

#define LIMIT_POLICY_NAME_BYTES 128

const char *policy_name_of (const char *program)
{
  const char *slash = strrchr (program, '/');
  const char *name = slash ? slash + 1 : program;

  if (strcmp (name, PROGRAM) == 0)
    return "baseline";
  if (!str_has_prefix (name, NAME_PREFIX) || name[strlen (NAME_PREFIX)] == '\0')
    return NULL;
  return name + strlen (NAME_PREFIX);
}

bool policy_is_plain_name (const char *name)
{
  size_t len = strspn (name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");

  return len > 0 && len <= LIMIT_POLICY_NAME_BYTES && name[len] == '\0' && name[0] != '.'
         && !str_has_suffix (name, ".json");
}

/* A profile store accepts paths; a user of an engine may give only a name. */
static int load_named (struct policy *policy, const char *name, struct profile **ret_profile,
                       struct error *err)
{
  if (!policy_is_plain_name (name))
    return error_set (
        err, -EINVAL,
        "'%.*s' is not the name of a profile: a name has up to %d letters, digits, '.', '_' and "
        "'-', and is no path or file",
        LIMIT_POLICY_NAME_BYTES, name, LIMIT_POLICY_NAME_BYTES);
  return profile_load (&policy->store, name, ret_profile, err);
}

int policy_open (struct policy *policy, const char *config_dir, const char *data_dir, struct error *err)
{
  int r = host_look (&policy->host, err);

  if (r == 0)
    r = profile_store_init (&policy->store, config_dir, NULL, data_dir, NULL, err);
  if (r == 0)
    r = ceiling_load (&policy->store, &policy->ceiling, err);
  return r < 0 ? r : configuration_load (&policy->store, &policy->configuration, err);
}

static int meet_into (struct settings *settings, const struct settings *other, const char *what,
                      const char *name, struct error *err)
{
  struct settings met = { 0 };

  if (settings_meet (settings, other, &met) < 0)
    return error_oom (err);
  for (enum setting s = 0; s < SETTING_COUNT; s++)
    if (met.values[s].state == VALUE_CONFLICT) {
      settings_clear (&met);
      return error_set (err, -EPERM, "%s: profile '%s' and %s cannot both hold", setting_info (s)->key, name,
                        what);
    }
  settings_clear (settings);
  *settings = met;
  return 0;
}

/* The list that the resulting settings name. */
static const struct seccomp_list *list_in_force (const struct policy *policy)
{
  const char *met = policy->settings.values[SETTING_SECCOMP_LIST].text;
  const struct profile *profiles[] = { policy->profile, policy->second };

  for (size_t i = 0; i < ARRAY_LEN (profiles); i++)
    if (profiles[i] != NULL && strcmp (profiles[i]->settings.values[SETTING_SECCOMP_LIST].text, met) == 0)
      return profiles[i]->seccomp;
  return policy->ceiling->seccomp;
}

/* INNER is nowhere looser than OUTER: no value, and nothing that is required. */
static bool is_within (const struct settings *outer, const struct settings *inner)
{
  for (enum setting s = 0; s < SETTING_COUNT; s++)
    if (s != SETTING_REQUIRE && s != SETTING_OPTIONAL
        && !value_within (s, &outer->values[s], &inner->values[s]))
      return false;
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    if (control_is_required (c, outer) && !control_is_required (c, inner))
      return false;
  return true;
}

/* The stricter of both, or what both leave. */
static int load_second (struct policy *policy, const char *name, const char *annotated, struct error *err)
{
  const struct settings *second;
  int r;

  if (annotated == NULL || strcmp (annotated, name) == 0)
    return 0;
  if (!strset_has (&policy->configuration->engines_profiles, annotated))
    return error_set (err, -EPERM,
                      "annotation " SPEC_ANNOTATION_PROFILE
                      ": this host's operator does not let containers choose "
                      "profile '%s' (engines.profiles in the configuration)",
                      annotated);
  r = load_named (policy, annotated, &policy->second, err);
  if (r < 0)
    return r;
  second = &policy->second->settings;
  if (is_within (second, &policy->settings)) {
    profile_free (policy->second);
    policy->second = NULL;
    return 0;
  }
  if (!is_within (&policy->settings, second))
    return meet_into (&policy->settings, second, "the annotation's", name, err);
  settings_clear (&policy->settings);
  return settings_copy (second, &policy->settings) < 0 ? error_oom (err) : 0;
}

int policy_choose (struct policy *policy, const char *name, const char *annotated, struct error *err)
{
  int r = load_named (policy, name, &policy->profile, err);

  if (r == 0 && settings_copy (&policy->profile->settings, &policy->settings) < 0)
    r = error_oom (err);
  if (r == 0)
    r = load_second (policy, name, annotated, err);
  if (r == 0)
    r = meet_into (&policy->settings, &policy->ceiling->settings, "the ceiling", name, err);
  if (r == 0)
    r = profile_digest (policy->second ? policy->second : policy->profile, policy->digest, err);
  if (r == 0 && policy->settings.values[SETTING_ISOLATION_TYPE].level != ISOLATION_DISABLED)
    r = filter_build (list_in_force (policy), &policy->settings.values[SETTING_SECCOMP_ALLOW].set, NULL,
                      policy->host->machine, &policy->filter, err);
  if (r < 0)
    return r;
  policy->spec.profile = policy->second ? policy->second->name : policy->profile->name;
  policy->spec.digest = policy->digest;
  policy->spec.settings = &policy->settings;
  policy->spec.filter = policy->filter;
  policy->spec.host = policy->host;
  return spec_policy_check (&policy->spec, err);
}

unsigned policy_slots (const struct policy *policy)
{
  return (policy->ceiling->ids_count ? policy->ceiling->ids_count : PLAN_IDS_COUNT) / PLAN_IDS_PER_RUN;
}

void policy_use_slot (struct policy *policy, unsigned slot)
{
  uint32_t first = policy->ceiling->ids_count ? policy->ceiling->ids_first : PLAN_IDS_FIRST;

  policy->spec.ids = (struct plan_id_map){ 0, first + slot * PLAN_IDS_PER_RUN, PLAN_IDS_PER_RUN };
}

bool policy_needs_ids (const struct policy *policy, const struct json_node *config)
{
  const struct json_node *list = json_get (json_get (config, "linux"), "namespaces");

  if (policy->settings.values[SETTING_USER_NAMESPACE].level != USERNS_PRIVATE
      || !policy->host->user_namespaces)
    return false;
  for (size_t i = 0; list != NULL && i < list->count; i++) {
    const struct json_node *type = json_get (list->items[i], "type");

    if (type != NULL && type->type == JSON_STRING && strcmp (type->text, "user") == 0)
      return false;
  }
  return true;
}

/* What the root is made of, where it is an overlay; and where the image's links lead. */
static int look_root (struct policy *policy, const struct json_node *config, struct error *err)
{
  const struct json_node *path = json_get (json_get (config, "root"), "path");
  const char *bundle = policy->spec.bundle;
  cleanup_free char *full = NULL;
  int r;

  if (path == NULL || path->type != JSON_STRING || (path->text[0] != '/' && bundle == NULL))
    return 0;
  full = path->text[0] == '/' ? strdup (path->text) : str_format ("%s/%s", bundle, path->text);
  if (full == NULL)
    return error_oom (err);
  strlist_clear (&policy->layers);
  policy->spec.layers = &policy->layers;
  spec_points_clear (&policy->points);
  policy->spec.points = &policy->points;
  r = trace_layers (full, &policy->layers, err);
  return r < 0 ? r : image_links_follow (full, config, &policy->points, err);
}

int policy_look_sources (struct policy *policy, const struct json_node *config, struct error *err)
{
  cleanup_strlist struct strlist sources = { 0 };
  int r = look_root (policy, config, err);

  policy->spec.cpus_above = parent_quota_look (config);
  if (r == 0)
    r = spec_sources (config, &sources, err);
  for (size_t i = 0; r == 0 && i < sources.count; i++)
    r = host_look_path (policy->host, sources.items[i], err);
  for (size_t i = 0; r == 0 && i < policy->layers.count; i++)
    r = host_look_path (policy->host, policy->layers.items[i], err);
  if (r == 0)
    r = trace_paths (policy->host, err);
  /* Only where it leads is asked, so it is not traced: a kubelet's mounts come and go. */
  return r < 0 ? r : host_look_path (policy->host, SPEC_KUBELET, err);
}

const struct path_fact *policy_fact (const struct policy *policy, const char *source)
{
  for (size_t i = 0; i < policy->host->paths.count; i++)
    if (str_equal (policy->host->paths.items[i].real, source))
      return &policy->host->paths.items[i];
  return NULL;
}

void policy_clear (struct policy *policy)
{
  filter_free (policy->filter);
  strlist_clear (&policy->layers);
  spec_points_clear (&policy->points);
  settings_clear (&policy->settings);
  profile_free (policy->profile);
  profile_free (policy->second);
  configuration_free (policy->configuration);
  ceiling_free (policy->ceiling);
  profile_store_clear (&policy->store);
  host_facts_free (policy->host);
  *policy = (struct policy){ 0 };
}
