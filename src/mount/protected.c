/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "mount-protected.h"

#include <errno.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-path.h"
#include "mount-chroot.h"
#include "mount-location-internal.h"
#include "plan-prewarmed.h"

/* A host path that the command is to see. */
struct source {
  const char *path, *target;
  bool writable;
  struct location location;
};

struct check {
  struct proc_mounts mounts;
  const char *advice;
  struct error *err;
};

static int refuse (const struct check *check, const struct source *source, const char *relation,
                   const char *place, const char *what)
{
  bool workspace = strcmp (source->target, PLAN_WORKSPACE) == 0;

  return error_set (check->err, -EPERM, "'%s' cannot be %s%s: it %s '%s', %s; %s", source->path,
                    workspace ? "the workspace" : "mounted at ", workspace ? "" : source->target, relation,
                    place, what, check->advice);
}

/* PATH is in DIR, but not in DIR/EXCEPT. */
static bool lies_in (const char *path, const char *dir, const char *except)
{
  const char *rest;
  size_t len = except ? strlen (except) : 0;

  if (!path_is_within (path, dir))
    return false;
  rest = path + strlen (dir);
  rest += strspn (rest, "/");
  return except == NULL || strncmp (rest, except, len) != 0 || (rest[len] != '\0' && rest[len] != '/');
}

/* The exception must hold for both paths separately: another part of the place may be mounted at the
 * exception's path. */
static bool forbidden_inside (const struct location *source, const struct location *place, const char *except)
{
  return lies_in (source->outer, place->outer, except)
         || (source->device == place->device && lies_in (source->inner, place->inner, except));
}

static int check_place (const struct check *check, const struct source *source,
                        const struct run_protected *place, const char *real)
{
  cleanup_location struct location location = { 0 };
  int r = location_trace_real (&check->mounts, real, &location);

  if (r < 0)
    return error_set_errno (check->err, -r, "find the mount of '%s'", place->path);
  if (location_is_within (&location, &source->location))
    return refuse (check, source, "is or holds", place->path, place->what);
  if (source->writable && place->inside && forbidden_inside (&source->location, &location, place->except))
    return refuse (check, source, "lies in", place->path, place->what);
  return 0;
}

/* A command that can write the directory of a link can redirect it. */
static int check_link (const struct check *check, const struct source *source,
                       const struct run_protected *place, const char *link)
{
  cleanup_location struct location location = { 0 };
  int r;

  if (!source->writable)
    return 0;
  r = location_trace_real (&check->mounts, link, &location);
  if (r < 0)
    return error_set_errno (check->err, -r, "find the mount of '%s'", link);
  return location_is_within (&location, &source->location)
             ? refuse (check, source, "holds a link on the way to", place->path, place->what)
             : 0;
}

static int check_places (const struct check *check, const struct source *source,
                         const struct run_protected *places, size_t count)
{
  int r = 0;

  for (size_t i = 0; r == 0 && i < count; i++) {
    cleanup_strlist struct strlist links = { 0 };
    cleanup_free char *real = NULL;

    if (!source->writable && !places[i].reading)
      continue;
    r = location_follow (places[i].path, &links, &real);
    if (r < 0)
      return error_set_errno (check->err, -r, "find the mount of '%s'", places[i].path);
    r = check_place (check, source, &places[i], real);
    for (size_t k = 0; r == 0 && k < links.count; k++)
      r = check_link (check, source, &places[i], links.items[k]);
  }
  return r;
}

/* A tree is mounted with everything that is mounted below it. */
static int check_source (const struct check *check, struct source *source, const struct run_protected *places,
                         size_t count)
{
  int r = location_trace (&check->mounts, source->path, &source->location);

  if (r < 0)
    return error_set_errno (check->err, -r, "find the mount of '%s'", source->path);
  r = check_places (check, source, places, count);
  for (size_t i = 0; r == 0 && i < check->mounts.count; i++) {
    const struct proc_mount *mount = &check->mounts.items[i];
    struct source below = *source;

    below.location =
        (struct location){ .device = mount->device, .inner = mount->root, .outer = mount->point };
    if (path_is_within (mount->point, source->location.outer))
      r = check_places (check, &below, places, count);
  }
  location_clear (&source->location);
  return r;
}

int run_check_protected (const struct plan *plan, const struct run_protected *places, size_t count,
                         const char *advice, struct error *err)
{
  struct check check = { .advice = advice, .err = err };
  struct source root = { .path = plan->root_path, .target = "/" };
  int r = chroot_settle (err);

  if (r == 0)
    r = location_read_mounts (&check.mounts, err);
  for (size_t i = 0; r == 0 && i < plan->mount_count; i++) {
    const struct plan_mount *mount = &plan->mounts[i];
    struct source source = { .path = mount->source, .target = mount->target, .writable = mount->writable };

    if (mount->inode != 0)
      r = check_source (&check, &source, places, count);
  }
  if (r == 0 && plan->root == ROOT_FROM_DIRECTORY)
    r = check_source (&check, &root, places, count);
  proc_mounts_clear (&check.mounts);
  return r;
}
