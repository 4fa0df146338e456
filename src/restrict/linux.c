/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The linux object: covered paths, kernel parameters, extra devices, propagation; then its larger parts. */
#include <config.h>

#include "restrict-internal.h"

#include <errno.h>
#include <string.h>

#include "plan-masked.h"

static int cover (struct meet *m, struct json_node *linux_, const char *key, const char *const *paths)
{
  struct json_node *list = NULL;
  size_t added = 0;
  int r = restrict_make (m, linux_, key, JSON_ARRAY, &list);

  if (r == 0)
    r = restrict_items (m, list, key, JSON_STRING);
  for (size_t i = 0; r == 0 && paths[i] != NULL; i++)
    if (!texts_have (list, paths[i])) {
      restrict_append_text (m, list, paths[i]);
      added++;
    }
  if (added > 0)
    restrict_note (m, CONTROL_PATHS_MASKED, "%zu paths added to %s", added, key);
  return r;
}

/* Parameters that each namespace has for itself; every other one is the host's. */
static bool is_namespaced (const char *name)
{
  static const char *const prefixes[] = { "net.", "fs.mqueue.", "kernel.shm", "kernel.msg", "kernel.sem" };

  for (size_t i = 0; i < ARRAY_LEN (prefixes); i++)
    if (str_has_prefix (name, prefixes[i]))
      return true;
  return strcmp (name, "kernel.domainname") == 0;
}

static int restrict_sysctl (struct meet *m, struct json_node *linux_)
{
  struct json_node *sysctl = NULL;
  int r = restrict_find (m, linux_, "sysctl", JSON_OBJECT, &sysctl);

  for (size_t i = 0; r == 0 && sysctl != NULL && i < sysctl->count; i++) {
    const char *name = sysctl->keys[i].name;

    /* Some tools write slashes for dots, and a path may lead anywhere. */
    if (strchr (name, '/') != NULL || strstr (name, "..") != NULL || !is_namespaced (name))
      r = restrict_refuse (m, CONTROL_ISOLATION_TYPE,
                           "kernel parameter '%s' is the host's; start it without --sysctl %s", name, name);
  }
  /* Its value names groups that the namespace may not have, which the kernel refuses. */
  if (r == 0 && sysctl != NULL && m->adds_userns)
    json_remove (sysctl, "net.ipv4.ping_group_range");
  return r;
}

static int restrict_extra_devices (struct meet *m, struct json_node *linux_)
{
  struct json_node *devices = NULL;
  int r = restrict_find (m, linux_, "devices", JSON_ARRAY, &devices);

  if (r < 0 || devices == NULL || devices->count == 0)
    return r;
  restrict_note (m, CONTROL_DEVICES_MINIMAL, "%zu devices of the host taken away", devices->count);
  json_remove (linux_, "devices");
  return 0;
}

static int restrict_propagation (struct meet *m, struct json_node *linux_)
{
  const char *asked = NULL;
  int r = restrict_find_text (m, linux_, "rootfsPropagation", &asked);

  /* Without a word runtimes take a mount namespace that nothing leaves or enters. */
  if (r < 0 || asked == NULL || asked[0] == '\0' || strcmp (asked, "private") == 0
      || strcmp (asked, "rprivate") == 0)
    return r;
  restrict_note (m, CONTROL_NAMESPACE_MOUNT, "propagation '%s' becomes private", asked);
  restrict_set (m, linux_, "rootfsPropagation", json_new_text (JSON_STRING, "private"));
  return 0;
}

bool spec_group_is_systemd (const char *group)
{
  const char *prefix = strchr (group, ':'), *name = prefix ? strchr (prefix + 1, ':') : NULL;
  size_t slice = prefix ? (size_t) (prefix - group) : 0;

  return name != NULL && name[1] != '\0' && strchr (name + 1, ':') == NULL && strchr (group, '/') == NULL
         && (slice == 0
             || (slice > strlen (".slice")
                 && strncmp (prefix - strlen (".slice"), ".slice", strlen (".slice")) == 0));
}

/* "/docker/ID", or "SLICE:PREFIX:NAME" for systemd. */
static int check_group (struct meet *m, struct json_node *linux_)
{
  const char *group = NULL;
  cleanup_free char *normal = NULL;
  int r = restrict_find_text (m, linux_, "cgroupsPath", &group);

  if (r < 0 || group == NULL || group[0] == '\0' || spec_group_is_systemd (group))
    return r;
  r = spec_normal_path (group, &normal);
  if (r == -ENOMEM)
    return error_oom (m->err);
  return r < 0 ? restrict_refuse (m, CONTROL_ISOLATION_TYPE,
                                  "cgroupsPath '%s' is neither an absolute path without '..' nor "
                                  "SLICE:PREFIX:NAME: low-level runtimes differ in which group it names",
                                  group)
               : 0;
}

static int restrict_main_resources (struct meet *m, struct json_node *linux_)
{
  struct json_node *resources = NULL;
  int r = restrict_make (m, linux_, "resources", JSON_OBJECT, &resources);

  return r < 0 ? r : restrict_resources (m, resources, false);
}

int restrict_linux (struct meet *m, struct json_node *config)
{
  struct json_node *linux_ = NULL;
  int r = restrict_make (m, config, "linux", JSON_OBJECT, &linux_);

  if (r == 0)
    r = restrict_namespaces (m, linux_);
  if (r == 0)
    r = check_group (m, linux_);
  if (r == 0)
    r = restrict_main_resources (m, linux_);
  if (r == 0)
    r = restrict_sysctl (m, linux_);
  if (r == 0)
    r = restrict_extra_devices (m, linux_);
  if (r == 0)
    r = restrict_propagation (m, linux_);
  if (r == 0)
    r = cover (m, linux_, "maskedPaths", masked_paths);
  if (r == 0)
    r = cover (m, linux_, "readonlyPaths", read_only_paths);
  return r < 0 ? r : restrict_seccomp (m, linux_);
}
