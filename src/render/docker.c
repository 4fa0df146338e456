/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "render-docker.h"

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
  /* Before API 1.44 only the topmost mount becomes read-only, so submounts must not be bound. */
  if (!mount->writable)
    json_bool (w, "NonRecursive", true);
  json_object_end (w);
  json_object_end (w);
}

static int write_mounts (struct json_writer *w, const struct launch *launch)
{
  json_array_begin (w, "Mounts");
  for (size_t i = 0; i < launch->mount_count; i++)
    if (strcmp (launch->mounts[i].type, "bind") == 0)
      write_mount (w, &launch->mounts[i]);
  json_array_end (w);

  json_object_begin (w, "Tmpfs");
  for (size_t i = 0; i < launch->mount_count; i++) {
    const struct plan_mount *mount = &launch->mounts[i];
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

static int write_limits (struct json_writer *w, const struct plan *plan, const struct launch *launch)
{
  if (plan->memory > 0) {
    json_number (w, "Memory", plan->memory);
    /* The sum of memory and swap: the same number leaves no swap. Without swap accounting Docker would report
     * another number. */
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
  json_number (w, "ShmSize", engine_shm_size (launch));
  json_array_begin (w, "Ulimits");
  for (size_t i = 0; i < plan->rlimit_count; i++) {
    const struct plan_rlimit limit = render_rlimit (plan, launch, i);
    cleanup_free char *name = engine_limit_name (limit.name);

    if (name == NULL)
      return -1;
    json_object_begin (w, NULL);
    json_string (w, "Name", name);
    json_number (w, "Hard", limit.hard);
    json_number (w, "Soft", limit.soft);
    json_object_end (w);
  }
  json_array_end (w);
  return 0;
}

/* Sets every field that could loosen the container to its strict value. */
static void write_closed (struct json_writer *w, const struct plan *plan)
{
  static const char *const empty[] = { "Binds",          "CapAdd",  "DeviceCgroupRules",
                                       "DeviceRequests", "Devices", "Dns",
                                       "GroupAdd",       "Links",   "VolumesFrom" };

  for (size_t i = 0; i < ARRAY_LEN (empty); i++) {
    /* Not empty if the profile grants capabilities; CapDrop drops all others. */
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

static int write_host_config (struct json_writer *w, const struct plan *plan, const struct launch *launch,
                              struct error *err)
{
  int r;

  json_object_begin (w, "HostConfig");
  write_closed (w, plan);
  r = write_security (w, plan, err);
  if (r < 0)
    return r;
  json_strings (w, "MaskedPaths", &launch->masked);
  json_strings (w, "ReadonlyPaths", &plan->read_only);
  json_bool (w, "ReadonlyRootfs", plan->root_read_only);
  if (write_mounts (w, launch) < 0 || write_limits (w, plan, launch) < 0)
    return error_oom (err);
  if (plan->runtime != NULL)
    json_string (w, "Runtime", plan->runtime);
  json_bool (w, "Init", false);
  json_bool (w, "AutoRemove", false);
  json_object_begin (w, "RestartPolicy");
  json_string (w, "Name", "no");
  json_object_end (w);
  /* The supervisor relays the output and limits it; the engine must not log it without a limit. */
  json_object_begin (w, "LogConfig");
  json_string (w, "Type", "none");
  json_object_end (w);
  json_object_end (w);
  return 0;
}

int render_docker (const struct plan *plan, const struct launch *launch, char **ret_text, struct error *err)
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
  json_string (&w, "WorkingDir", launch->cwd);
  engine_write_command (&w, "Entrypoint", launch);
  json_array_begin (&w, "Cmd");
  json_array_end (&w);
  json_strings (&w, "Env", &launch->env);
  engine_write_labels (&w, "Labels", plan, launch);
  json_bool (&w, "AttachStdin", launch->over_streams);
  json_bool (&w, "AttachStdout", launch->over_streams);
  json_bool (&w, "AttachStderr", launch->over_streams);
  /* Otherwise the engine opens the host's /dev/null, and crun passes that into the container. */
  json_bool (&w, "OpenStdin", true);
  json_bool (&w, "StdinOnce", launch->over_streams);
  json_bool (&w, "Tty", false);
  json_string (&w, "StopSignal", "SIGTERM");
  engine_write_no_health_check (&w, "Healthcheck");
  r = write_host_config (&w, plan, launch, err);
  if (r < 0)
    return r;
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}
