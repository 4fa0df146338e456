/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "plan-request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-path.h"
#include "control-lattice.h"
#include "control-syntax.h"

static const char command_line[] = "command line";

static int set_tighter (struct request *request, enum setting setting, const char *text, const char *option,
                        struct error *err)
{
  cleanup_value struct value value = { 0 };
  struct value *slot = &request->tighten.values[setting];
  int r;

  if (slot->state != VALUE_UNSET)
    return error_set (err, -EINVAL, "%s: given twice", option);
  r = value_parse (setting, text, &value, err);
  if (r < 0)
    return error_prefix (err, "%s", option);
  value.origin.file = strdup (command_line);
  if (value.origin.file == NULL)
    return error_oom (err);
  *slot = value;
  value = (struct value){ 0 };
  return 0;
}

int request_add_limit (struct request *request, const char *assignment, struct error *err)
{
  static const enum setting limits[] = { SETTING_MEMORY,     SETTING_PIDS,        SETTING_CPUS,
                                         SETTING_OPEN_FILES, SETTING_OUTPUT,      SETTING_OUTPUT_ACTION,
                                         SETTING_IDLE,       SETTING_OUTPUT_RATE, SETTING_DISK };
  const char *names[ARRAY_LEN (limits)];
  const char *equals = strchr (assignment, '=');
  cleanup_free char *name = NULL;
  const char *near;

  if (equals == NULL)
    return error_set (err, -EINVAL, "--limit: '%s' is not KEY=VALUE, such as memory=256M", assignment);
  name = strndup (assignment, (size_t) (equals - assignment));
  if (name == NULL)
    return error_oom (err);
  for (size_t i = 0; i < ARRAY_LEN (limits); i++) {
    names[i] = setting_info (limits[i])->key + strlen ("limits.");
    if (strcmp (names[i], name) == 0) {
      cleanup_free char *option = str_format ("--limit %s", name);

      return option ? set_tighter (request, limits[i], equals + 1, option, err) : error_oom (err);
    }
  }
  if (strcmp (name, "wall") == 0)
    return error_set (err, -EINVAL, "--limit wall: use --timeout %s", equals + 1);
  near = str_nearest (name, names, ARRAY_LEN (limits));
  if (near != NULL)
    return error_set (err, -EINVAL, "--limit: there is no limit '%s'; did you mean '%s'?", name, near);
  return error_set (err, -EINVAL,
                    "--limit: there is no limit '%s'; there are memory, pids, cpus, open_files, output, "
                    "output_action, idle, output_rate, disk",
                    name);
}

int request_set_timeout (struct request *request, const char *duration, struct error *err)
{
  return set_tighter (request, SETTING_WALL, duration, "--timeout", err);
}

static int check_path (const char *path, const char *option, const char *what, struct error *err)
{
  if (path_is_normal (path) && strlen (path) <= LIMIT_PATH_BYTES)
    return 0;
  return error_set (err, -EINVAL, "%s: %s '%s' is not an absolute path without '.', '..' or empty parts",
                    option, what, path);
}

/* Adds a grant to one of the request's lists; the grant is consumed. */
static int add_grant (struct grants *grants, enum setting setting, struct grant *grant, const char *option,
                      struct error *err)
{
  struct value value = { .grants = *grants };
  int r;

  if (grant->name == NULL || grant->source == NULL) {
    free (grant->name);
    free (grant->source);
    return error_oom (err);
  }
  r = value_add_grant (setting, grant, &value, err);
  *grants = value.grants;
  return r < 0 ? error_prefix (err, "%s", option) : 0;
}

int request_add_mount (struct request *request, const char *text, struct error *err)
{
  cleanup_free char *copy = strdup (text);
  struct grant grant = { 0 };
  char *target, *access;
  int r;

  if (copy == NULL)
    return error_oom (err);
  target = strchr (copy, ':');
  if (target == NULL)
    return error_set (err, -EINVAL, "--mount: '%s' is not SOURCE:TARGET or SOURCE:TARGET:ro", text);
  *target++ = '\0';
  access = strchr (target, ':');
  if (access != NULL) {
    *access++ = '\0';
    if (strcmp (access, "ro") != 0 && strcmp (access, "rw") != 0)
      return error_set (err, -EINVAL, "--mount: access '%s' is not 'ro' or 'rw'", access);
    grant.writable = access[1] == 'w';
  }
  r = check_path (copy, "--mount", "source", err);
  if (r == 0)
    r = check_path (target, "--mount", "target", err);
  if (r < 0)
    return r;
  grant.source = strdup (copy);
  grant.name = strdup (target);
  return add_grant (&request->mounts, SETTING_MOUNTS, &grant, "--mount", err);
}

int request_add_secret (struct request *request, const char *text, struct error *err)
{
  const char *equals = strchr (text, '=');
  struct grant grant = { 0 };
  int r;

  if (equals == NULL)
    return error_set (err, -EINVAL, "--secret: '%s' is not NAME=FILE", text);
  r = check_path (equals + 1, "--secret", "file", err);
  if (r < 0)
    return r;
  grant.name = strndup (text, (size_t) (equals - text));
  grant.source = strdup (equals + 1);
  return add_grant (&request->secrets, SETTING_SECRETS, &grant, "--secret", err);
}

int request_add_env (struct request *request, const char *text, struct error *err)
{
  cleanup_free char *name = strndup (text, strcspn (text, "="));

  if (name == NULL)
    return error_oom (err);
  if (!syntax_is_variable (name))
    return error_set (err, -EINVAL, "--env: '%s' is not a variable's name", name);
  if (request->env.count >= LIMIT_ENVIRONMENT)
    return error_set (err, -E2BIG, "--env: more than %zu variables", LIMIT_ENVIRONMENT);
  return strlist_add (&request->env, text) < 0 ? error_oom (err) : 0;
}

int request_accept (struct request *request, const char *control, struct error *err)
{
  int r = syntax_check (SYNTAX_CONTROL, control, err);

  if (r < 0)
    return error_prefix (err, "--accept-unenforced");
  if (strcmp (control, "*") == 0)
    return error_set (err, -EINVAL, "--accept-unenforced: name the controls one by one");
  return strset_add (&request->accepted, control) < 0 ? error_oom (err) : 0;
}

/* Applies only to names that match a pattern: a profile that passes an exact name means it. */
bool request_looks_like_credential (const char *name)
{
  static const char *const words[] = { "TOKEN",  "SECRET",  "PASS",    "CREDENTIAL", "KEY",  "AUTH",
                                       "COOKIE", "PRIVATE", "SESSION", "DSN",        "CERT", "SIGNATURE" };

  for (size_t i = 0; i < ARRAY_LEN (words); i++)
    if (strcasestr (name, words[i]) != NULL)
      return true;
  return false;
}

bool request_env_allowed (const struct settings *settings, const char *name)
{
  const struct strlist *pass = &settings->values[SETTING_ENVIRONMENT_PASS].set;

  if (strset_has (pass, name))
    return true;
  for (size_t i = 0; i < pass->count; i++) {
    size_t len = strlen (pass->items[i]);

    if (pass->items[i][len - 1] == '*' && strncmp (pass->items[i], name, len - 1) == 0)
      return !request_looks_like_credential (name);
  }
  return false;
}

static int check_limits (const struct settings *settings, const struct request *request, struct error *err)
{
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    const struct value *asked = &request->tighten.values[s];
    const struct value *given = &settings->values[s];
    cleanup_free char *want = NULL, *have = NULL, *where = NULL;

    if (!value_is_set (asked) || value_within (s, given, asked))
      continue;
    want = value_text (s, asked);
    have = value_text (s, given);
    where = origin_text (&given->origin);
    if (want == NULL || have == NULL || where == NULL)
      return error_oom (err);
    return error_set (err, -EPERM, "%s: %s is looser than %s (%s), and a request may only tighten",
                      control_info (control_of_setting (s))->name, want, have, where);
  }
  return 0;
}

/* A mount is granted if a mount of the profile contains it with at least the same access. */
static int check_mounts (const struct settings *settings, const struct request *request, struct error *err)
{
  const struct grants *granted = &settings->values[SETTING_MOUNTS].grants;

  for (size_t i = 0; i < request->mounts.count; i++) {
    const struct grant *asked = &request->mounts.items[i];
    bool found = false;

    for (size_t k = 0; k < granted->count && !found; k++)
      found = path_is_within (asked->source, granted->items[k].source)
              && (granted->items[k].writable || !asked->writable);
    if (!found)
      return error_set (err, -EPERM, "%s: no mount of the profile grants '%s' %s",
                        control_info (CONTROL_WORKSPACE_BOUNDED)->name, asked->source,
                        asked->writable ? "read-write" : "read-only");
  }
  return 0;
}

static int check_secrets (const struct settings *settings, const struct request *request, struct error *err)
{
  const struct grants *granted = &settings->values[SETTING_SECRETS].grants;

  for (size_t i = 0; i < request->secrets.count; i++) {
    const struct grant *asked = &request->secrets.items[i];
    const struct grant *given = grants_find (granted, asked->name);

    if (given == NULL || !path_is_within (asked->source, given->source))
      return error_set (err, -EPERM, "%s: no secret '%s' of the profile grants '%s'",
                        control_info (CONTROL_SECRETS_FILES)->name, asked->name, asked->source);
  }
  return 0;
}

static int check_env (const struct settings *settings, const struct request *request, struct error *err)
{
  for (size_t i = 0; i < request->env.count; i++) {
    cleanup_free char *name = strndup (request->env.items[i], strcspn (request->env.items[i], "="));

    if (name == NULL)
      return error_oom (err);
    if (!request_env_allowed (settings, name))
      return error_set (err, -EPERM, "%s: environment.pass of the profile does not name '%s'%s",
                        control_info (CONTROL_ENVIRONMENT_CLEAN)->name, name,
                        request_looks_like_credential (name) ? ", which looks like a credential" : "");
  }
  return 0;
}

int request_check (const struct settings *settings, const struct request *request, struct error *err)
{
  int r = check_limits (settings, request, err);

  if (r == 0)
    r = check_mounts (settings, request, err);
  if (r == 0)
    r = check_secrets (settings, request, err);
  if (r == 0)
    r = check_env (settings, request, err);
  return r;
}

void request_clear (struct request *request)
{
  struct value mounts = { .grants = request->mounts }, secrets = { .grants = request->secrets };

  strlist_clear (&request->argv);
  free (request->cwd);
  free (request->workspace);
  free (request->root_path);
  strlist_clear (&request->env);
  strlist_clear (&request->caller_env);
  value_clear (&mounts);
  value_clear (&secrets);
  settings_clear (&request->tighten);
  strlist_clear (&request->accepted);
  free (request->runtime);
  free (request->run_id);
  *request = (struct request){ 0 };
}
