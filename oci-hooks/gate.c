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
#include "runtime-command.h"
#include "runtime-policy.h"

/* The state as crun and runc write it: what they do not have in common is not asked for. */
static int read_state (const struct hook *hook, struct json_node **ret_state, const char **ret_id,
                       struct error *err)
{
  cleanup_json struct json_node *state = NULL;
  const struct json_node *id;
  int r = spec_read ("state", hook->text, hook->len, &state, err);

  if (r < 0)
    return r;
  id = json_get (state, "id");
  if (id == NULL || id->type != JSON_STRING || !command_id_is_valid (id->text))
    return error_set (err, -EINVAL, "state: there is no id of a container");
  *ret_id = id->text;
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
static int compare (const struct hook *hook, const char *profile, const char *id, struct json_node *config,
                    struct spec_changes *changes, struct error *err)
{
  cleanup_policy struct policy policy = { 0 };
  cleanup_strlist struct strlist sources = { 0 };
  int r = policy_open (&policy, hook->config_dir, hook->data_dir, err);

  if (r == 0)
    r = policy_choose (&policy, profile, NULL, err);
  if (r == 0)
    r = spec_sources (config, &sources, err);
  for (size_t i = 0; r == 0 && i < sources.count; i++)
    r = host_look_path (policy.host, sources.items[i], err);
  policy.spec.container = id;
  return r < 0 ? r : spec_meet (config, &policy.spec, changes, err);
}

static int refuse (const struct spec_changes *changes, const char *profile, struct error *err)
{
  cleanup_free char *text = spec_changes_text (changes);

  if (text == NULL)
    return error_oom (err);
  return error_set (err, -EPERM, "the container is looser than profile '%s'; this would have to change: %s",
                    profile, text);
}

static int judge (const struct hook *hook, const struct json_node *state, const char *id,
                  struct json_node *config, const char *profile, struct error *err)
{
  cleanup_spec_changes struct spec_changes changes = { 0 };
  const char *told = spec_annotation (state, SPEC_ANNOTATION_PROFILE);
  int r;

  if (told != NULL && strcmp (told, profile) != 0)
    r = error_set (err, -EINVAL, "the runtime's state names profile '%s' and the bundle '%s'", told, profile);
  else
    r = compare (hook, profile, id, config, &changes, err);
  if (r == 0 && changes.count > 0)
    r = refuse (&changes, profile, err);
  if (r < 0)
    hook_write_down (hook, "refused", id, profile, error_text (err));
  return r;
}

int hook_gate (struct hook *hook, struct error *err)
{
  cleanup_json struct json_node *state = NULL, *config = NULL;
  cleanup_free char *profile = NULL;
  const char *id = NULL, *named;
  int r = read_state (hook, &state, &id, err);

  if (r == 0)
    r = read_bundle (state, &config, err);
  if (r < 0)
    return r;
  named = spec_annotation (config, SPEC_ANNOTATION_PROFILE);
  /* Named only in what the runtime says: somebody has edited the bundle since. */
  if (named == NULL && spec_annotation (state, SPEC_ANNOTATION_PROFILE) != NULL)
    return error_set (err, -EINVAL, "the runtime's state names a profile and the bundle does not");
  if (named == NULL)
    return 0;
  profile = strdup (named);
  return profile ? judge (hook, state, id, config, profile, err) : error_oom (err);
}

/* Runtimes differ in what they call the status; a process is there or not. */
int hook_audit (struct hook *hook, struct error *err)
{
  cleanup_json struct json_node *state = NULL;
  const struct json_node *pid;
  const char *id = NULL, *profile;
  int r = read_state (hook, &state, &id, err);

  if (r < 0)
    return r;
  profile = spec_annotation (state, SPEC_ANNOTATION_PROFILE);
  pid = json_get (state, "pid");
  if (profile != NULL)
    hook_write_down (
        hook, pid != NULL && pid->type == JSON_NUMBER && strcmp (pid->text, "0") != 0 ? "started" : "stopped",
        id, profile, NULL);
  return 0;
}

/* Podman names the cgroup after the container; nothing else in a config.json does. */
static char *id_of (const struct json_node *config)
{
  static const char prefix[] = "libpod-";
  const struct json_node *path = json_get (json_get (config, "linux"), "cgroupsPath");
  const char *at = path != NULL && path->type == JSON_STRING ? strstr (path->text, prefix) : NULL;
  size_t len = at ? strspn (at + strlen (prefix), "0123456789abcdef") : 0;

  return len == 64 ? strndup (at + strlen (prefix), len) : NULL;
}

/* What the meet cannot bring about here, such as a user namespace without ids to give, shows the second time.
 */
int hook_apply (struct hook *hook, struct error *err)
{
  cleanup_spec_changes struct spec_changes changes = { 0 }, left = { 0 };
  cleanup_json struct json_node *config = NULL;
  cleanup_free char *profile = NULL, *id = NULL, *text = NULL;
  const char *named;
  int r = spec_read ("config.json", hook->text, hook->len, &config, err);

  if (r < 0)
    return r;
  named = spec_annotation (config, SPEC_ANNOTATION_PROFILE);
  if (named != NULL) {
    profile = strdup (named);
    if (profile == NULL)
      return error_oom (err);
    id = id_of (config);
    r = compare (hook, profile, id, config, &changes, err);
    if (r == 0)
      r = compare (hook, profile, id, config, &left, err);
    if (r == 0 && left.count > 0)
      r = refuse (&left, profile, err);
    if (r < 0)
      hook_write_down (hook, "refused", id ? id : "", profile, error_text (err));
  }
  if (r == 0)
    r = spec_write (config, &text, err);
  if (r == 0 && (fputs (text, stdout) == EOF || fflush (stdout) == EOF))
    r = error_set_errno (err, errno, "write the configuration");
  return r;
}
