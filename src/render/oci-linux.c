/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The "linux" object of config.json: namespaces, ids, cgroup, devices, masked paths, filter. */
#include <config.h>

#include "render-oci-internal.h"

#include <inttypes.h>
#include <stdio.h>

#include "render-oci-devices.h"
#include "render-oci-seccomp.h"

static void write_namespaces (struct json_writer *w, const struct plan *plan, const struct launch *launch)
{
  const struct {
    const char *type;
    bool wanted;
  } list[] = {
    { "pid", true },
    { "ipc", true },
    { "uts", true },
    { "mount", true },
    { "cgroup", true },
    { "network", plan->network_namespace },
    { "user", plan->user_namespace && !launch->staged_ids },
  };

  json_array_begin (w, "namespaces");
  for (size_t i = 0; i < ARRAY_LEN (list); i++) {
    if (!list[i].wanted)
      continue;
    json_object_begin (w, NULL);
    json_string (w, "type", list[i].type);
    json_object_end (w);
  }
  json_array_end (w);
}

void render_id_maps (struct json_writer *w, const char *key, const char *inside, const char *outside,
                     const struct plan_id_map *maps, size_t count)
{
  json_array_begin (w, key);
  for (size_t i = 0; i < count; i++) {
    json_object_begin (w, NULL);
    json_number (w, inside, maps[i].inside);
    json_number (w, outside, maps[i].outside);
    json_number (w, "size", maps[i].count);
    json_object_end (w);
  }
  json_array_end (w);
}

static void write_device_rule (struct json_writer *w, bool allow, int major, int minor, const char *access)
{
  json_object_begin (w, NULL);
  json_bool (w, "allow", allow);
  if (major >= 0) {
    json_string (w, "type", "c");
    json_integer (w, "major", major);
  }
  if (minor >= 0)
    json_integer (w, "minor", minor);
  json_string (w, "access", access);
  json_object_end (w);
}

/* null, zero, full, random, urandom, tty, ptmx, ptys */
const struct oci_device oci_devices[OCI_DEVICE_COUNT] = { { 1, 3 }, { 1, 5 }, { 1, 7 }, { 1, 8 },
                                                          { 1, 9 }, { 5, 0 }, { 5, 2 }, { 136, -1 } };

/* Denies all devices, then allows those in /dev. */
static void write_devices (struct json_writer *w)
{
  json_array_begin (w, "devices");
  write_device_rule (w, false, -1, -1, "rwm");
  for (size_t i = 0; i < OCI_DEVICE_COUNT; i++)
    write_device_rule (w, true, oci_devices[i].major, oci_devices[i].minor, "rw");
  json_array_end (w);
}

static void write_memory (struct json_writer *w, const struct plan *plan)
{
  if (plan->memory == 0)
    return;
  json_object_begin (w, "memory");
  json_number (w, "limit", plan->memory);
  /* The sum of memory and swap: the same number leaves no swap. A kernel without swap accounting refuses
   * it. */
  if (plan->swap_limit)
    json_number (w, "swap", plan->memory);
  json_object_end (w);
}

/* The same limits as cgroup v2 files, because runtimes convert the others differently. With memory.oom.group
 * the whole run ends when it is out of memory, not one process of it. */
static void write_unified (struct json_writer *w, const struct plan *plan)
{
  char text[64];

  json_object_begin (w, "unified");
  if (plan->cpu_quota > 0) {
    snprintf (text, sizeof (text), "%" PRIu64 " %" PRIu64, plan->cpu_quota, plan->cpu_period);
    json_string (w, "cpu.max", text);
  }
  if (plan->memory > 0) {
    snprintf (text, sizeof (text), "%" PRIu64, plan->memory);
    json_string (w, "memory.max", text);
    json_string (w, "memory.oom.group", "1");
    if (plan->swap_limit)
      json_string (w, "memory.swap.max", "0");
  }
  if (plan->pids > 0) {
    snprintf (text, sizeof (text), "%" PRIu64, plan->pids);
    json_string (w, "pids.max", text);
  }
  json_object_end (w);
}

void render_oci_limits (struct json_writer *w, const struct plan *plan)
{
  write_memory (w, plan);
  if (plan->cpu_quota > 0) {
    json_object_begin (w, "cpu");
    json_number (w, "quota", plan->cpu_quota);
    json_number (w, "period", plan->cpu_period);
    json_object_end (w);
  }
  if (plan->pids > 0) {
    json_object_begin (w, "pids");
    json_number (w, "limit", plan->pids);
    json_object_end (w);
  }
}

static void write_resources (struct json_writer *w, const struct plan *plan, const struct launch *launch)
{
  json_object_begin (w, "resources");
  write_devices (w);
  /* The supervisor sets the limits of a cgroup that it creates. */
  if (!launch->cgroup_ours) {
    render_oci_limits (w, plan);
    if (plan->cgroup == CGROUP_V2)
      write_unified (w, plan);
  }
  json_object_end (w);
}

void render_oci_linux (struct json_writer *w, const struct plan *plan, const struct launch *launch)
{
  json_object_begin (w, "linux");
  write_namespaces (w, plan, launch);
  if (plan->user_namespace && !launch->staged_ids) {
    render_id_maps (w, "uidMappings", "containerID", "hostID", launch->uid_maps, launch->uid_map_count);
    render_id_maps (w, "gidMappings", "containerID", "hostID", launch->gid_maps, launch->gid_map_count);
  }
  /* Also for a cgroup that the supervisor creates: without a path the runtime would create another one. */
  if (launch->cgroup_path != NULL)
    json_string (w, "cgroupsPath", launch->cgroup_path);
  write_resources (w, plan, launch);
  json_string (w, "rootfsPropagation", "private");
  if (launch->program != NULL)
    oci_seccomp_write_head (w, "seccomp", plan->filter);
  else
    oci_seccomp_write (w, "seccomp", plan->filter, launch->listens);
  json_strings (w, "maskedPaths", &launch->masked);
  json_strings (w, "readonlyPaths", &plan->read_only);
  json_object_end (w);
}
