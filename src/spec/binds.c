/* Binds: what of the host appears inside.
 *
 * A source is judged by where it really lies: places that hand the host over are refused, programs are
 * read-only, sensitive places need the profile's grant, and every other folder is the container's workspace.
 * What the engine keeps for this container, with the container's id in its path, is the engine's business,
 * and so are a few files that containers of a pod share.
 */
#include <config.h>

#include "spec-meet-internal.h"

#include <errno.h>
#include <string.h>

#include "base-path.h"
#include "plan-source.h"
#include "profile-source.h"

/* The ids that engines make up are long random numbers. One that somebody chose may be part of any path. */
#define ID_MIN 32u

bool spec_mount_is_bind (const struct json_node *mount)
{
  const struct json_node *type = json_get (mount, "type");

  return (type != NULL && type->type == JSON_STRING && strcmp (type->text, "bind") == 0)
         || option_there (mount, "bind") || option_there (mount, "rbind");
}

static int add_source (const struct json_node *source, struct strlist *paths)
{
  cleanup_free char *path = NULL;
  int r;

  if (source == NULL || source->type != JSON_STRING)
    return 0;
  r = spec_normal_path (source->text, &path);
  if (r == -EINVAL)
    return 0; /* "proc", "tmpfs"; a bind of such is refused later */
  return r < 0 ? r : strset_add (paths, path);
}

int spec_sources (const struct json_node *config, struct strlist *ret_paths, struct error *err)
{
  const struct json_node *mounts = json_get (config, "mounts");
  cleanup_strlist struct strlist paths = { 0 };
  int r = add_source (json_get (json_get (config, "root"), "path"), &paths);

  for (size_t i = 0; r >= 0 && mounts != NULL && mounts->type == JSON_ARRAY && i < mounts->count; i++)
    r = add_source (json_get (mounts->items[i], "source"), &paths);
  if (r < 0)
    return error_oom (err);
  *ret_paths = paths;
  paths = (struct strlist){ 0 };
  return 0;
}

static bool has_component (const char *path, const char *name)
{
  size_t len = name ? strlen (name) : 0;

  if (len < ID_MIN || strspn (name, "0123456789abcdef") != len)
    return false;
  for (const char *at = strstr (path, name); at != NULL; at = strstr (at + 1, name))
    if (at > path && at[-1] == '/' && (at[len] == '/' || at[len] == '\0'))
      return true;
  return false;
}

/* Containers of a pod share a few files of the pod's own container. Which that is stands in annotations, and
 * those can be anybody's: so it is these files, in these places, or nothing. */
static bool is_pods_file (const char *real)
{
  static const char *const places[] = { "/var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes",
                                        "/run/containerd/io.containerd.grpc.v1.cri/sandboxes",
                                        "/run/containers/storage/overlay-containers",
                                        "/var/run/containers/storage/overlay-containers" };
  static const char *const names[] = { "hostname", "hosts", "resolv.conf", "shm" };
  const char *slash = strrchr (real, '/');

  for (size_t i = 0; i < ARRAY_LEN (places); i++)
    for (size_t k = 0; k < ARRAY_LEN (names) && path_is_within (real, places[i]); k++)
      if (strcmp (slash + 1, names[k]) == 0)
        return true;
  return false;
}

static bool is_engines_own (const struct meet *m, const char *real)
{
  return has_component (real, m->policy->container) || is_pods_file (real);
}

/* Volumes lie in the engines' storage, beside what nobody may see. */
static bool is_volume (const char *real)
{
  static const char *const stores[] = { "/var/lib/docker/volumes", "/var/lib/containers/storage/volumes" };

  for (size_t i = 0; i < ARRAY_LEN (stores); i++)
    if (path_is_within (real, stores[i]) && strstr (real, "/_data") != NULL)
      return true;
  return false;
}

static bool is_granted (const struct meet *m, const char *real)
{
  const struct grants *grants = &meet_value (m, SETTING_MOUNTS)->grants;

  for (size_t i = 0; i < grants->count; i++)
    if (grants->items[i].source != NULL && path_is_within (real, grants->items[i].source))
      return true;
  return false;
}

static int refuse_bind (struct meet *m, const char *source, const char *dest, const char *why)
{
  return meet_refuse (m, CONTROL_WORKSPACE_BOUNDED,
                      "'%s' cannot be bound to '%s': %s; start it without that mount", source, dest, why);
}

/* Whether the bind must not be written, by what its source is. */
static int judge (struct meet *m, const struct path_fact *fact, const char *dest, bool writable,
                  bool *ret_read_only, bool *ret_folder)
{
  const char *why = source_forbidden (m->policy->host, fact, writable);
  enum source_class class;

  *ret_read_only = *ret_folder = false;
  if (why != NULL)
    return refuse_bind (m, fact->real, dest, why);
  if (fact->type != PATH_DIRECTORY && fact->type != PATH_FILE)
    return refuse_bind (m, fact->real, dest, "it is neither a folder nor a file");
  if (is_engines_own (m, fact->real))
    return 0;
  class = is_volume (fact->real) ? SOURCE_PLAIN : source_classify (fact->real, &why);
  if (class == SOURCE_FORBIDDEN)
    return refuse_bind (m, fact->real, dest, why);
  if (class == SOURCE_SENSITIVE && !is_granted (m, fact->real))
    return refuse_bind (m, fact->real, dest, why);
  if (class == SOURCE_PLAIN && meet_value (m, SETTING_WORKSPACE)->level == WORKSPACE_NONE
      && !is_granted (m, fact->real))
    return refuse_bind (m, fact->real, dest, "the profile has no workspace");
  *ret_read_only = class != SOURCE_PLAIN || meet_value (m, SETTING_WORKSPACE)->level != WORKSPACE_READ_WRITE;
  *ret_folder = class == SOURCE_PLAIN && fact->type == PATH_DIRECTORY;
  return 0;
}

/* An idmapped mount gives files other owners. */
static int check_id_maps (struct meet *m, const struct json_node *mount, const char *dest)
{
  const struct json_node *options = json_get (mount, "options");
  bool mapped = json_get (mount, "uidMappings") != NULL || json_get (mount, "gidMappings") != NULL;

  for (size_t i = 0; options != NULL && i < options->count; i++) {
    const char *option = options->items[i]->text;

    mapped = mapped || str_has_prefix (option, "idmap") || str_has_prefix (option, "ridmap");
  }
  return mapped ? meet_refuse (m, CONTROL_USER_NAMESPACE,
                               "the mount on '%s' has ids mapped; start it without that", dest)
                : 0;
}

bool spec_mount_is_read_only (const struct json_node *mount)
{
  return option_there (mount, "ro") && !option_there (mount, "rw");
}

int meet_bind (struct meet *m, struct json_node *mount, const char *dest, bool *ret_folder)
{
  cleanup_free char *path = NULL;
  const struct path_fact *fact;
  const char *source = NULL;
  bool read_only = false;
  int r = meet_find_text (m, mount, "source", &source);

  if (r < 0)
    return r;
  r = source ? spec_normal_path (source, &path) : -EINVAL;
  if (r == -ENOMEM)
    return error_oom (m->err);
  if (r < 0)
    return refuse_bind (m, source ? source : "", dest, "its source is not an absolute path without '..'");
  fact = path_facts_find (&m->policy->host->paths, path);
  if (fact == NULL || fact->type == PATH_ABSENT || fact->real == NULL)
    return refuse_bind (m, path, dest, "it does not exist");
  r = check_id_maps (m, mount, dest);
  if (r == 0)
    r = judge (m, fact, dest, !spec_mount_is_read_only (mount), &read_only, ret_folder);
  if (r < 0)
    return r;
  /* What was judged is what is mounted: no link is left for the runtime to follow. */
  if (strcmp (source, fact->real) != 0)
    meet_set (m, mount, "source", json_new_text (JSON_STRING, fact->real));
  if (read_only && !spec_mount_is_read_only (mount)) {
    option_force (m, mount, "ro", "rw");
    meet_note (m, CONTROL_WORKSPACE_BOUNDED, "the mount on '%s' is made read-only", dest);
  }
  return 0;
}
