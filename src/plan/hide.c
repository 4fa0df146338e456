/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masks the profile's hidden paths, under every name by which they can be reached inside.
 *
 * A hidden path is a path inside. The host file there may also be reachable through another mount of the same
 * directory or of one of its parents; each such path is masked, too. A mount whose source lies below a hidden
 * directory would expose it, and is refused. A secret is allowed: the profile names each one.
 */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-path.h"
#include "plan-draft-internal.h"

/* The I-th host tree in the container: the bind mounts, and last the root if it is a directory. */
static bool tree_at (const struct plan *plan, size_t i, const char **ret_source, const char **ret_target)
{
  bool bind = i < plan->mount_count && strcmp (plan->mounts[i].type, "bind") == 0;

  *ret_source = bind ? plan->mounts[i].source : plan->root_path;
  *ret_target = bind ? plan->mounts[i].target : "/";
  return bind || (i == plan->mount_count && plan->root == ROOT_FROM_DIRECTORY && plan->root_path != NULL);
}

/* PATH, which lies within FROM, with the prefix FROM replaced by TO. */
static char *renamed (const char *path, const char *from, const char *to)
{
  const char *rest = path + (strcmp (from, "/") == 0 ? 0 : strlen (from));

  return str_format ("%s%s", strcmp (to, "/") == 0 ? "" : to, rest);
}

/* Whether INSIDE shows the tree mounted at TARGET, that is, no other mount lies over it. */
static bool is_seen (const struct plan *plan, const char *target, const char *inside)
{
  for (size_t i = 0; i < plan->mount_count; i++) {
    const char *other = plan->mounts[i].target;

    if (path_is_within (inside, other) && path_is_within (other, target) && strcmp (other, target) != 0)
      return false;
  }
  return true;
}

static int mask (struct draft *draft, char *inside)
{
  cleanup_free char *path = inside;
  struct strlist *masked = &draft->plan->masked;

  if (path == NULL)
    return error_oom (draft->err);
  for (size_t i = 0; i < masked->count; i++)
    if (strcmp (masked->items[i], path) == 0)
      return 0;
  return strlist_add_take (masked, take_ptr (path)) < 0 ? error_oom (draft->err) : 0;
}

/* Refuses the mount of SOURCE, which lies below a hidden path, at TARGET unless it is a secret. */
static int refuse_hidden (struct draft *draft, const char *source, const char *target)
{
  const struct grants *secrets = &draft_value (draft, SETTING_SECRETS)->grants;
  bool asked = grants_find (&draft->request->mounts, target) != NULL;

  for (size_t i = 0; i < secrets->count; i++)
    if (strcmp (secrets->items[i].target, target) == 0)
      return 0;
  return error_set (draft->err, -EPERM, "paths.hidden: %s '%s' is hidden by the profile",
                    asked ? "--mount:" : "mount source", source);
}

/* Masks the host path PLACE, which INSIDE hides, wherever else it is mounted. */
static int hide_place (struct draft *draft, const char *place, const char *inside)
{
  const struct plan *plan = draft->plan;
  const char *source, *target;
  int r = 0;

  for (size_t i = 0; r == 0 && i <= plan->mount_count; i++) {
    cleanup_free char *name = NULL;

    if (!tree_at (plan, i, &source, &target))
      continue;
    if (path_is_within (source, place) && !path_is_within (target, inside)) {
      r = refuse_hidden (draft, source, target);
      continue;
    }
    if (!path_is_within (place, source))
      continue;
    name = renamed (place, source, target);
    if (name == NULL)
      return error_oom (draft->err);
    if (is_seen (plan, target, name))
      r = mask (draft, take_ptr (name));
  }
  return r;
}

static int hide_one (struct draft *draft, const char *inside)
{
  const struct plan *plan = draft->plan;
  const char *source, *target;
  int r = mask (draft, strdup (inside));

  for (size_t i = 0; r == 0 && i <= plan->mount_count; i++) {
    cleanup_free char *place = NULL;

    if (!tree_at (plan, i, &source, &target) || !path_is_within (inside, target)
        || !is_seen (plan, target, inside))
      continue;
    place = renamed (inside, target, source);
    r = place ? hide_place (draft, place, inside) : error_oom (draft->err);
  }
  return r;
}

int draft_hide (struct draft *draft)
{
  const struct strlist *hide = &draft_value (draft, SETTING_HIDE)->set;
  int r = 0;

  for (size_t i = 0; r == 0 && i < hide->count; i++) {
    const char *path = hide->items[i];
    cleanup_free char *inside = path[0] == '/' ? strdup (path) : str_format ("/workspace/%s", path);

    r = inside ? hide_one (draft, inside) : error_oom (draft->err);
  }
  return r;
}
