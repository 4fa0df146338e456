/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "render-oci.h"

#include <string.h>

#include "base-json-write.h"
#include "render-oci-internal.h"

/* The crun of Debian 12 requires "1.0" and supports nothing newer. */
#define OCI_VERSION "1.0.2"

struct plan_rlimit render_rlimit (const struct plan *plan, const struct launch *launch, size_t i)
{
  struct plan_rlimit limit = plan->rlimits[i];

  if (launch->runtime_files > 0 && strcmp (limit.name, "RLIMIT_NOFILE") == 0)
    limit.soft = limit.hard = launch->runtime_files;
  return limit;
}

static void write_process (struct json_writer *w, const struct plan *plan, const struct launch *launch)
{
  static const char *const sets[] = { "bounding", "effective", "permitted", "inheritable", "ambient" };
  const struct value *caps = &plan->settings.values[SETTING_CAPABILITIES];

  json_object_begin (w, "process");
  json_bool (w, "terminal", plan->terminal);
  json_object_begin (w, "user");
  json_number (w, "uid", plan->uid);
  json_number (w, "gid", plan->gid);
  json_number (w, "umask", 022);
  json_object_end (w);
  json_array_begin (w, "args");
  for (size_t i = 0; i < launch->init.count; i++)
    json_string (w, NULL, launch->init.items[i]);
  for (size_t i = 0; i < launch->argv.count; i++)
    json_string (w, NULL, launch->argv.items[i]);
  json_array_end (w);
  json_strings (w, "env", &launch->env);
  json_string (w, "cwd", launch->cwd);

  /* All five sets are equal. Inheritable and ambient must be empty unless the profile grants a capability: a
   * non-empty inheritable set survives exec (CVE-2022-27650). With a grant, a non-root user needs ambient. */
  json_object_begin (w, "capabilities");
  for (size_t i = 0; i < ARRAY_LEN (sets); i++)
    json_strings (w, sets[i], &caps->set);
  json_object_end (w);

  json_array_begin (w, "rlimits");
  for (size_t i = 0; i < plan->rlimit_count; i++) {
    const struct plan_rlimit limit = render_rlimit (plan, launch, i);

    json_object_begin (w, NULL);
    json_string (w, "type", limit.name);
    json_number (w, "hard", limit.hard);
    json_number (w, "soft", limit.soft);
    json_object_end (w);
  }
  json_array_end (w);
  json_bool (w, "noNewPrivileges", plan->settings.values[SETTING_NO_NEW_PRIVILEGES].flag);
  if (plan->apparmor != NULL)
    json_string (w, "apparmorProfile", plan->apparmor);
  json_object_end (w);
}

static void write_root (struct json_writer *w, const struct plan *plan, const struct launch *launch)
{
  json_object_begin (w, "root");
  if (launch->staged_root != NULL)
    json_string (w, "path", launch->staged_root);
  else /* the entries of a root from the host are in the bundle */
    json_string (w, "path", launch->root == ROOT_FROM_DIRECTORY ? launch->root_path : "rootfs");
  json_bool (w, "readonly", plan->root_read_only);
  json_object_end (w);
}

static void write_mounts (struct json_writer *w, const struct launch *launch)
{
  json_array_begin (w, "mounts");
  for (size_t i = 0; i < launch->mount_count; i++) {
    const struct plan_mount *mount = &launch->mounts[i];

    json_object_begin (w, NULL);
    json_string (w, "destination", mount->target);
    json_string (w, "type", mount->staged ? "bind" : mount->type);
    json_string (w, "source", mount->staged ? mount->staged : mount->source);
    json_strings (w, "options", &mount->options);
    json_object_end (w);
  }
  json_array_end (w);
}

static void write_annotations (struct json_writer *w, const struct plan *plan, const struct launch *launch)
{
  json_object_begin (w, "annotations");
  json_string (w, "io.tyrum.profile", plan->profile_name);
  json_string (w, "io.tyrum.profile.digest", plan->profile_digest);
  json_string (w, "io.tyrum.run", launch->run_id);
  /* crun loads this instead of rules. */
  if (launch->program != NULL)
    json_string (w, "run.oci.seccomp_bpf_data", launch->program);
  json_object_end (w);
}

int render_oci (const struct plan *plan, const struct launch *launch, char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = launch->program == NULL };

  json_object_begin (&w, NULL);
  json_string (&w, "ociVersion", OCI_VERSION);
  write_process (&w, plan, launch);
  write_root (&w, plan, launch);
  json_string (&w, "hostname", plan->hostname);
  write_mounts (&w, launch);
  render_oci_linux (&w, plan, launch);
  write_annotations (&w, plan, launch);
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}
