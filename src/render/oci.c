#include <config.h>

#include "render-oci.h"

#include <stdlib.h>

#include "base-json-write.h"
#include "render-oci-internal.h"

/* Debian 12's crun asks for "1.0" in the version and knows nothing newer. */
#define OCI_VERSION "1.0.2"

static void write_process (struct json_writer *w, const struct plan *plan)
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
  for (size_t i = 0; i < plan->init.count; i++)
    json_string (w, NULL, plan->init.items[i]);
  for (size_t i = 0; i < plan->argv.count; i++)
    json_string (w, NULL, plan->argv.items[i]);
  json_array_end (w);
  json_strings (w, "env", &plan->env);
  json_string (w, "cwd", plan->cwd);

  /* Inheritable and ambient stay empty unless a capability is granted: a non-root user keeps none without
   * ambient, and an inheritable set by itself survives exec (CVE-2022-27650). */
  json_object_begin (w, "capabilities");
  for (size_t i = 0; i < ARRAY_LEN (sets); i++)
    json_strings (w, sets[i], &caps->set);
  json_object_end (w);

  json_array_begin (w, "rlimits");
  for (size_t i = 0; i < plan->rlimit_count; i++) {
    json_object_begin (w, NULL);
    json_string (w, "type", plan->rlimits[i].name);
    json_number (w, "hard", plan->rlimits[i].hard);
    json_number (w, "soft", plan->rlimits[i].soft);
    json_object_end (w);
  }
  json_array_end (w);
  json_bool (w, "noNewPrivileges", plan->settings.values[SETTING_NO_NEW_PRIVILEGES].flag);
  if (plan->apparmor != NULL)
    json_string (w, "apparmorProfile", plan->apparmor);
  json_object_end (w);
}

static void write_root (struct json_writer *w, const struct plan *plan)
{
  json_object_begin (w, "root");
  /* A directory of our own making lies in the bundle. */
  if (plan->staged_root != NULL)
    json_string (w, "path", plan->staged_root);
  else
    json_string (w, "path", plan->root == ROOT_FROM_DIRECTORY ? plan->root_path : "rootfs");
  json_bool (w, "readonly", plan->root_read_only);
  json_object_end (w);
}

static void write_mounts (struct json_writer *w, const struct plan *plan)
{
  json_array_begin (w, "mounts");
  for (size_t i = 0; i < plan->mount_count; i++) {
    const struct plan_mount *mount = &plan->mounts[i];

    json_object_begin (w, NULL);
    json_string (w, "destination", mount->target);
    json_string (w, "type", mount->staged ? "bind" : mount->type);
    json_string (w, "source", mount->staged ? mount->staged : mount->source);
    json_strings (w, "options", &mount->options);
    json_object_end (w);
  }
  json_array_end (w);
}

static void write_annotations (struct json_writer *w, const struct plan *plan)
{
  json_object_begin (w, "annotations");
  json_string (w, "io.tyrum.profile", plan->profile_name);
  json_string (w, "io.tyrum.profile.digest", plan->profile_digest);
  json_string (w, "io.tyrum.run", plan->run_id);
  /* What crun takes in place of rules. */
  if (plan->program != NULL)
    json_string (w, "run.oci.seccomp_bpf_data", plan->program);
  json_object_end (w);
}

int render_oci (const struct plan *plan, char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = plan->program == NULL };

  json_object_begin (&w, NULL);
  json_string (&w, "ociVersion", OCI_VERSION);
  write_process (&w, plan);
  write_root (&w, plan);
  json_string (&w, "hostname", plan->hostname);
  write_mounts (&w, plan);
  render_oci_linux (&w, plan);
  write_annotations (&w, plan);
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}
