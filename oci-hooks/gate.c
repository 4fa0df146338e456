/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gate and audit: what a runtime tells its hooks, and the bundle that it leads to. */
#include <config.h>

#include "hook-hook.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "base-path.h"
#include "shim-audit.h"
#include "shim-command.h"
#include "shim-policy.h"

/* The state as crun and runc write it: what they do not have in common is not asked for. */
static int read_state (struct hook *hook, struct json_node **ret_state, struct error *err)
{
  cleanup_json struct json_node *state = NULL;
  const struct json_node *id;
  int r = spec_read ("state", hook->text, hook->len, &state, err);

  if (r < 0)
    return r;
  id = json_get (state, "id");
  if (id == NULL || id->type != JSON_STRING || !command_id_is_valid (id->text))
    return error_set (err, -EINVAL, "state: there is no id of a container");
  hook->id = strdup (id->text);
  if (hook->id == NULL)
    return error_oom (err);
  *ret_state = take_ptr (state);
  return 0;
}

static int read_bundle (const struct json_node *state, struct json_node **ret_config, struct error *err)
{
  const struct json_node *bundle = json_get (state, "bundle");
  cleanup_free char *path = NULL, *text = NULL;
  size_t len = 0;
  int r;

  if (bundle == NULL || bundle->type != JSON_STRING || !path_is_normal (bundle->text))
    return error_set (err, -EINVAL, "state: bundle is not an absolute path");
  path = str_format ("%s/config.json", bundle->text);
  if (path == NULL)
    return error_oom (err);
  r = file_read (AT_FDCWD, path, LIMIT_SPEC_BYTES, &text, &len, err);
  return r < 0 ? r : spec_read ("config.json", text, len, ret_config, err);
}

/* Loads the profile, looks at the sources, and meets. */
static int compare (const struct hook *hook, const char *profile, struct json_node *config,
                    struct policy *policy, struct spec_changes *changes, struct error *err)
{
  int r = policy_open (policy, hook->config_dir, hook->data_dir, err);

  if (r == 0)
    r = policy_choose (policy, profile, NULL, err);
  policy->spec.container = hook->id;
  policy->spec.bundle = hook->bundle;
  if (r == 0)
    r = policy_look_sources (policy, config, err);
  return r < 0 ? r : restrict_spec (config, &policy->spec, changes, err);
}

static int refuse (const struct spec_changes *changes, const char *profile, struct error *err)
{
  cleanup_free char *text = spec_changes_text (changes);
  const char *hint = "";

  if (text == NULL)
    return error_oom (err);
  /* Its ids come from the engine: no hook can add one. */
  for (size_t i = 0; i < changes->count; i++)
    if (changes->items[i].control == CONTROL_USER_NAMESPACE)
      hint = "; a user namespace has to be asked for: podman run --userns=auto:size=16384";
  return error_set (err, -EPERM, "the container is looser than profile '%s'; this would have to change: %s%s",
                    profile, text, hint);
}

static int judge (const struct hook *hook, const struct json_node *state, struct json_node *config,
                  const char *profile, struct error *err)
{
  cleanup_spec_changes struct spec_changes changes = { 0 };
  cleanup_policy struct policy policy = { 0 };
  const char *told = spec_annotation (state, SPEC_ANNOTATION_PROFILE);
  const struct audit_request asked = { .via = "gate",
                                       .profile = profile,
                                       .bundle = json_get (state, "bundle")->text,
                                       .process = json_get (config, "process") };
  int r;

  if (told != NULL && strcmp (told, profile) != 0)
    r = error_set (err, -EINVAL, "the runtime's state names profile '%s' and the bundle '%s'", told, profile);
  else
    r = compare (hook, profile, config, &policy, &changes, err);
  if (r == 0 && changes.count > 0)
    r = refuse (&changes, profile, err);
  if (r == 0)
    r = hook_met (hook, &asked, &policy, &changes, config, err);
  if (r < 0)
    hook_refused (hook, &asked, err);
  return r;
}

/* The profile that CONFIG's annotation names; NULL: there is none. One that is there and says nothing that we
 * understand was meant to be held to something. */
static int find_profile (const struct json_node *config, char **ret_profile, struct error *err)
{
  const struct json_node *annotations = json_get (config, "annotations");
  const char *named = spec_annotation (config, SPEC_ANNOTATION_PROFILE);

  *ret_profile = NULL;
  if (named == NULL
      && ((annotations != NULL && annotations->type != JSON_OBJECT && annotations->type != JSON_NULL)
          || json_get (annotations, SPEC_ANNOTATION_PROFILE) != NULL))
    return error_set (err, -EINVAL, "config.json: annotation " SPEC_ANNOTATION_PROFILE " is not a text");
  if (named == NULL)
    return 0;
  *ret_profile = strdup (named);
  return *ret_profile ? 0 : error_oom (err);
}

int hook_gate (struct hook *hook, struct error *err)
{
  cleanup_json struct json_node *state = NULL, *config = NULL;
  cleanup_free char *profile = NULL;
  int r = read_state (hook, &state, err);

  if (r == 0)
    r = read_bundle (state, &config, err);
  if (r == 0)
    hook->bundle = json_get (state, "bundle")->text;
  if (r == 0)
    r = find_profile (config, &profile, err);
  /* Named only in the state: config.json was edited since. */
  if (r == 0 && profile == NULL && spec_annotation (state, SPEC_ANNOTATION_PROFILE) != NULL)
    r = error_set (err, -EINVAL, "the runtime's state names a profile and the bundle does not");
  if (r == 0 && profile != NULL)
    r = judge (hook, state, config, profile, err);
  hook->bundle = NULL; /* it ends with the state */
  return r;
}

/* Runtimes differ in what they call the status; a process is there or not. */
int hook_audit (struct hook *hook, struct error *err)
{
  cleanup_json struct json_node *state = NULL;
  const struct json_node *pid;
  const char *profile;
  int r = read_state (hook, &state, err);

  if (r < 0)
    return r;
  profile = spec_annotation (state, SPEC_ANNOTATION_PROFILE);
  pid = json_get (state, "pid");
  return profile == NULL
             ? 0
             : hook_seen (hook, profile,
                          pid != NULL && pid->type == JSON_NUMBER && strcmp (pid->text, "0") != 0, err);
}

/* Podman names the cgroup after the container; nothing else in a config.json does. What stands before the
 * last part is the user's (--cgroup-parent), and proves nothing. */
static char *id_of (const struct json_node *config)
{
  const struct json_node *path = json_get (json_get (config, "linux"), "cgroupsPath");

  const char *id = path != NULL && path->type == JSON_STRING ? command_id_of_cgroup (path->text) : NULL;

  return id ? strdup (id) : NULL;
}

/* What the meet cannot bring about here, such as a user namespace without ids to give, shows the second time.
 */
static int tighten (const struct hook *hook, const char *profile, struct json_node *config, struct error *err)
{
  cleanup_spec_changes struct spec_changes changes = { 0 }, left = { 0 };
  cleanup_policy struct policy policy = { 0 }, again = { 0 };
  const struct audit_request asked = { .via = "apply",
                                       .profile = profile,
                                       .process = json_get (config, "process") };
  int r = compare (hook, profile, config, &policy, &changes, err);

  if (r == 0)
    r = compare (hook, profile, config, &again, &left, err);
  if (r == 0 && left.count > 0)
    r = refuse (&left, profile, err);
  if (r == 0)
    r = hook_met (hook, &asked, &policy, &changes, config, err);
  if (r < 0)
    hook_refused (hook, &asked, err);
  return r;
}

int hook_apply (struct hook *hook, struct error *err)
{
  cleanup_json struct json_node *config = NULL;
  cleanup_free char *profile = NULL, *text = NULL;
  int r = spec_read ("config.json", hook->text, hook->len, &config, err);

  if (r == 0)
    r = find_profile (config, &profile, err);
  if (r == 0 && profile != NULL) {
    hook->id = id_of (config);
    r = tighten (hook, profile, config, err);
  }
  if (r == 0)
    r = spec_write (config, &text, err);
  if (r == 0 && (fputs (text, stdout) == EOF || fflush (stdout) == EOF))
    r = error_set_errno (err, errno, "write the configuration");
  return r;
}
