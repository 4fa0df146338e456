/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sources on the host, before a run: protected places, and hidden paths.
 *
 * What the command can change must not be what we, or the next run, rely on.
 *
 * The plan compares names: no writable source is, holds or lies in the directories of the journal, the kept
 * filters and images, the state, the profiles and our programs, and no source at all holds an engine's socket
 * or the state. A directory can have several names, though, so before anything is made each place is traced
 * to where it lies (mount-location-internal.h), and judged by the other names that it has. What cannot be
 * traced is refused.
 *
 * A runtime masks a hidden path by its name, and where a link stands there it fails with its own message, or
 * masks what the link leads to. A command can leave such a link in its workspace for the next run. So each
 * path is looked for below the directory that shows it, no link followed: one with a link on its way refuses
 * the run. One that cannot be there, as a file stands where its directory should be, is not asked of the
 * runtime.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base-cleanup.h"
#include "base-path.h"
#include "mount-descriptor.h"
#include "mount-location-internal.h"
#include "plan-prewarmed.h"
#include "profile-source.h"

/* A place that is not the command's. */
struct place {
  const char *path;
  struct location location;
  bool reading;   /* not even to read */
  bool inside;    /* nor anything that lies in it */
  bool elsewhere; /* but in the workspace: a profile there was not trusted, and could only tighten */
};

#define PLACES_FIXED 4

struct protection {
  struct proc_mounts mounts;
  struct place *places;
  size_t count;
  struct run *run;
};

static void protection_clear (struct protection *protection)
{
  proc_mounts_clear (&protection->mounts);
  for (size_t i = 0; i < protection->count; i++)
    location_clear (&protection->places[i].location);
  free (protection->places);
}

#define cleanup_protection cleanup (protection_clear)

static int add_place (struct protection *protection, struct place place)
{
  int r = place.path && place.path[0] == '/'
              ? location_trace (&protection->mounts, place.path, &place.location)
              : 0;

  if (r < 0) {
    location_clear (&place.location);
    return error_set_errno (protection->run->err, -r, "find out where '%s' lies", place.path);
  }
  if (place.location.inner != NULL)
    protection->places[protection->count++] = place;
  return 0;
}

static int find_places (struct protection *protection)
{
  const struct host_facts *host = protection->run->options->host;
  const struct plan *plan = protection->run->options->plan;
  const struct place fixed[PLACES_FIXED] = {
    { .path = host->state_dir, .reading = true, .inside = true },
    { .path = host->storage_dir, .inside = true },
    { .path = host->config_home, .inside = true },
    { .path = plan->profile_file, .elsewhere = true },
  };
  int r = 0;

  protection->places =
      calloc (PLACES_FIXED + host->own.count + host->sockets.count, sizeof (*protection->places));
  if (protection->places == NULL)
    return error_oom (protection->run->err);
  for (size_t i = 0; r == 0 && i < PLACES_FIXED; i++)
    r = add_place (protection, fixed[i]);
  for (size_t i = 0; r == 0 && i < host->own.count; i++)
    r = add_place (protection, (struct place){ .path = host->own.items[i], .inside = true });
  for (size_t i = 0; r == 0 && i < host->sockets.count; i++)
    r = add_place (protection, (struct place){ .path = host->sockets.items[i].path, .reading = true });
  return r;
}

static int check_place (const struct protection *protection, const struct plan_mount *mount,
                        const struct location *source, const struct place *place)
{
  if ((!mount->writable && !place->reading)
      || (place->elsewhere && path_is_within (protection->run->launch.cwd, mount->target)))
    return 0;
  if (!location_is_within (&place->location, source)
      && !(place->inside && location_is_within (source, &place->location)))
    return 0;
  return error_set (
      protection->run->err, -EPERM,
      "'%s' cannot be mounted%s: by another name it is, holds or lies in '%s', which the command could "
      "%s; choose one apart from it",
      mount->source, mount->writable ? " writable" : "", place->path, mount->writable ? "rewrite" : "reach");
}

/* The plan judges a source by its name. One that is a bind mount of another directory is judged by that one's
 * name, too: by every mount that shows as much of the file system, or more. Not by mounts inside of closed
 * places (/run/host): there directories like any other are shown. */
static int check_origin (const struct protection *protection, const struct plan_mount *mount,
                         const struct location *source)
{
  const char *why;
  enum source_class named = source_classify (source->outer, &why);

  for (size_t i = 0; i < protection->mounts.count; i++) {
    const struct proc_mount *other = &protection->mounts.items[i];
    cleanup_free char *path = NULL;
    enum source_class class;

    if (other->device != source->device || !path_is_within (source->root, other->root)
        || source_is_inside (other->point))
      continue;
    path = location_name (source, other);
    if (path == NULL)
      return error_oom (protection->run->err);
    class = source_classify (path, &why);
    if (class > named && (class != SOURCE_PROGRAMS || mount->writable))
      return error_set (protection->run->err, -EPERM,
                        "workspace.bounded: '%s' (really '%s') cannot be mounted%s: %s", mount->source, path,
                        mount->writable ? " writable" : "", why);
  }
  return 0;
}

/* A single file may have a name elsewhere, too, and then it is that as well. */
static int check_links (const struct protection *protection, const struct plan_mount *mount,
                        const struct stat *st)
{
  if (!mount->writable || !S_ISREG (st->st_mode) || st->st_nlink == 1)
    return 0;
  return error_set (protection->run->err, -EPERM,
                    "'%s' cannot be mounted writable: it has other names, and what they are cannot be told; "
                    "mount the directory that it lies in, or a copy",
                    mount->source);
}

/* Into a sandbox that stands a tree moves with all that is mounted below it. A container that is made for it
 * has that looked at on the way. */
static int check_below (const struct protection *protection, const struct plan_mount *mount)
{
  for (size_t i = 0; protection->run->launch.prewarmed && i < protection->mounts.count; i++)
    if (path_is_within (protection->mounts.items[i].point, mount->source)
        && strcmp (protection->mounts.items[i].point, mount->source) != 0)
      return error_set (protection->run->err, -EBUSY, "'%s' has another mount below it", mount->source);
  return 0;
}

static int check_mount (const struct protection *protection, const struct plan_mount *mount)
{
  cleanup_location struct location source = { 0 };
  struct stat st;
  int r;

  if (stat (mount->source, &st) < 0)
    return error_set_errno (protection->run->err, errno, "look at '%s'", mount->source);
  if (st.st_ino != mount->inode || st.st_dev != mount->device)
    return error_set (protection->run->err, -ESTALE, "'%s' is not what it was when the run was planned",
                      mount->source);
  r = location_trace (&protection->mounts, mount->source, &source);
  if (r < 0)
    return error_set_errno (protection->run->err, -r, "find out where '%s' lies", mount->source);
  r = check_links (protection, mount, &st);
  if (r == 0)
    r = check_origin (protection, mount, &source);
  if (r == 0 && strcmp (mount->target, PLAN_WORKSPACE) == 0)
    r = check_below (protection, mount);
  for (size_t i = 0; r == 0 && i < protection->count; i++)
    r = check_place (protection, mount, &source, &protection->places[i]);
  return r;
}

int run_check_sources (struct run *run, void *state, struct error *err)
{
  cleanup_protection struct protection protection = { .run = run };
  const struct launch *launch = &run->launch;
  int r = location_read_mounts (&protection.mounts, err);

  (void) state;
  if (r == 0)
    r = find_places (&protection);
  for (size_t i = 0; r == 0 && i < launch->mount_count; i++)
    if (launch->mounts[i].inode != 0)
      r = check_mount (&protection, &launch->mounts[i]);
  return r;
}

const struct run_part protected_sources_part = { .name = "protected sources", .prepare = run_check_sources };

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

int run_look_at_hidden (struct run *run, void *state, struct error *err)
{
  struct strlist *masked = &run->launch.masked;
  size_t kept = 0;
  int r = 0;

  (void) state;
  for (size_t i = 0; i < masked->count; i++) {
    bool impossible = false;

    if (r == 0)
      r = look (&run->launch, masked->items[i], &impossible, err);
    if (impossible)
      free (masked->items[i]);
    else
      masked->items[kept++] = masked->items[i];
  }
  masked->count = kept;
  return r;
}

const struct run_part hidden_paths_part = { .name = "hidden paths", .prepare = run_look_at_hidden };
