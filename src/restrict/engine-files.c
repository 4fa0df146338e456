/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What engines keep on a host, and what of it belongs in a container.
 *
 * An engine's directories hold every container of the host, and files that the engine obeys: with the bundle
 * writable, a container rewrote the path of the program that containerd executes next. So nothing comes from
 * there but the files that engines are known to bring, each by its place, its name and its mount point, and
 * they are read-only; and volumes, which are the user's own data.
 *
 * As seen with Docker 20.10, Podman 4.3 and containerd 1.6, and as CRI-O and later versions have it. Where
 * the directories lie is known for the usual places, and for others told by what the engine itself names: the
 * bundle, the root and its layers, and the files that it brings.
 */
#include <config.h>

#include "restrict-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-path.h"

/* The ids that engines make up are long random numbers. One that a user chose may be part of any path. */
#define ID_MIN 32u

/* A file or directory for one container. */
struct brought {
  const char *above; /* how the directory of all containers ends */
  const char *below; /* the path in the container's own; '*' for the last name means any */
  const char *dest;  /* NULL: any */
};

#define DOCKER "/containers"
#define PODMAN "-containers" /* overlay-containers, after the storage driver; CRI-O too */
#define CRI    "/io.containerd.grpc.v1.cri/sandboxes"

static const struct brought brought[] = {
  { DOCKER, "resolv.conf", "/etc/resolv.conf" },
  { DOCKER, "hostname", "/etc/hostname" },
  { DOCKER, "hosts", "/etc/hosts" },
  { DOCKER, "mounts/secrets/*", NULL },
  { PODMAN, "userdata/resolv.conf", "/etc/resolv.conf" },
  { PODMAN, "userdata/hostname", "/etc/hostname" },
  { PODMAN, "userdata/hosts", "/etc/hosts" },
  { PODMAN, "userdata/passwd", "/etc/passwd" },
  { PODMAN, "userdata/group", "/etc/group" },
  { PODMAN, "userdata/localtime", "/etc/localtime" },
  { PODMAN, "userdata/timezone", "/etc/timezone" },
  { PODMAN, "userdata/.containerenv", "/run/.containerenv" },
  { PODMAN, "userdata/run/secrets", "/run/secrets" },
  { PODMAN, "userdata/notify", "/run/notify" },
  { PODMAN, "userdata/secrets/*", NULL },
};

/* Containers of a pod share a few files of the pod's own container. Annotations name it, and any
 * client of the engine can write those: so only these files, in these places, are accepted. */
static const struct brought shared[] = {
  { "/var/lib/containerd" CRI, "resolv.conf", "/etc/resolv.conf" },
  { "/var/lib/containerd" CRI, "hostname", "/etc/hostname" },
  { "/var/lib/containerd" CRI, "hosts", "/etc/hosts" },
  { "/run/containerd" CRI, "resolv.conf", "/etc/resolv.conf" },
  { "/run/containerd" CRI, "hostname", "/etc/hostname" },
  { "/run/containerd" CRI, "hosts", "/etc/hosts" },
  { "/run/containers/storage/overlay-containers", "userdata/resolv.conf", "/etc/resolv.conf" },
  { "/run/containers/storage/overlay-containers", "userdata/hostname", "/etc/hostname" },
  { "/run/containers/storage/overlay-containers", "userdata/hosts", "/etc/hosts" },
};

/* Volumes without a name that an image asks for. */
static const struct brought volumes[] = {
  { "/io.containerd.grpc.v1.cri/containers", "volumes/*", NULL },
  { PODMAN, "userdata/mounts/*", NULL },
};

static bool is_id (const char *id)
{
  size_t len = id ? strlen (id) : 0;

  return len >= ID_MIN && strspn (id, "0123456789abcdef") == len;
}

static bool ends_in (const char *text, size_t len, const char *end)
{
  size_t n = strlen (end);

  return len >= n && strncmp (text + len - n, end, n) == 0;
}

/* REST is BELOW. */
static bool is_below (const char *rest, const char *below)
{
  size_t fixed = strlen (below) - 1;

  if (below[fixed] != '*')
    return strcmp (rest, below) == 0;
  return strncmp (rest, below, fixed) == 0 && rest[fixed] != '\0' && strchr (rest + fixed, '/') == NULL;
}

/* PATH is "HEAD/ID/REST": the length of HEAD, and REST; 0: it is not. */
static size_t split (const char *path, const char *id, const char **ret_rest)
{
  size_t len = strlen (id);

  for (const char *at = strstr (path, id); at != NULL; at = strstr (at + 1, id))
    if (at > path + 1 && at[-1] == '/' && at[len] == '/') {
      *ret_rest = at + len + 1;
      return (size_t) (at - 1 - path);
    }
  return 0;
}

/* DEST: NULL for wherever it is mounted. */
static const struct brought *find_own (const struct brought *table, size_t count, const char *container,
                                       const char *path, const char *dest)
{
  const char *rest = NULL;
  size_t head = is_id (container) ? split (path, container, &rest) : 0;

  for (size_t i = 0; head > 0 && i < count; i++)
    if (ends_in (path, head, table[i].above) && is_below (rest, table[i].below)
        && (dest == NULL || table[i].dest == NULL || strcmp (table[i].dest, dest) == 0))
      return &table[i];
  return NULL;
}

/* The same where containerd's directory is another one. */
static bool is_pods_file_in (const char *store, const char *path, const char *dest)
{
  cleanup_free char *above = str_format ("%s" CRI, store);
  size_t len = above ? strlen (above) : 0;
  const char *rest =
      above != NULL && path_is_within (path, above) && path[len] == '/' ? strchr (path + len + 1, '/') : NULL;

  for (size_t i = 0; rest != NULL && i < ARRAY_LEN (shared); i++)
    if (strcmp (shared[i].below, rest + 1) == 0 && strcmp (shared[i].dest, dest) == 0)
      return true;
  return false;
}

static bool is_pods_file (const struct meet *m, const char *path, const char *dest)
{
  for (size_t i = 0; i < m->stores->count; i++)
    if (is_pods_file_in (m->stores->items[i], path, dest))
      return true;
  for (size_t i = 0; i < ARRAY_LEN (shared); i++) {
    size_t len = strlen (shared[i].above);
    const char *rest =
        path_is_within (path, shared[i].above) && path[len] == '/' ? strchr (path + len + 1, '/') : NULL;

    if (rest != NULL && is_below (rest + 1, shared[i].below) && strcmp (shared[i].dest, dest) == 0)
      return true;
  }
  return false;
}

bool engine_brings (const struct meet *m, const char *path, const char *dest)
{
  return find_own (brought, ARRAY_LEN (brought), m->policy->container, path, dest) != NULL
         || is_pods_file (m, path, dest);
}

bool engine_brings_some (const struct meet *m, const char *path, const char *dest)
{
  for (const char *at = path; m->policy->container == NULL && (at = strchr (at, '/')) != NULL; at++) {
    cleanup_free char *name = strndup (at + 1, strcspn (at + 1, "/"));

    if (name != NULL && is_id (name) && find_own (brought, ARRAY_LEN (brought), name, path, dest) != NULL)
      return true;
  }
  return false;
}

/* "/volumes/NAME/_data" at the start of REST: how long that is; 0: something else. */
static size_t volume_at (const char *rest)
{
  static const char above[] = "/volumes/", own[] = "/_data";
  const char *name = rest + strlen (above), *end;

  if (!str_has_prefix (rest, above))
    return 0;
  end = strchr (name, '/');
  if (end == NULL || end == name || !str_has_prefix (end, own))
    return 0;
  end += strlen (own);
  return *end == '/' || *end == '\0' ? (size_t) (end - rest) : 0;
}

size_t engine_volume (const char *path)
{
  for (const char *at = path; (at = strchr (at, '/')) != NULL; at++)
    if (volume_at (at) > 0)
      return (size_t) (at - path) + volume_at (at);
  return 0;
}

/* The length of PATH's directory. */
static size_t above_of (const char *path, size_t len)
{
  while (len > 0 && path[len - 1] != '/')
    len--;
  return len > 0 ? len - 1 : 0;
}

static int add_store (struct strlist *stores, const char *path, size_t len)
{
  cleanup_free char *store = len > 0 ? strndup (path, len) : NULL;

  if (len == 0)
    return 0;
  return store == NULL || strset_add (stores, store) < 0 ? -ENOMEM : 0;
}

/* What PATH, which is the engine's, tells. */
static int add_stores_of (struct strlist *stores, const char *container, const char *path)
{
  const char *rest = NULL, *tasks = strstr (path, "/io.containerd.");
  size_t head = is_id (container) ? split (path, container, &rest) : 0;

  if (tasks != NULL && tasks > path)
    return add_store (stores, path, (size_t) (tasks - path));
  if (head > 0 && (ends_in (path, head, DOCKER) || ends_in (path, head, PODMAN)))
    return add_store (stores, path, above_of (path, head));
  return 0;
}

/* The directory of all layers, when PATH is that of one, as Docker has it: its containers' files can all be
 * replaced by the user's. */
static size_t layers_above (const char *path)
{
  static const char *const kept[] = {
    "overlay2/",         "fuse-overlayfs/", "rootfs/overlayfs/", "vfs/dir/",
    "btrfs/subvolumes/", "zfs/graph/",      "devicemapper/mnt/", "aufs/mnt/"
  };

  for (const char *at = path; (at = strchr (at, '/')) != NULL; at++)
    for (size_t i = 0; i < ARRAY_LEN (kept); i++) {
      const char *id = at + 1 + strlen (kept[i]);

      if (str_has_prefix (at + 1, kept[i]) && strspn (id, "0123456789abcdef") >= ID_MIN)
        return (size_t) (at - path);
    }
  return 0;
}

static int add_roots_stores (struct meet *m, struct strlist *stores)
{
  const struct json_node *root = json_get (json_get (m->config, "root"), "path");
  const struct strlist *layers = m->policy->layers;
  int r = root != NULL && root->type == JSON_STRING
              ? add_store (stores, root->text, layers_above (root->text))
              : 0;

  for (size_t i = 0; r == 0 && layers != NULL && i < layers->count; i++) {
    r = add_store (stores, layers->items[i], layers_above (layers->items[i]));
    if (r == 0)
      r = add_stores_of (stores, NULL, layers->items[i]);
  }
  return r;
}

int engine_find_stores (struct meet *m, const struct json_node *mounts, struct strlist *stores)
{
  static const char *const usual[] = { "/var/lib/docker", "/var/lib/containers/storage" };
  const char *container = m->policy->container;
  int r = m->policy->bundle ? add_stores_of (stores, container, m->policy->bundle) : 0;

  if (r == 0)
    r = add_roots_stores (m, stores);
  for (size_t i = 0; r == 0 && i < ARRAY_LEN (usual); i++)
    r = strset_add (stores, usual[i]);
  for (size_t i = 0; r >= 0 && i < mounts->count; i++) {
    const struct json_node *source = json_get (mounts->items[i], "source");
    const struct json_node *dest = json_get (mounts->items[i], "destination");

    if (source == NULL || source->type != JSON_STRING || dest == NULL || dest->type != JSON_STRING
        || find_own (brought, ARRAY_LEN (brought), container, source->text, dest->text) == NULL)
      continue;
    r = add_stores_of (stores, container, source->text);
  }
  return r < 0 ? error_oom (m->err) : 0;
}

bool engine_volume_known (const struct meet *m, const char *path)
{
  if (find_own (volumes, ARRAY_LEN (volumes), m->policy->container, path, NULL) != NULL)
    return true;
  for (size_t i = 0; i < m->stores->count; i++)
    if (path_is_within (path, m->stores->items[i]) && volume_at (path + strlen (m->stores->items[i])) > 0)
      return true;
  return false;
}

const char *engine_keeps (const struct meet *m, const char *path)
{
  const char *bundle = m->policy->bundle;

  for (size_t i = 0; i < m->stores->count; i++)
    if (path_is_within (path, m->stores->items[i]) || path_is_within (m->stores->items[i], path))
      return "it holds other containers";
  /* Other files in a bundle outside of the engine's directories are its maker's. */
  if (bundle != NULL
      && (path_is_within (bundle, path)
          || (path_is_within (path, bundle) && strcmp (path + strlen (bundle), "/config.json") == 0)))
    return "it holds the specification that the runtime obeys";
  return NULL;
}
