/* What the command can reach must not be what we, or the next run, believe.
 *
 * The plan compares names: no writable source is, holds or lies in the folders of the journal, the kept
 * filters and images, the state, the profiles and our programs, and no source at all holds an engine's socket
 * or the state. A folder can have several names, though: a link on the way to it, or a second mount of the
 * same tree. So before anything is made each place is traced to where it lies: in which file system, and
 * where in it. The same place under two names is then the same. What cannot be traced is refused.
 *
 * Not seen: a tree that a file system stacks over another, such as the upper layer of an overlay.
 */
#include <config.h>

#include "run-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-path.h"
#include "plan-held.h"
#include "posture-proc.h"

#define MOUNTS_MAX ((size_t) 4 * 1024 * 1024)

/* Where something lies. */
struct lair {
  uint64_t device;
  char *inner; /* its path in the file system */
  char *outer; /* and among the mounts, links resolved */
};

static void lair_clear (struct lair *lair)
{
  free (lair->inner);
  free (lair->outer);
}

#define cleanup_lair cleanup (lair_clear)

/* A place that is not the command's. */
struct place {
  const char *path;
  struct lair lair;
  bool reading;   /* not even to read */
  bool inside;    /* nor anything that lies in it */
  bool elsewhere; /* but in the workspace: a profile there was not trusted, and could only tighten */
};

#define PLACES_FIXED 4

struct guard {
  struct proc_mounts mounts;
  struct place *places;
  size_t count;
  struct run *run;
};

static void guard_clear (struct guard *guard)
{
  proc_mounts_clear (&guard->mounts);
  for (size_t i = 0; i < guard->count; i++)
    lair_clear (&guard->places[i].lair);
  free (guard->places);
}

#define cleanup_guard cleanup (guard_clear)

/* The innermost mount on the way to PATH, and of two on one place the later. */
static const struct proc_mount *mount_of (const struct guard *guard, const char *path)
{
  const struct proc_mount *found = NULL;

  for (size_t i = 0; i < guard->mounts.count; i++) {
    const struct proc_mount *mount = &guard->mounts.items[i];

    if (path_is_within (path, mount->point)
        && (found == NULL || strlen (mount->point) >= strlen (found->point)))
      found = mount;
  }
  return found;
}

static char *join (const char *root, const char *rest)
{
  return str_format ("%s%s%s", strcmp (root, "/") == 0 ? "" : root,
                     rest[0] == '/' || rest[0] == '\0' ? "" : "/",
                     rest[0] == '\0' && strcmp (root, "/") == 0 ? "/" : rest);
}

/* OUTER is real, without links. */
static int trace_real (const struct guard *guard, const char *outer, struct lair *ret_lair)
{
  const struct proc_mount *mount = mount_of (guard, outer);

  if (mount == NULL)
    return -ENOENT;
  ret_lair->device = mount->device;
  ret_lair->outer = strdup (outer);
  ret_lair->inner = join (mount->root, outer + (strcmp (mount->point, "/") == 0 ? 0 : strlen (mount->point)));
  return ret_lair->outer && ret_lair->inner ? 0 : -ENOMEM;
}

/* Of what is not there yet the nearest folder above it is traced; the rest is as it is called. */
static int trace (const struct guard *guard, const char *path, struct lair *ret_lair)
{
  cleanup_free char *above = strdup (path), *real = NULL, *whole = NULL;

  if (above == NULL)
    return -ENOMEM;
  while ((real = realpath (above, NULL)) == NULL) {
    char *slash = strrchr (above, '/');

    if ((errno != ENOENT && errno != ENOTDIR) || slash == NULL || strcmp (above, "/") == 0)
      return -errno;
    slash[slash == above] = '\0';
  }
  whole = join (real, strcmp (above, "/") == 0 ? path : path + strlen (above));
  return whole ? trace_real (guard, whole, ret_lair) : -ENOMEM;
}

/* OTHER lies in WHOLE, or is it. */
static bool is_within (const struct lair *other, const struct lair *whole)
{
  return path_is_within (other->outer, whole->outer)
         || (other->device == whole->device && path_is_within (other->inner, whole->inner));
}

static int add_place (struct guard *guard, struct place place)
{
  int r = place.path && place.path[0] == '/' ? trace (guard, place.path, &place.lair) : 0;

  if (r < 0) {
    lair_clear (&place.lair);
    return error_set_errno (guard->run->err, -r, "find out where '%s' lies", place.path);
  }
  if (place.lair.inner != NULL)
    guard->places[guard->count++] = place;
  return 0;
}

static int find_places (struct guard *guard)
{
  const struct host_facts *host = guard->run->options->host;
  const struct plan *plan = guard->run->options->plan;
  const struct place fixed[PLACES_FIXED] = {
    { .path = host->state_dir, .reading = true, .inside = true },
    { .path = host->storage_dir, .inside = true },
    { .path = host->config_home, .inside = true },
    { .path = plan->profile_file, .elsewhere = true },
  };
  int r = 0;

  guard->places = calloc (PLACES_FIXED + host->own.count + host->sockets.count, sizeof (*guard->places));
  if (guard->places == NULL)
    return error_oom (guard->run->err);
  for (size_t i = 0; r == 0 && i < PLACES_FIXED; i++)
    r = add_place (guard, fixed[i]);
  for (size_t i = 0; r == 0 && i < host->own.count; i++)
    r = add_place (guard, (struct place){ .path = host->own.items[i], .inside = true });
  for (size_t i = 0; r == 0 && i < host->sockets.count; i++)
    r = add_place (guard, (struct place){ .path = host->sockets.items[i].path, .reading = true });
  return r;
}

static int check_place (const struct guard *guard, const struct plan_mount *mount, const struct lair *source,
                        const struct place *place)
{
  const struct plan *plan = guard->run->options->plan;

  if ((!mount->writable && !place->reading)
      || (place->elsewhere && path_is_within (plan->cwd, mount->target)))
    return 0;
  if (!is_within (&place->lair, source) && !(place->inside && is_within (source, &place->lair)))
    return 0;
  return error_set (
      guard->run->err, -EPERM,
      "'%s' cannot be mounted%s: by another name it is, holds or lies in '%s', which the command could "
      "%s; choose one apart from it",
      mount->source, mount->writable ? " writable" : "", place->path, mount->writable ? "rewrite" : "reach");
}

/* A single file may have a name elsewhere, too, and then it is that as well. */
static int check_links (const struct guard *guard, const struct plan_mount *mount, const struct stat *st)
{
  if (!mount->writable || !S_ISREG (st->st_mode) || st->st_nlink == 1)
    return 0;
  return error_set (guard->run->err, -EPERM,
                    "'%s' cannot be mounted writable: it has other names, and what they are cannot be told; "
                    "mount the folder that it lies in, or a copy",
                    mount->source);
}

/* Into a sandbox that stands a tree moves with all that is mounted below it. A container that is made for it
 * has that looked at on the way. */
static int check_below (const struct guard *guard, const struct plan_mount *mount)
{
  const struct plan *plan = guard->run->options->plan;

  for (size_t i = 0; plan->held && i < guard->mounts.count; i++)
    if (path_is_within (guard->mounts.items[i].point, mount->source)
        && strcmp (guard->mounts.items[i].point, mount->source) != 0)
      return error_set (guard->run->err, -EBUSY, "'%s' has another mount below it", mount->source);
  return 0;
}

static int check_mount (const struct guard *guard, const struct plan_mount *mount)
{
  cleanup_lair struct lair source = { 0 };
  struct stat st;
  int r;

  if (stat (mount->source, &st) < 0)
    return error_set_errno (guard->run->err, errno, "look at '%s'", mount->source);
  if (st.st_ino != mount->inode || st.st_dev != mount->device)
    return error_set (guard->run->err, -ESTALE, "'%s' is not what it was when the run was planned",
                      mount->source);
  r = trace (guard, mount->source, &source);
  if (r < 0)
    return error_set_errno (guard->run->err, -r, "find out where '%s' lies", mount->source);
  r = check_links (guard, mount, &st);
  if (r == 0 && strcmp (mount->target, PLAN_WORKSPACE) == 0)
    r = check_below (guard, mount);
  for (size_t i = 0; r == 0 && i < guard->count; i++)
    r = check_place (guard, mount, &source, &guard->places[i]);
  return r;
}

int run_guard_sources (struct run *run)
{
  cleanup_free char *text = NULL;
  cleanup_guard struct guard guard = { .run = run };
  const struct plan *plan = run->options->plan;
  int r = file_read (AT_FDCWD, "/proc/self/mountinfo", MOUNTS_MAX, &text, NULL, run->err);

  if (r == 0 && proc_mounts_read (text, &guard.mounts) < 0)
    r = error_set (run->err, -EIO, "the table of mounts cannot be understood");
  if (r == 0)
    r = find_places (&guard);
  for (size_t i = 0; r == 0 && i < plan->mount_count; i++)
    if (plan->mounts[i].inode != 0)
      r = check_mount (&guard, &plan->mounts[i]);
  return r;
}
