/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "render-podman.h"

#include <string.h>

#include "render-engine-body-internal.h"

static void write_mode (struct json_writer *w, const char *key, const char *mode)
{
  json_object_begin (w, key);
  json_string (w, "nsmode", mode);
  json_object_end (w);
}

static void write_namespaces (struct json_writer *w, const struct plan *plan, const struct launch *launch)
{
  static const char *const own[] = { "pidns", "ipcns", "utsns", "cgroupns" };

  for (size_t i = 0; i < ARRAY_LEN (own); i++)
    write_mode (w, own[i], "private");
  write_mode (w, "netns", engine_network (plan));
  write_mode (w, "userns", plan->user_namespace && !plan->engines_ids ? "private" : "host");
  if (!plan->user_namespace || plan->engines_ids)
    return;
  json_object_begin (w, "idmappings");
  json_bool (w, "HostUIDMapping", false);
  json_bool (w, "HostGIDMapping", false);
  render_id_maps (w, "UIDMap", "container_id", "host_id", launch->uid_maps, launch->uid_map_count);
  render_id_maps (w, "GIDMap", "container_id", "host_id", launch->gid_maps, launch->gid_map_count);
  json_object_end (w);
}

/* The API takes an object, not "NAME=VALUE" as on Podman's command line. */
static int write_env (struct json_writer *w, const struct launch *launch)
{
  json_object_begin (w, "env");
  for (size_t i = 0; i < launch->env.count; i++) {
    const char *assignment = launch->env.items[i];
    cleanup_free char *name = strndup (assignment, strcspn (assignment, "="));

    if (name == NULL)
      return -1;
    json_string (w, name, assignment + strlen (name) + (assignment[strlen (name)] == '='));
  }
  json_object_end (w);
  json_bool (w, "env_host", false);
  json_bool (w, "httpproxy", false);
  return 0;
}

/* For a private IPC namespace Podman mounts a tmpfs in its own mount namespace, usually the host's, and binds
 * it on /dev/shm. If we give a mount for /dev/shm, it is made only inside the container. */
static bool is_written (const struct plan_mount *mount)
{
  return !engine_has_mount (mount) || strcmp (mount->target, "/dev/shm") == 0;
}

static void write_mounts (struct json_writer *w, const struct launch *launch)
{
  json_array_begin (w, "mounts");
  for (size_t i = 0; i < launch->mount_count; i++) {
    const struct plan_mount *mount = &launch->mounts[i];

    if (!is_written (mount))
      continue;
    json_object_begin (w, NULL);
    json_string (w, "destination", mount->target);
    json_string (w, "type", mount->type);
    json_string (w, "source", mount->source);
    json_array_begin (w, "options");
    for (size_t k = 0; k < mount->options.count; k++)
      json_string (w, NULL, mount->options.items[k]);
    if (strcmp (mount->type, "bind") == 0)
      json_string (w, NULL, "rprivate");
    else if (!plan_mount_has (mount, "noexec"))
      json_string (w, NULL, "exec");
    json_array_end (w);
    json_object_end (w);
  }
  json_array_end (w);
  json_string (w, "image_volume_mode", "ignore");
}

static void write_limit (struct json_writer *w, const char *name, uint64_t hard, uint64_t soft)
{
  json_object_begin (w, NULL);
  json_string (w, "type", name);
  json_number (w, "hard", hard);
  json_number (w, "soft", soft);
  json_object_end (w);
}

/* If "nofile" or "nproc" is missing, Podman sets a million, which may be more than the host allows. */
static int write_rlimits (struct json_writer *w, const struct plan *plan, const struct launch *launch)
{
  bool files = false;

  json_array_begin (w, "r_limits");
  for (size_t i = 0; i < plan->rlimit_count; i++) {
    const struct plan_rlimit limit = render_rlimit (plan, launch, i);
    cleanup_free char *name = engine_limit_name (limit.name);

    if (name == NULL)
      return -1;
    files = files || strcmp (name, "nofile") == 0;
    write_limit (w, name, limit.hard, limit.soft);
  }
  if (!files)
    write_limit (w, "nofile", plan->open_files_hard, plan->open_files_hard);
  write_limit (w, "nproc", plan->processes_hard, plan->processes_hard);
  json_array_end (w);
  return 0;
}

static void write_resources (struct json_writer *w, const struct plan *plan)
{
  json_object_begin (w, "resource_limits");
  render_oci_limits (w, plan);
  json_object_end (w);
}

static void write_security (struct json_writer *w, const struct plan *plan, const struct launch *launch)
{
  json_strings (w, "cap_add", &plan->settings.values[SETTING_CAPABILITIES].set);
  json_array_begin (w, "cap_drop");
  json_string (w, NULL, "ALL");
  json_array_end (w);
  json_bool (w, "privileged", false);
  json_bool (w, "no_new_privileges", plan->settings.values[SETTING_NO_NEW_PRIVILEGES].flag);
  json_string (w, "seccomp_policy", "default");
  json_string (w, "seccomp_profile_path", launch->filter_path);
  if (plan->apparmor != NULL)
    json_string (w, "apparmor_profile", plan->apparmor);
  json_bool (w, "read_only_filesystem", plan->root_read_only);
  json_bool (w, "read_write_tmpfs", false);
  json_strings (w, "mask", &launch->masked);
}

int render_podman (const struct plan *plan, const struct launch *launch, char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };
  cleanup_free char *user = str_format ("%u:%u", plan->uid, plan->gid);
  cleanup_free char *name = str_format ("tyrum-oci-%s", launch->run_id);

  if (user == NULL || name == NULL)
    return error_oom (err);
  json_object_begin (&w, NULL);
  json_string (&w, "name", name);
  json_string (&w, "image", plan->root_path);
  engine_write_command (&w, "entrypoint", launch);
  json_array_begin (&w, "command");
  json_array_end (&w);
  if (write_env (&w, launch) < 0)
    return error_oom (err);
  json_string (&w, "hostname", plan->hostname);
  json_string (&w, "user", user);
  json_array_begin (&w, "groups");
  json_array_end (&w);
  json_string (&w, "umask", "0022");
  json_string (&w, "work_dir", launch->cwd);
  json_bool (&w, "terminal", false);
  /* Otherwise Podman opens the host's /dev/null, and crun passes that into the container. */
  json_bool (&w, "stdin", true);
  engine_write_labels (&w, "labels", plan, launch);
  write_security (&w, plan, launch);
  write_namespaces (&w, plan, launch);
  write_mounts (&w, launch);
  write_resources (&w, plan);
  if (write_rlimits (&w, plan, launch) < 0)
    return error_oom (err);
  if (plan->runtime != NULL)
    json_string (&w, "oci_runtime", plan->runtime);
  json_bool (&w, "init", false);
  json_bool (&w, "remove", false);
  json_string (&w, "restart_policy", "no");
  json_bool (&w, "use_image_hosts", false);
  engine_write_no_health_check (&w, "healthconfig");
  json_object_begin (&w, "log_configuration");
  json_string (&w, "driver", "none");
  json_object_end (&w);
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}

int render_podman_filter (const struct plan *plan, char **ret_text, struct error *err)
{
  return engine_filter_text (plan, ret_text, err);
}
