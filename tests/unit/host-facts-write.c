/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "host-facts-write.h"

#include "base-json-write.h"

static void write_range (struct json_writer *w, const char *key, struct id_range range)
{
  json_object_begin (w, key);
  json_number (w, "first", range.first);
  json_number (w, "count", range.count);
  json_object_end (w);
}

static void write_paths (struct json_writer *w, const char *key, const struct path_facts *facts);

static void write_traced (struct json_writer *w, const struct path_fact *fact)
{
  const struct path_facts below = { fact->below, fact->below_count };

  json_string (w, "filesystem", fact->filesystem);
  json_array_begin (w, "places");
  for (size_t i = 0; i < fact->place_count; i++) {
    json_object_begin (w, NULL);
    json_string (w, "path", fact->places[i].path);
    json_string (w, "mount", fact->places[i].mount);
    json_string (w, "root", fact->places[i].root);
    json_object_end (w);
  }
  json_array_end (w);
  write_paths (w, "below", &below);
}

static void write_paths (struct json_writer *w, const char *key, const struct path_facts *facts)
{
  json_array_begin (w, key);
  for (size_t i = 0; i < facts->count; i++) {
    const struct path_fact *fact = &facts->items[i];

    json_object_begin (w, NULL);
    json_string (w, "path", fact->path);
    json_string (w, "type", path_type_text (fact->type));
    if (fact->target != NULL)
      json_string (w, "target", fact->target);
    if (fact->real != NULL)
      json_string (w, "real", fact->real);
    json_number (w, "device", fact->device);
    json_number (w, "inode", fact->inode);
    if (fact->magic)
      json_bool (w, "magic", true);
    if (fact->filesystem != NULL)
      write_traced (w, fact);
    json_object_end (w);
  }
  json_array_end (w);
}

static void write_apparmor (struct json_writer *w, const struct host_facts *facts)
{
  json_object_begin (w, "apparmor");
  json_bool (w, "enabled", facts->apparmor);
  json_strings (w, "profiles", &facts->apparmor_profiles);
  json_object_end (w);
}

int host_facts_write (const struct host_facts *facts, char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };

  json_object_begin (&w, NULL);
  json_string (&w, "machine", facts->machine);
  json_string (&w, "kernel", facts->kernel);
  json_number (&w, "uid", facts->uid);
  json_number (&w, "gid", facts->gid);
  json_string (&w, "home", facts->home);
  json_string (&w, "config_home", facts->config_home);
  json_string (&w, "state_dir", facts->state_dir);
  json_string (&w, "storage_dir", facts->storage_dir);
  json_string (&w, "cgroup", cgroup_mode_text (facts->cgroup));
  json_bool (&w, "cgroup_writable", facts->cgroup_writable);
  if (facts->cgroup_delegated != NULL)
    json_string (&w, "cgroup_delegated", facts->cgroup_delegated);
  json_strings (&w, "cgroup_controllers", &facts->cgroup_controllers);
  json_bool (&w, "swap_accounting", facts->swap_accounting);
  write_apparmor (&w, facts);
  json_strings (&w, "seccomp_actions", &facts->seccomp_actions);
  json_number (&w, "landlock_abi", facts->landlock_abi);
  json_bool (&w, "user_namespaces", facts->user_namespaces);
  json_bool (&w, "openat2", facts->openat2);
  json_number (&w, "open_files_hard", facts->open_files_hard);
  json_number (&w, "processes_hard", facts->processes_hard);
  write_range (&w, "subuid", facts->subuid);
  write_range (&w, "subgid", facts->subgid);
  write_paths (&w, "root", &facts->root);
  write_paths (&w, "sockets", &facts->sockets);
  write_paths (&w, "paths", &facts->paths);
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}
