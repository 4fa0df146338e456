/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Namespaces: the container has a private one of each kind. A path would join one that exists, possibly the
 * host's; only a network namespace may be joined, where the profile leaves the network to the engine. */
#include <config.h>

#include "restrict-internal.h"

#include <errno.h>
#include <string.h>

static struct json_node *find_type (const struct json_node *list, const char *type)
{
  for (size_t i = 0; i < list->count; i++) {
    const struct json_node *name = json_get (list->items[i], "type");

    if (name != NULL && name->type == JSON_STRING && strcmp (name->text, type) == 0)
      return list->items[i];
  }
  return NULL;
}

static void add_type (struct meet *m, struct json_node *list, const char *type)
{
  struct json_node *entry = json_new (JSON_OBJECT);

  restrict_append (m, list, entry);
  if (!m->failed)
    restrict_set (m, entry, "type", json_new_text (JSON_STRING, type));
}

static int own_one (struct meet *m, struct json_node *list, const char *type, enum control control)
{
  struct json_node *entry = find_type (list, type);
  const char *path = NULL;
  int r;

  if (entry == NULL) {
    add_type (m, list, type);
    restrict_note (m, control, "the host's %s namespace becomes one of its own", type);
    return 0;
  }
  r = restrict_find_text (m, entry, "path", &path);
  if (r < 0 || path == NULL || path[0] == '\0')
    return r;
  restrict_note (m, control, "the %s namespace '%s' becomes one of its own", type, path);
  json_remove (entry, "path");
  return 0;
}

/* With 'engine' whatever the engine joins is what it gives; a list without the namespace is the host's. */
static int restrict_network (struct meet *m, struct json_node *list)
{
  unsigned level = restrict_value (m, SETTING_NETWORK_MODE)->level;

  if (level == NETWORK_HOST || (level == NETWORK_ENGINE && find_type (list, "network") != NULL))
    return 0;
  return own_one (m, list, "network", CONTROL_NETWORK_MODE);
}

static int check_map (struct meet *m, struct json_node *linux_, const char *key, uint32_t id)
{
  struct json_node *maps = NULL;
  bool has_id = false;
  int r = restrict_find (m, linux_, key, JSON_ARRAY, &maps);

  if (r < 0)
    return r;
  if (maps == NULL || maps->count == 0)
    return restrict_refuse (m, CONTROL_USER_NAMESPACE, "the engine's user namespace has no %s", key);
  r = restrict_items (m, maps, key, JSON_OBJECT);
  for (size_t i = 0; r == 0 && i < maps->count; i++) {
    bool there = false, whole = false;
    int64_t host = 0, first = 0, size = 0;

    r = restrict_find_number (m, maps->items[i], "hostID", &there, &host);
    if (r == 0 && (!there || host <= 0))
      r = restrict_refuse (m, CONTROL_USER_NAMESPACE,
                           "the engine's user namespace has the host's root in it");
    if (r == 0)
      r = restrict_find_number (m, maps->items[i], "containerID", &there, &first);
    if (r == 0)
      r = restrict_find_number (m, maps->items[i], "size", &whole, &size);
    has_id = has_id || (there && whole && first >= 0 && first <= (int64_t) id && (int64_t) id - first < size);
  }
  /* Runtimes say no more than "invalid argument". */
  if (r == 0 && !has_id)
    r = restrict_refuse (m, CONTROL_USER_NAMESPACE,
                         "the engine's user namespace has no id %u in its %s, which profile '%s' has for the "
                         "command; ask for more ids (podman run --userns=auto:size=16384)",
                         id, key, m->policy->profile);
  return r;
}

/* One range for users and groups, as in our own runs. */
static void write_map (struct meet *m, struct json_node *linux_, const char *key)
{
  const struct plan_id_map *ids = &m->policy->ids;
  struct json_node *maps = json_new (JSON_ARRAY), *map = json_new (JSON_OBJECT);

  restrict_set (m, linux_, key, maps);
  if (maps == NULL || m->failed) {
    json_free (map);
    return;
  }
  restrict_append (m, maps, map);
  if (map == NULL || m->failed)
    return;
  restrict_set (m, map, "containerID", json_new_number (ids->inside));
  restrict_set (m, map, "hostID", json_new_number (ids->outside));
  restrict_set (m, map, "size", json_new_number (ids->count));
}

static int add_user_namespace (struct meet *m, struct json_node *linux_, struct json_node *list)
{
  const struct spec_policy *policy = m->policy;
  const struct value *user = restrict_value (m, SETTING_USER);

  if (!policy->host->user_namespaces)
    return control_is_required (CONTROL_USER_NAMESPACE, policy->settings)
               ? restrict_refuse (m, CONTROL_USER_NAMESPACE, "this host's kernel gives no user namespaces")
               : 0;
  if (policy->ids.count > 0 && (user->uid >= policy->ids.count || user->gid >= policy->ids.count))
    return restrict_refuse (m, CONTROL_USER_NAMESPACE,
                            "a container has the ids 0 to %u, so it cannot run as %u:%u",
                            policy->ids.count - 1, user->uid, user->gid);
  restrict_note (m, CONTROL_USER_NAMESPACE, "the host's user namespace becomes one of its own");
  /* Without ids to give it can only be said. */
  if (policy->ids.count == 0)
    return 0;
  m->adds_userns = true;
  add_type (m, list, "user");
  write_map (m, linux_, "uidMappings");
  write_map (m, linux_, "gidMappings");
  return 0;
}

static int restrict_user_namespace (struct meet *m, struct json_node *linux_, struct json_node *list)
{
  struct json_node *entry = find_type (list, "user");
  const struct value *user = restrict_value (m, SETTING_USER);
  const char *path = NULL;
  int r;

  if (restrict_value (m, SETTING_USER_NAMESPACE)->level != USERNS_PRIVATE)
    return 0;
  if (entry == NULL)
    return add_user_namespace (m, linux_, list);
  r = restrict_find_text (m, entry, "path", &path);
  if (r < 0)
    return r;
  if (path != NULL && path[0] != '\0')
    return restrict_refuse (m, CONTROL_USER_NAMESPACE,
                            "the container is to join the user namespace '%s', which may be the host's",
                            path);
  r = check_map (m, linux_, "uidMappings", user->uid);
  return r < 0 ? r : check_map (m, linux_, "gidMappings", user->gid);
}

int restrict_namespaces (struct meet *m, struct json_node *linux_)
{
  static const struct {
    const char *type;
    enum control control;
  } own[] = {
    { "pid", CONTROL_NAMESPACE_PID },       { "ipc", CONTROL_NAMESPACE_IPC },
    { "uts", CONTROL_NAMESPACE_UTS },       { "mount", CONTROL_NAMESPACE_MOUNT },
    { "cgroup", CONTROL_NAMESPACE_CGROUP },
  };
  struct json_node *list = NULL;
  int r = restrict_make (m, linux_, "namespaces", JSON_ARRAY, &list);

  if (r == 0)
    r = restrict_items (m, list, "namespaces", JSON_OBJECT);
  /* Two entries of one type: runtimes differ in which of them counts. */
  for (size_t i = 0; r == 0 && i < list->count; i++) {
    const char *type = NULL;

    r = restrict_find_text (m, list->items[i], "type", &type);
    if (r == 0 && (type == NULL || find_type (list, type) != list->items[i]))
      r = error_set (m->err, -EINVAL, "config.json: namespaces[%zu]: no type, or one that is there already",
                     i);
  }
  for (size_t i = 0; r == 0 && i < ARRAY_LEN (own); i++)
    r = own_one (m, list, own[i].type, own[i].control);
  if (r == 0)
    r = restrict_network (m, list);
  return r < 0 ? r : restrict_user_namespace (m, linux_, list);
}
