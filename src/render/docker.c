#include <config.h>

#include "render-docker.h"

#include <stdlib.h>
#include <string.h>

#include "render-engine-body-internal.h"

static void write_mount (struct json_writer *w, const struct plan_mount *mount)
{
  json_object_begin (w, NULL);
  json_string (w, "Type", "bind");
  json_string (w, "Source", mount->source);
  json_string (w, "Target", mount->target);
  json_bool (w, "ReadOnly", !mount->writable);
  json_object_begin (w, "BindOptions");
  json_string (w, "Propagation", "rprivate");
  /* Before API 1.44 only the topmost mount becomes read-only; what lies below must not come along. */
  if (!mount->writable)
    json_bool (w, "NonRecursive", true);
  json_object_end (w);
  json_object_end (w);
}

static int write_mounts (struct json_writer *w, const struct plan *plan)
{
  json_array_begin (w, "Mounts");
  for (size_t i = 0; i < plan->mount_count; i++)
    if (strcmp (plan->mounts[i].type, "bind") == 0)
      write_mount (w, &plan->mounts[i]);
  json_array_end (w);

  json_object_begin (w, "Tmpfs");
  for (size_t i = 0; i < plan->mount_count; i++) {
    const struct plan_mount *mount = &plan->mounts[i];
    cleanup_free char *options = NULL;

    if (strcmp (mount->type, "tmpfs") != 0 || engine_has_mount (mount))
      continue;
    options = engine_tmpfs_options (mount);
    if (options == NULL)
      return -1;
    json_string (w, mount->target, options);
  }
  json_object_end (w);
  return 0;
}

static int write_security (struct json_writer *w, const struct plan *plan, struct error *err)
{
  cleanup_free char *filter = NULL, *seccomp = NULL, *apparmor = NULL;
  int r = engine_filter_text (plan, &filter, err);

  if (r < 0)
    return r;
  seccomp = str_format ("seccomp=%s", filter);
  if (seccomp == NULL)
    return error_oom (err);
  json_array_begin (w, "SecurityOpt");
  if (plan->settings.values[SETTING_NO_NEW_PRIVILEGES].flag)
    json_string (w, NULL, "no-new-privileges");
  json_string (w, NULL, seccomp);
  if (plan->apparmor != NULL) {
    apparmor = str_format ("apparmor=%s", plan->apparmor);
    if (apparmor == NULL)
      return error_oom (err);
    json_string (w, NULL, apparmor);
  }
  json_array_end (w);
  return 0;
}

static int write_limits (struct json_writer *w, const struct plan *plan)
{
  if (plan->memory > 0) {
    json_number (w, "Memory", plan->memory);
    /* Memory and swap together: the same number leaves no swap. Where the kernel does not count swap, Docker
     * writes down another number. */
    if (plan->swap_limit)
      json_number (w, "MemorySwap", plan->memory);
  }
  if (plan->cpu_quota > 0) {
    json_number (w, "CpuPeriod", plan->cpu_period);
    json_number (w, "CpuQuota", plan->cpu_quota);
  }
  if (plan->pids > 0)
    json_number (w, "PidsLimit", plan->pids);
  json_bool (w, "OomKillDisable", false);
  json_number (w, "ShmSize", engine_shm_size (plan));
  json_array_begin (w, "Ulimits");
  for (size_t i = 0; i < plan->rlimit_count; i++) {
    cleanup_free char *name = engine_limit_name (plan->rlimits[i].name);

    if (name == NULL)
      return -1;
    json_object_begin (w, NULL);
    json_string (w, "Name", name);
    json_number (w, "Hard", plan->rlimits[i].hard);
    json_number (w, "Soft", plan->rlimits[i].soft);
    json_object_end (w);
  }
  json_array_end (w);
  return 0;
}

/* Everything by which a container could get more than it should have, closed. */
static void write_closed (struct json_writer *w, const struct plan *plan)
{
  static const char *const empty[] = { "Binds",          "CapAdd",  "DeviceCgroupRules",
                                       "DeviceRequests", "Devices", "Dns",
                                       "GroupAdd",       "Links",   "VolumesFrom" };

  for (size_t i = 0; i < ARRAY_LEN (empty); i++) {
    /* A capability means something only together with the set that it is dropped from. */
    if (strcmp (empty[i], "CapAdd") == 0)
      json_strings (w, "CapAdd", &plan->settings.values[SETTING_CAPABILITIES].set);
    else {
      json_array_begin (w, empty[i]);
      json_array_end (w);
    }
  }
  json_array_begin (w, "CapDrop");
  json_string (w, NULL, "ALL");
  json_array_end (w);
  json_bool (w, "Privileged", false);
  json_bool (w, "PublishAllPorts", false);
  json_object_begin (w, "PortBindings");
  json_object_end (w);
  json_object_begin (w, "Sysctls");
  json_object_end (w);
  json_string (w, "NetworkMode", engine_network (plan));
  json_string (w, "IpcMode", "private");
  json_string (w, "PidMode", "");
  json_string (w, "UTSMode", "");
  json_string (w, "UsernsMode", "");
  json_string (w, "CgroupnsMode", "private");
}

static int write_host_config (struct json_writer *w, const struct plan *plan, struct error *err)
{
  int r;

  json_object_begin (w, "HostConfig");
  write_closed (w, plan);
  r = write_security (w, plan, err);
  if (r < 0)
    return r;
  json_strings (w, "MaskedPaths", &plan->masked);
  json_strings (w, "ReadonlyPaths", &plan->read_only);
  json_bool (w, "ReadonlyRootfs", plan->root_read_only);
  if (write_mounts (w, plan) < 0 || write_limits (w, plan) < 0)
    return error_oom (err);
  if (plan->runtime != NULL)
    json_string (w, "Runtime", plan->runtime);
  json_bool (w, "Init", false);
  json_bool (w, "AutoRemove", false);
  json_object_begin (w, "RestartPolicy");
  json_string (w, "Name", "no");
  json_object_end (w);
  /* Its output is ours to keep, within a cap that the engine does not know. */
  json_object_begin (w, "LogConfig");
  json_string (w, "Type", "none");
  json_object_end (w);
  json_object_end (w);
  return 0;
}

int render_docker (const struct plan *plan, char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };
  cleanup_free char *user = str_format ("%u:%u", plan->uid, plan->gid);
  int r;

  if (user == NULL)
    return error_oom (err);
  json_object_begin (&w, NULL);
  json_string (&w, "Image", plan->root_path);
  json_string (&w, "Hostname", plan->hostname);
  json_string (&w, "User", user);
  json_string (&w, "WorkingDir", plan->cwd);
  engine_write_command (&w, "Entrypoint", plan);
  json_array_begin (&w, "Cmd");
  json_array_end (&w);
  json_strings (&w, "Env", &plan->env);
  engine_write_labels (&w, "Labels", plan);
  json_bool (&w, "AttachStdin", plan->over_streams);
  json_bool (&w, "AttachStdout", plan->over_streams);
  json_bool (&w, "AttachStderr", plan->over_streams);
  /* Without it the engine gives the host's /dev/null, and crun gives that to the container. */
  json_bool (&w, "OpenStdin", true);
  json_bool (&w, "StdinOnce", plan->over_streams);
  json_bool (&w, "Tty", false);
  json_string (&w, "StopSignal", "SIGTERM");
  engine_write_no_health_check (&w, "Healthcheck");
  r = write_host_config (&w, plan, err);
  if (r < 0)
    return r;
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}
