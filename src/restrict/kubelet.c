/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mounts that a kubelet adds to the containers of a pod, as containerd 1.6 hands them on.
 *
 * A kubelet keeps everything below one directory, ROOT: keys, plug-ins, and for each pod ROOT/pods/UID with
 * volumes/PLUGIN/NAME, volume-subpaths/VOLUME/CONTAINER/NUMBER, containers/NAME/FILE (the termination log)
 * and etc-hosts. ROOT is /var/lib/kubelet, what that leads to, and every directory for which a source of the
 * document has this form: the kubelet's --root-dir is written nowhere else.
 *
 * A container gets only what belongs to its own pod. Which pod that is stands in linux.cgroupsPath, which
 * kubelet and engine set; annotations can be anyone's. Paths have no links. Pure.
 */
#include <config.h>

#include "restrict-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-path.h"

#define HOLDS "it holds the kubelet's keys, and volumes of other pods"

#define PODS      "/pods/"
#define PROJECTED "volumes/kubernetes.io~projected/"
#define CSI       "volumes/kubernetes.io~csi/"
#define TOKEN     "kube-api-access-"

/* ---- The forms of a path. */

/* A path of a pod, "ROOT/pods/UID/REST". */
struct pods_path {
  const char *uid;
  size_t uid_len;
  const char *rest;
};

/* TEXT is "UID/REST". */
static bool split_pod (const char *text, struct pods_path *ret)
{
  const char *slash = strchr (text, '/');

  if (slash == NULL || slash == text)
    return false;
  *ret = (struct pods_path){ text, (size_t) (slash - text), slash + 1 };
  return true;
}

static size_t count_components (const char *path)
{
  size_t count = 1;

  for (const char *p = path; *p != '\0'; p++)
    count += *p == '/';
  return count;
}

/* What a kubelet mounts of the directory of a pod. The plug-in's directory alone would be every volume of its
 * kind. */
static bool is_mounted (const char *rest)
{
  size_t count = count_components (rest);

  return strcmp (rest, "etc-hosts") == 0 || (str_has_prefix (rest, "containers/") && count == 3)
         || (str_has_prefix (rest, "volumes/") && count >= 3)
         || (str_has_prefix (rest, "volume-subpaths/") && count >= 4);
}

/* As the API server makes them, or, for a pod of a file, a digest. */
static bool is_uid (const char *uid, size_t len)
{
  return (len == 36 && strspn (uid, "0123456789abcdef-") == len)
         || (len == 32 && strspn (uid, "0123456789abcdef") == len);
}

/* PATH is of a pod of the kubelet at ROOT. */
static bool is_pods (const char *root, const char *path, struct pods_path *ret)
{
  return path_is_within (path, root) && str_has_prefix (path + strlen (root), PODS)
         && split_pod (path + strlen (root) + strlen (PODS), ret);
}

static bool find_pod (const struct meet *m, const char *path, struct pods_path *ret)
{
  for (size_t i = 0; i < m->kubelet->roots.count; i++)
    if (is_pods (m->kubelet->roots.items[i], path, ret))
      return true;
  return false;
}

/* ---- What the document tells of the kubelet. */

void kubelet_clear (struct kubelet *kubelet)
{
  strlist_clear (&kubelet->roots);
  free (kubelet->pod);
  *kubelet = (struct kubelet){ 0 };
}

/* PATH may be of a pod of a kubelet whose directory is not known yet. */
static int add_root_of (struct strlist *roots, const char *path)
{
  for (const char *at = path; (at = strstr (at, PODS)) != NULL; at++) {
    struct pods_path pod;
    cleanup_free char *root = NULL;

    if (at == path || !split_pod (at + strlen (PODS), &pod) || !is_uid (pod.uid, pod.uid_len)
        || !is_mounted (pod.rest)
        || (str_has_prefix (pod.rest, "volumes/") && strchr (pod.rest, '~') == NULL))
      continue;
    root = strndup (path, (size_t) (at - path));
    if (root == NULL || strset_add (roots, root) < 0)
      return -ENOMEM;
  }
  return 0;
}

static int add_roots_of (struct strlist *roots, const struct path_fact *fact)
{
  int r = fact->real ? add_root_of (roots, fact->real) : 0;

  for (size_t i = 0; r == 0 && i < fact->place_count; i++)
    r = add_root_of (roots, fact->places[i].path);
  for (size_t i = 0; r == 0 && i < fact->below_count; i++)
    r = add_roots_of (roots, &fact->below[i]);
  return r;
}

static int find_roots (const struct meet *m, const struct json_node *mounts, struct strlist *roots)
{
  const struct path_fact *usual = path_facts_find (&m->policy->host->paths, SPEC_KUBELET);
  int r = strset_add (roots, SPEC_KUBELET);

  if (r >= 0 && usual != NULL && usual->real != NULL)
    r = strset_add (roots, usual->real);
  for (size_t i = 0; r >= 0 && i < mounts->count; i++) {
    const struct json_node *source = json_get (mounts->items[i], "source");
    const struct path_fact *fact;
    cleanup_free char *path = NULL;

    r = source != NULL && source->type == JSON_STRING ? spec_normal_path (source->text, &path) : -EINVAL;
    if (r == -EINVAL) {
      r = 0;
      continue; /* a bind of such is refused later */
    }
    if (r < 0)
      break;
    fact = path_facts_find (&m->policy->host->paths, path);
    r = add_root_of (roots, path);
    if (r == 0 && fact != NULL)
      r = add_roots_of (roots, fact);
  }
  return r < 0 ? r : 0;
}

/* "kubepods-burstable-podUID.slice" with '_' for '-'. */
static char *pod_of_slice (const char *slice, size_t len)
{
  static const char end[] = ".slice";
  cleanup_free char *name = len > strlen (end) ? strndup (slice, len - strlen (end)) : NULL;
  const char *last = name ? strrchr (name, '-') : NULL, *all = name ? strstr (name, "kubepods") : NULL;
  char *pod;

  if (last == NULL || !str_has_prefix (last, "-pod") || !str_has_prefix (slice + len - strlen (end), end)
      || all == NULL || all > last || (all > name && all[-1] != '-') || all[strlen ("kubepods")] != '-')
    return NULL;
  pod = strdup (last + strlen ("-pod"));
  for (char *p = pod; p != NULL && *p != '\0'; p++)
    if (*p == '_')
      *p = '-';
  return pod;
}

/* "/kubepods/burstable/podUID/CONTAINER". */
static char *pod_of_path (const char *group)
{
  cleanup_free char *path = NULL;
  char *slash, *pod;
  const char *all;

  if (spec_normal_path (group, &path) < 0 || (slash = strrchr (path, '/')) == NULL)
    return NULL;
  *slash = '\0';
  pod = strrchr (path, '/');
  all = strstr (path, "/kubepods/");
  return pod != NULL && all != NULL && all < pod && str_has_prefix (pod, "/pod")
             ? strdup (pod + strlen ("/pod"))
             : NULL;
}

int kubelet_find (struct meet *m, const struct json_node *mounts, struct kubelet *ret_kubelet)
{
  const struct json_node *group = json_get (json_get (m->config, "linux"), "cgroupsPath");
  const char *colon = group != NULL && group->type == JSON_STRING ? strchr (group->text, ':') : NULL;

  if (find_roots (m, mounts, &ret_kubelet->roots) < 0)
    return error_oom (m->err);
  if (group != NULL && group->type == JSON_STRING)
    ret_kubelet->pod =
        colon ? pod_of_slice (group->text, (size_t) (colon - group->text)) : pod_of_path (group->text);
  return 0;
}

/* ---- What may be mounted. */

static bool is_own (const struct meet *m, const struct pods_path *pod)
{
  const char *own = m->kubelet->pod;

  return own != NULL && strlen (own) == pod->uid_len && strncmp (own, pod->uid, pod->uid_len) == 0;
}

bool kubelet_is_empty_dir (const struct meet *m, const char *path)
{
  struct pods_path pod;

  return find_pod (m, path, &pod) && str_has_prefix (pod.rest, "volumes/kubernetes.io~empty-dir/");
}

bool kubelet_is_hosts (const struct meet *m, const char *path)
{
  struct pods_path pod;

  return find_pod (m, path, &pod) && strcmp (pod.rest, "etc-hosts") == 0;
}

bool kubelet_has (const struct meet *m, const char *path)
{
  for (size_t i = 0; i < m->kubelet->roots.count; i++)
    if (path_is_within (path, m->kubelet->roots.items[i]))
      return true;
  return false;
}

/* Every pod gets a token unless its author writes automountServiceAccountToken: false. Older clusters have it
 * in a volume of another kind, which is known by its mount point. */
bool kubelet_is_token (const struct meet *m, const char *path, const char *dest)
{
  static const char usual[] = "/run/secrets/kubernetes.io/serviceaccount";
  const char *at = strstr (dest, usual);
  struct pods_path pod;

  if (!find_pod (m, path, &pod))
    return false;
  if (str_has_prefix (pod.rest, PROJECTED TOKEN) || str_has_prefix (pod.rest, "volume-subpaths/" TOKEN))
    return true;
  return str_has_prefix (pod.rest, "volume") && at != NULL
         && (at[strlen (usual)] == '\0' || at[strlen (usual)] == '/');
}

/* Where PLACE lies in its file system. */
static char *inner_of (const struct path_place *place)
{
  const char *rest = place->path + (strcmp (place->mount, "/") == 0 ? 0 : strlen (place->mount));

  return str_format ("%s%s", strcmp (place->root, "/") == 0 ? "" : place->root,
                     strcmp (rest, "/") == 0 ? "" : rest);
}

/* PART as a whole is a volume of the container's own pod, of the KIND "volumes/PLUGIN/". */
static bool is_own_volume (const struct meet *m, const struct path_fact *part, const char *kind, size_t len)
{
  cleanup_free char *whole = part->place_count > 0 ? inner_of (&part->places[0]) : NULL;

  for (size_t i = 0; whole != NULL && i < part->place_count; i++) {
    cleanup_free char *inner = inner_of (&part->places[i]);
    struct pods_path pod;

    if (str_equal (inner, whole) && find_pod (m, part->places[i].path, &pod) && is_own (m, &pod)
        && is_mounted (pod.rest) && strncmp (pod.rest, kind, len) == 0)
      return true;
  }
  return false;
}

/* REST, below the kubelet's directory, is where a CSI driver mounts a volume once for all pods of the node.
 */
static bool is_csi_stage (const char *rest)
{
  static const char staged[] = "/plugins/kubernetes.io/csi/", last[] = "/globalmount";
  const char *end = str_has_prefix (rest, staged) ? strstr (rest, last) : NULL;

  return end != NULL && (end[strlen (last)] == '\0' || end[strlen (last)] == '/')
         && count_components (rest) - count_components (end) == 5;
}

/* PATH is another name of what the kubelet mounted for this pod: where it is mounted for all, or for another
 * pod that has the same volume. */
static bool is_second_name (const struct meet *m, const char *root, const struct path_fact *part,
                            const char *path)
{
  const char *plugin;
  struct pods_path pod;

  if (is_csi_stage (path + strlen (root)))
    return is_own_volume (m, part, CSI, strlen (CSI));
  if (!is_pods (root, path, &pod) || !is_mounted (pod.rest) || !str_has_prefix (pod.rest, "volumes/"))
    return false;
  plugin = pod.rest + strlen ("volumes/");
  return !is_own (m, &pod)
         && is_own_volume (m, part, pod.rest, strlen ("volumes/") + strcspn (plugin, "/") + 1);
}

static const char *root_keeps (const struct meet *m, const char *root, const struct path_fact *part,
                               const char *path)
{
  struct pods_path pod;

  if (path_is_within (root, path))
    return HOLDS;
  if (!path_is_within (path, root) || is_second_name (m, root, part, path))
    return NULL;
  if (!is_pods (root, path, &pod) || !is_mounted (pod.rest))
    return HOLDS;
  if (m->kubelet->pod == NULL)
    return "it belongs to a pod, and linux.cgroupsPath does not say that the container is in one";
  if (!is_own (m, &pod))
    return "it belongs to another pod";
  if (str_has_prefix (pod.rest, PROJECTED) && !bind_is_granted (m, path))
    return "a projected volume can hold a service-account token, and the profile does not grant it";
  return NULL;
}

/* Of directories inside each other every one decides. */
const char *kubelet_keeps (const struct meet *m, const struct path_fact *part, const char *path)
{
  const char *why = NULL;

  for (size_t i = 0; why == NULL && i < m->kubelet->roots.count; i++)
    why = root_keeps (m, m->kubelet->roots.items[i], part, path);
  return why;
}
