/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mounts that a kubelet adds to the containers of a pod, as containerd 1.6 hands them on.
 *
 * Known by the names below the kubelet's directory, which are the same wherever that lies:
 * pods/UID/volumes/PLUGIN/NAME, pods/UID/containers/NAME/FILE (the termination log), pods/UID/etc-hosts.
 */
#include <config.h>

#include "restrict-internal.h"

#include <string.h>

#include "base-path.h"

#define KUBELET "/var/lib/kubelet"

bool kubelet_is_empty_dir (const char *source)
{
  return strstr (source, "/volumes/kubernetes.io~empty-dir/") != NULL;
}

/* Every pod gets one unless its author writes automountServiceAccountToken: false. */
bool kubelet_is_token (const char *source, const char *dest)
{
  return strstr (source, "/volumes/kubernetes.io~projected/kube-api-access-") != NULL
         || (strstr (source, "/volumes/kubernetes.io~") != NULL
             && str_has_suffix (dest, "/run/secrets/kubernetes.io/serviceaccount"));
}

const char *kubelet_keeps (const char *path)
{
  static const char *const pods_own[] = { "/volumes/", "/volume-subpaths/", "/containers/", "/etc-hosts" };
  static const char pods[] = KUBELET "/pods/";
  const char *own = str_has_prefix (path, pods) ? strchr (path + strlen (pods), '/') : NULL;

  if (!path_is_within (path, KUBELET) && !path_is_within (KUBELET, path))
    return NULL;
  for (size_t i = 0; own != NULL && i < ARRAY_LEN (pods_own); i++)
    if (str_has_prefix (own, pods_own[i]))
      return NULL;
  return "it holds the kubelet's keys, and volumes of other pods";
}
