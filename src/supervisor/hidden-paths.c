/* Hidden paths, as they are on the host when a run begins.
 *
 * A runtime covers a hidden path by its name, and where a link stands there it fails in its own words, or
 * covers what the link leads to. A command can leave such a link in its workspace for the next run. So each
 * path is looked for below the directory that shows it, no link followed: one with a link on its way refuses
 * the run. One that cannot be there, as a file stands where its directory should be, is not asked of the
 * runtime.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-path.h"
#include "mount-descriptor.h"

/* The mount through which INSIDE is seen: the innermost, and of two on one place the later. */
static const struct plan_mount *mount_of (const struct launch *launch, const char *inside)
{
  const struct plan_mount *found = NULL;

  for (size_t i = 0; i < launch->mount_count; i++)
    if (path_is_within (inside, launch->mounts[i].target)
        && (found == NULL || strlen (launch->mounts[i].target) >= strlen (found->target)))
      found = &launch->mounts[i];
  return found;
}

/* Where INSIDE is: in the directory *RET_SOURCE of the host's, called *RET_REST there. False: in none. */
static bool find_place (const struct launch *launch, const char *inside, const char **ret_source,
                        const char **ret_rest)
{
  const struct plan_mount *mount = mount_of (launch, inside);

  if (mount == NULL && launch->root != ROOT_FROM_DIRECTORY)
    return false;
  if (mount != NULL && mount->inode == 0)
    return false;
  *ret_source = mount ? mount->source : launch->root_path;
  *ret_rest = inside + (mount ? strlen (mount->target) : 0);
  *ret_rest += strspn (*ret_rest, "/");
  return **ret_rest != '\0';
}

/* *RET_IMPOSSIBLE: there cannot be such a path. */
static int look (const struct launch *launch, const char *inside, bool *ret_impossible, struct error *err)
{
  const char *source, *rest;
  cleanup_close int directory = -1, fd = -1;

  *ret_impossible = false;
  if (!find_place (launch, inside, &source, &rest))
    return 0;
  directory = mount_open_source (source, err);
  if (directory < 0)
    return directory;
  fd = mount_open_beneath (directory, rest);
  *ret_impossible = fd == -ENOTDIR;
  if (fd == -ELOOP)
    return error_set (
        err, -ELOOP,
        "paths.hidden: '%s' is to be hidden, but '%s/%s' is a symbolic link or lies behind one; "
        "remove the link, or name what it leads to in filesystem.hide",
        inside, source, rest);
  return 0;
}

int run_look_at_hidden (struct run *run)
{
  struct strlist *masked = &run->launch.masked;
  size_t kept = 0;
  int r = 0;

  for (size_t i = 0; i < masked->count; i++) {
    bool impossible = false;

    if (r == 0)
      r = look (&run->launch, masked->items[i], &impossible, run->err);
    if (impossible)
      free (masked->items[i]);
    else
      masked->items[kept++] = masked->items[i];
  }
  masked->count = kept;
  return r;
}
