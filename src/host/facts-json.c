/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "host-facts.h"

#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-json-object.h"
#include "base-json-read.h"
#include "base-limits.h"
#include "base-path.h"
#include "base-places.h"
#include "host-internal.h"

_Static_assert(sizeof (unsigned) == sizeof (uint32_t), "landlock_abi is read as 32 bits");

static JSON_READER (read_normal_path)
{
  if (!path_is_normal (node->text))
    return json_fail (place, node, err, "'%s' is not an absolute path in its normal form", node->text);
  return json_into_text (place, node, at, err);
}

static JSON_READER (read_name)
{
  if (node->text[0] == '\0')
    return json_fail (place, node, err, "must not be empty");
  return json_into_text (place, node, at, err);
}

/* Stores the index in NAMES of the text of NODE. */
static int read_choice (const struct json_place *place, const struct json_node *node,
                        const char *const *names, size_t count, unsigned *ret_index, struct error *err)
{
  const char *near;

  for (size_t i = 0; i < count; i++)
    if (strcmp (node->text, names[i]) == 0) {
      *ret_index = (unsigned) i;
      return 0;
    }
  near = str_nearest (node->text, names, count);
  if (near != NULL)
    return json_fail (place, node, err, "unknown value '%s', did you mean '%s'?", node->text, near);
  return json_fail (place, node, err, "unknown value '%s'", node->text);
}

_Static_assert(sizeof (enum cgroup_mode) == sizeof (unsigned) && sizeof (enum path_type) == sizeof (unsigned),
               "an index is stored as the enum that it is");

static JSON_READER (read_cgroup)
{
  return read_choice (place, node, cgroup_mode_names, CGROUP_MODES, at, err);
}

static JSON_READER (read_path_type)
{
  return read_choice (place, node, path_type_names, PATH_TYPES, at, err);
}

static JSON_READER (read_apparmor)
{
  static const struct json_field fields[] = {
    { "enabled", JSON_BOOL, json_into_bool, offsetof (struct host_facts, apparmor) },
    { "profiles", JSON_ARRAY, json_into_set, offsetof (struct host_facts, apparmor_profiles) },
  };

  return json_read_object (place, node, fields, ARRAY_LEN (fields), at, err);
}

static JSON_READER (read_range)
{
  static const struct json_field fields[] = {
    { "first", JSON_NUMBER, json_into_u32, offsetof (struct id_range, first) },
    { "count", JSON_NUMBER, json_into_u32, offsetof (struct id_range, count) },
  };
  struct id_range range = { 0 };
  int r = json_read_object (place, node, fields, ARRAY_LEN (fields), &range, err);

  if (r < 0)
    return r;
  if ((uint64_t) range.first + range.count > (uint64_t) LIMIT_ID_MAX + 1)
    return json_fail (place, node, err, "ids past %u", LIMIT_ID_MAX);
  *(struct id_range *) at = range;
  return 0;
}

/* Checks that involve several keys of an entry of "root", "sockets" or "paths". */
static int check_path (const struct json_place *place, const struct json_node *node,
                       const struct path_fact *fact, const struct path_facts *others, struct error *err)
{
  if (json_get (node, "type") == NULL && fact->type != PATH_SOCKET)
    return json_fail (place, node, err, "'type' is missing");
  if (fact->type == PATH_SYMLINK && fact->target == NULL)
    return json_fail (place, node, err, "a symlink needs 'target'");
  if (fact->type == PATH_ABSENT && fact->real != NULL)
    return json_fail (place, node, err, "an absent path has no 'real'");
  if (path_facts_find (others, fact->path) != NULL)
    return json_fail (place, node, err, "'%s' is listed twice", fact->path);
  return 0;
}

/* Without "target" the path is its own real path; without "places" it lies on the mount of the root. */
static int complete_path (const struct json_place *place, const struct json_node *node,
                          struct path_fact *fact, struct error *err)
{
  if (fact->path == NULL)
    return json_fail (place, node, err, "'path' is missing");
  if (fact->type == PATH_ABSENT || fact->type == PATH_SYMLINK)
    return 0;
  if (fact->real == NULL && (fact->target != NULL || !path_is_normal (fact->path)))
    return json_fail (place, node, err, "'real' is missing, and '%s' may differ from it", fact->path);
  if (fact->real == NULL)
    fact->real = strdup (fact->path);
  if (fact->real == NULL
      || (fact->filesystem != NULL && fact->place_count == 0
          && path_fact_add_place (fact, fact->real, "/", "/") < 0))
    return error_oom (err);
  return 0;
}

static JSON_READER (add_place)
{
  static const struct json_field fields[] = {
    { "path", JSON_STRING, read_normal_path, offsetof (struct path_place, path) },
    { "mount", JSON_STRING, read_normal_path, offsetof (struct path_place, mount) },
    { "root", JSON_STRING, read_normal_path, offsetof (struct path_place, root) },
  };
  struct path_place found = { 0 };
  int r = json_read_object (place, node, fields, ARRAY_LEN (fields), &found, err);

  if (r == 0 && (found.path == NULL || found.mount == NULL || found.root == NULL))
    r = json_fail (place, node, err, "a place needs 'path', 'mount' and 'root'");
  if (r == 0 && path_fact_add_place (at, found.path, found.mount, found.root) < 0)
    r = error_oom (err);
  free (found.path);
  free (found.mount);
  free (found.root);
  return r;
}

static JSON_READER (read_places)
{
  return json_read_array (place, node, JSON_OBJECT, LIMIT_HOST_ENTRIES, add_place, at, err);
}

static json_reader add_below;

static JSON_READER (read_below)
{
  return json_read_array (place, node, JSON_OBJECT, LIMIT_HOST_ENTRIES, add_below, at, err);
}

static int read_path (const struct json_place *place, const struct json_node *node, enum path_type type,
                      struct path_fact *fact, struct error *err)
{
  static const struct json_field fields[] = {
    { "path", JSON_STRING, read_name, offsetof (struct path_fact, path) },
    { "type", JSON_STRING, read_path_type, offsetof (struct path_fact, type) },
    { "target", JSON_STRING, read_name, offsetof (struct path_fact, target) },
    { "real", JSON_STRING, read_normal_path, offsetof (struct path_fact, real) },
    { "device", JSON_NUMBER, json_into_u64, offsetof (struct path_fact, device) },
    { "inode", JSON_NUMBER, json_into_u64, offsetof (struct path_fact, inode) },
    { "magic", JSON_BOOL, json_into_bool, offsetof (struct path_fact, magic) },
    { "filesystem", JSON_STRING, read_name, offsetof (struct path_fact, filesystem) },
    { "places", JSON_ARRAY, read_places, 0 },
    { "below", JSON_ARRAY, read_below, 0 },
  };
  int r;

  fact->type = type;
  r = json_read_object (place, node, fields, ARRAY_LEN (fields), fact, err);
  return r < 0 ? r : complete_path (place, node, fact, err);
}

static JSON_READER (add_below)
{
  cleanup_path_fact struct path_fact fact = { 0 };
  int r = read_path (place, node, PATH_DIRECTORY, &fact, err);

  if (r == 0 && fact.filesystem == NULL)
    r = json_fail (place, node, err, "'filesystem' is missing");
  if (r == 0 && path_fact_add_below (at, &fact) < 0)
    r = error_oom (err);
  return r;
}

static int add_path (const struct json_place *place, const struct json_node *node, struct path_facts *facts,
                     enum path_type type, struct error *err)
{
  cleanup_path_fact struct path_fact fact = { 0 };
  int r = read_path (place, node, type, &fact, err);

  if (r == 0)
    r = check_path (place, node, &fact, facts, err);
  if (r == 0 && path_facts_add (facts, &fact) < 0)
    r = error_oom (err);
  return r;
}

static JSON_READER (add_any_path)
{
  return add_path (place, node, at, PATH_ABSENT, err);
}

static JSON_READER (add_socket)
{
  return add_path (place, node, at, PATH_SOCKET, err);
}

static JSON_READER (read_paths)
{
  return json_read_array (place, node, JSON_OBJECT, LIMIT_HOST_ENTRIES, add_any_path, at, err);
}

static JSON_READER (read_sockets)
{
  return json_read_array (place, node, JSON_OBJECT, LIMIT_HOST_ENTRIES, add_socket, at, err);
}

#define FACT(field) offsetof (struct host_facts, field)

static const struct json_field fact_fields[] = {
  { "machine", JSON_STRING, read_name, FACT (machine) },
  { "kernel", JSON_STRING, read_name, FACT (kernel) },
  { "uid", JSON_NUMBER, json_into_u32, FACT (uid) },
  { "gid", JSON_NUMBER, json_into_u32, FACT (gid) },
  { "home", JSON_STRING, read_normal_path, FACT (home) },
  { "config_home", JSON_STRING, read_normal_path, FACT (config_home) },
  { "state_dir", JSON_STRING, read_normal_path, FACT (state_dir) },
  { "storage_dir", JSON_STRING, read_normal_path, FACT (storage_dir) },
  { "cgroup", JSON_STRING, read_cgroup, FACT (cgroup) },
  { "cgroup_writable", JSON_BOOL, json_into_bool, FACT (cgroup_writable) },
  { "cgroup_delegated", JSON_STRING, read_normal_path, FACT (cgroup_delegated) },
  { "cgroup_controllers", JSON_ARRAY, json_into_set, FACT (cgroup_controllers) },
  { "swap_accounting", JSON_BOOL, json_into_bool, FACT (swap_accounting) },
  { "apparmor", JSON_OBJECT, read_apparmor, 0 },
  { "seccomp_actions", JSON_ARRAY, json_into_set, FACT (seccomp_actions) },
  { "landlock_abi", JSON_NUMBER, json_into_u32, FACT (landlock_abi) },
  { "user_namespaces", JSON_BOOL, json_into_bool, FACT (user_namespaces) },
  { "openat2", JSON_BOOL, json_into_bool, FACT (openat2) },
  { "open_files_hard", JSON_NUMBER, json_into_u64, FACT (open_files_hard) },
  { "processes_hard", JSON_NUMBER, json_into_u64, FACT (processes_hard) },
  { "subuid", JSON_OBJECT, read_range, FACT (subuid) },
  { "subgid", JSON_OBJECT, read_range, FACT (subgid) },
  { "root", JSON_ARRAY, read_paths, FACT (root) },
  { "sockets", JSON_ARRAY, read_sockets, FACT (sockets) },
  { "paths", JSON_ARRAY, read_paths, FACT (paths) },
};

/* Sets a text that the document left out; false when memory ran out. */
static bool complete_text (char **text, char *value)
{
  if (*text == NULL)
    *text = value;
  else
    free (value);
  return *text != NULL;
}

static int complete_facts (struct host_facts *facts, struct error *err)
{
  bool root = facts->uid == 0;

  if (complete_text (&facts->machine, strdup (DEFAULT_MACHINE))
      && complete_text (&facts->kernel, strdup (DEFAULT_KERNEL))
      && complete_text (&facts->home, strdup (root ? "/root" : HOME_UNKNOWN))
      && complete_text (&facts->config_home, look_config_home (facts->uid, facts->home, NULL))
      && complete_text (&facts->state_dir, places_state_of (facts->uid, NULL))
      && complete_text (&facts->storage_dir, look_storage_dir (facts->uid, facts->home, NULL)))
    return 0;
  return error_oom (err);
}

int host_facts_read (const char *name, const char *text, size_t len, struct host_facts **ret_facts,
                     struct error *err)
{
  static const struct json_limits limits = {
    .bytes = LIMIT_HOST_FILE_BYTES,
    .depth = LIMIT_PROFILE_DEPTH,
    .nodes = LIMIT_PROFILE_NODES,
    .comments = true,
  };
  cleanup_host_facts struct host_facts *facts = calloc (1, sizeof (*facts));
  cleanup_json struct json_node *tree = NULL;
  struct json_place place = { .name = name };
  int r;

  if (facts == NULL)
    return error_oom (err);
  facts->uid = facts->gid = DEFAULT_ID;
  facts->open_files_hard = DEFAULT_OPEN_FILES;
  facts->processes_hard = DEFAULT_PROCESSES;
  r = json_read (name, text, len, &limits, &tree, err);
  if (r == 0)
    r = json_read_object (&place, tree, fact_fields, ARRAY_LEN (fact_fields), facts, err);
  if (r == 0)
    r = complete_facts (facts, err);
  if (r == 0)
    *ret_facts = take_ptr (facts);
  return r;
}
