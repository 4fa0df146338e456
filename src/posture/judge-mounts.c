/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mount table: exactly the planned mounts, with their flags, the same inside and outside.
 *
 * Every mount must be one of: the root, a promised mount, a mask of a promised path (masked or read-only), a
 * device in /dev, a mount that an engine generates, or a submount of a planned recursive bind. Any other
 * mount is a violation.
 */
#include <config.h>

#include "posture-judge-internal.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>

#include "base-path.h"

static const struct plan_mount *planned_at (const struct promises *promises, const char *point)
{
  for (size_t i = promises->mount_count; i > 0; i--)
    if (strcmp (promises->mounts[i - 1].target, point) == 0)
      return &promises->mounts[i - 1];
  return NULL;
}

static bool is_listed (const struct strlist *list, const char *path)
{
  for (size_t i = 0; i < list->count; i++)
    if (strcmp (list->items[i], path) == 0)
      return true;
  return false;
}

static bool is_brought_along (const struct outside *out, const struct proc_mount *mount)
{
  for (size_t i = 0; i < out->below_count; i++)
    if (strcmp (out->below[i].point, mount->point) == 0 && out->below[i].device == mount->device
        && strcmp (out->below[i].root, mount->root) == 0)
      return true;
  return false;
}

/* In a user namespace mknod is not allowed, so runtimes bind the host's devices. judge_devices checks what
 * the entries of /dev are. */
static bool is_device (const struct proc_mount *mount)
{
  static const char *const names[] = { "null", "zero", "full", "random", "tty", "urandom" };
  const char *name = path_is_within (mount->point, "/dev") ? strrchr (mount->point, '/') + 1 : "";
  bool of_devices = strcmp (mount->type, "devtmpfs") == 0 || strcmp (mount->type, "tmpfs") == 0;

  if (strcmp (mount->point, "/dev/console") == 0)
    return strcmp (mount->type, "devpts") == 0;
  for (size_t i = 0; i < ARRAY_LEN (names); i++)
    if (strcmp (name, names[i]) == 0 && strlen (mount->point) == strlen ("/dev/") + strlen (name))
      return of_devices && mount->root[0] == '/' && strcmp (mount->root + 1, name) == 0;
  return false;
}

/* A masked path has the null device or a read-only tmpfs over it; a read-only path of /proc a read-only bind
 * of itself. */
static bool is_mask (const struct promises *promises, const struct proc_mount *mount)
{
  bool read_only = proc_option_has (mount->options, "ro");

  if (is_listed (promises->masked, mount->point))
    return strcmp (mount->root, "/null") == 0
           || (read_only && strcmp (mount->type, "tmpfs") == 0 && strcmp (mount->root, "/") == 0);
  return is_listed (promises->read_only, mount->point) && read_only && strcmp (mount->type, "proc") == 0
         && path_is_within (mount->point, "/proc")
         && strcmp (mount->root, mount->point + strlen ("/proc")) == 0;
}

/* Whether MOUNT shows the same files again as the mount that it lies on: a path that an engine wants
 * read-only.
 */
static bool is_repeated (const struct judge *judge, const struct proc_mount *mount)
{
  const struct proc_mount *above = NULL;
  size_t root, point;

  if (!is_listed (judge->promises->read_only, mount->point) || !proc_option_has (mount->options, "ro"))
    return false;
  for (size_t i = 0; i < judge->mounts.count; i++) {
    const struct proc_mount *other = &judge->mounts.items[i];

    if (strcmp (other->point, mount->point) != 0 && path_is_within (mount->point, other->point)
        && (above == NULL || strlen (other->point) >= strlen (above->point)))
      above = other;
  }
  if (above == NULL || above->device != mount->device)
    return false;
  root = strcmp (above->root, "/") == 0 ? 0 : strlen (above->root);
  point = strcmp (above->point, "/") == 0 ? 0 : strlen (above->point);
  return strncmp (mount->root, above->root, root) == 0
         && strcmp (mount->root + root, mount->point + point) == 0;
}

/* Files that an engine generates for the container, and its view of cgroups. */
static bool is_engines_own (const struct promises *promises, const struct proc_mount *mount)
{
  for (size_t i = 0; i < promises->engines_own->count; i++)
    if (path_is_within (mount->point, promises->engines_own->items[i]))
      return true;
  return false;
}

static bool is_promised_writable (const struct promises *promises, const struct proc_mount *mount)
{
  const struct plan_mount *planned = planned_at (promises, mount->point);

  if (planned == NULL)
    return is_device (mount) || strcmp (mount->point, "/") == 0
           || (is_engines_own (promises, mount) && !judge_is_group_view (mount));
  if (strcmp (planned->type, "bind") == 0)
    return planned->writable;
  return !plan_mount_has (planned, "ro");
}

/* A submount of a writable bind may be writable. */
static bool lies_in_writable (const struct promises *promises, const char *point)
{
  for (size_t i = 0; i < promises->mount_count; i++)
    if (promises->mounts[i].writable && path_is_within (point, promises->mounts[i].target))
      return true;
  return false;
}

/* The bind at POINT, or the innermost one above it, whose flags its submounts must have, too. */
static const struct plan_mount *bind_above (const struct promises *promises, const char *point)
{
  const struct plan_mount *found = NULL;

  for (size_t i = 0; i < promises->mount_count; i++) {
    const struct plan_mount *mount = &promises->mounts[i];

    if (path_is_within (point, mount->target)
        && (found == NULL || strlen (mount->target) >= strlen (found->target)))
      found = mount;
  }
  return found != NULL && strcmp (found->type, "bind") == 0 ? found : NULL;
}

unsigned long posture_missing_flags (const struct promises *promises, const struct proc_mount *mount)
{
  const struct plan_mount *planned = planned_at (promises, mount->point);
  /* Engines do not always mount their view of cgroups read-only. */
  bool mask = is_mask (promises, mount),
       view = is_engines_own (promises, mount) && judge_is_group_view (mount);
  unsigned long missing = 0;

  if (planned == NULL && !mask)
    planned = bind_above (promises, mount->point);
  if (!mask && !is_device (mount) && !proc_option_has (mount->options, "nosuid"))
    missing |= MS_NOSUID;
  if (!mask && !path_is_within (mount->point, "/dev") && !proc_option_has (mount->options, "nodev"))
    missing |= MS_NODEV;
  if (((planned != NULL && plan_mount_has (planned, "noexec")) || view)
      && !proc_option_has (mount->options, "noexec"))
    missing |= MS_NOEXEC;
  if (view && !proc_option_has (mount->options, "ro"))
    missing |= MS_RDONLY;
  return missing;
}

static void judge_flags (struct judge *judge, const struct proc_mount *mount)
{
  /* judge_one reports a missing "ro". */
  unsigned long missing = posture_missing_flags (judge->promises, mount) & ~(unsigned long) MS_RDONLY;

  if (missing != 0)
    judge_say (judge, CONTROL_MOUNTS_NOSUID_NODEV, VERDICT_VIOLATED, judge_seen (judge),
               "the mount on '%s' lacks%s%s%s (%s)", mount->point, missing & MS_NOSUID ? " nosuid" : "",
               missing & MS_NODEV ? " nodev" : "", missing & MS_NOEXEC ? " noexec" : "", mount->options);
}

bool judge_is_of_host (const struct outside *out, uint64_t device)
{
  for (size_t i = 0; i < out->host_device_count; i++)
    if (out->host_devices[i] == device)
      return true;
  return false;
}

/* The source of a file system of the stage contains the run's id. */
bool judge_is_staged (const struct promises *promises, const struct proc_mount *mount)
{
  return promises->run_id != NULL && str_has_prefix (mount->source, "tyrum-oci-")
         && strcmp (mount->source + strlen ("tyrum-oci-"), promises->run_id) == 0;
}

/* The run's own file systems (root, /tmp, /proc, ...) must be new, not the host's, which would look the same.
 * The kernel creates a new sysfs only with a new network namespace. */
static void judge_own (struct judge *judge, const struct proc_mount *mount)
{
  const struct plan_mount *planned = planned_at (judge->promises, mount->point);
  bool root = strcmp (mount->point, "/") == 0;

  if (!judge->out->seen || (planned == NULL && !root) || (root && !judge->promises->staged))
    return;
  if (planned != NULL
      && (strcmp (planned->type, "bind") == 0 || strcmp (planned->type, "cgroup") == 0
          || (strcmp (planned->type, "sysfs") == 0 && !judge->promises->network_namespace)))
    return;
  if (judge->out->host_devices == NULL)
    judge_say (judge, CONTROL_WORKSPACE_BOUNDED, VERDICT_UNVERIFIED, SEEN_NOT,
               "the host's mounts could not be read, for comparison with the run's own");
  else if (judge_is_of_host (judge->out, mount->device))
    judge_say (judge, CONTROL_WORKSPACE_BOUNDED, VERDICT_VIOLATED, judge_seen (judge),
               "what is mounted on '%s' should be the run's own, and is mounted elsewhere on the host (%s)",
               mount->point, mount->type);
  else if (planned != NULL && (strcmp (planned->type, mount->type) != 0 || strcmp (mount->root, "/") != 0))
    judge_say (judge, CONTROL_WORKSPACE_BOUNDED, VERDICT_VIOLATED, judge_seen (judge),
               "what is mounted on '%s' is '%s' of a %s, not a %s of its own", mount->point, mount->root,
               mount->type, planned->type);
  else if (root && !judge_is_staged (judge->promises, mount))
    judge_say (judge, CONTROL_WORKSPACE_BOUNDED, VERDICT_VIOLATED, judge_seen (judge),
               "the root is not the one that was staged for this run, but '%s'", mount->source);
}

static void judge_one (struct judge *judge, const struct proc_mount *mount)
{
  const struct promises *promises = judge->promises;
  bool known = strcmp (mount->point, "/") == 0 || planned_at (promises, mount->point) != NULL
               || is_mask (promises, mount) || is_repeated (judge, mount) || is_device (mount)
               || is_engines_own (promises, mount) || is_brought_along (judge->out, mount);
  bool read_only = proc_option_has (mount->options, "ro");

  if (!known)
    judge_say (judge, CONTROL_WORKSPACE_BOUNDED, VERDICT_VIOLATED, judge_seen (judge),
               "something is mounted on '%s' that was not planned (%s of '%s')", mount->point, mount->type,
               mount->root);
  if (!read_only && !is_promised_writable (promises, mount) && !is_mask (promises, mount)
      && !(is_brought_along (judge->out, mount) && lies_in_writable (promises, mount->point)))
    judge_say (judge, CONTROL_WORKSPACE_BOUNDED, VERDICT_VIOLATED, judge_seen (judge),
               "the mount on '%s' can be written, and was planned read-only", mount->point);
  if (mount->shared)
    judge_say (judge, CONTROL_NAMESPACE_MOUNT, VERDICT_VIOLATED, judge_seen (judge),
               "the mount on '%s' propagates mounts", mount->point);
  judge_flags (judge, mount);
  judge_own (judge, mount);
}

/* The target of a bind must have the device and inode that its source had when the run was planned. */
static void judge_source (struct judge *judge, const struct plan_mount *mount)
{
  struct report_look look;

  if (mount->inode == 0)
    return;
  if (!inside_see (judge->in, mount->target, &look))
    judge_say (judge, CONTROL_WORKSPACE_BOUNDED, VERDICT_UNVERIFIED, SEEN_NOT, "'%s' could not be looked at",
               mount->target);
  else if (look.inode != mount->inode
           || look.device != ((uint64_t) major (mount->device) << 32 | minor (mount->device)))
    judge_say (judge, CONTROL_WORKSPACE_BOUNDED, judge->out->seen ? VERDICT_VIOLATED : VERDICT_UNVERIFIED,
               SEEN_INSIDE, "'%s' does not show '%s': another device or inode", mount->target, mount->source);
}

static void judge_present (struct judge *judge)
{
  for (size_t i = 0; i < judge->promises->mount_count; i++) {
    const struct plan_mount *mount = &judge->promises->mounts[i];

    if (proc_mounts_find (&judge->mounts, mount->target) == NULL)
      judge_say (judge, CONTROL_WORKSPACE_BOUNDED, VERDICT_VIOLATED, judge_seen (judge),
                 "nothing is mounted on '%s', as was planned", mount->target);
    judge_source (judge, mount);
  }
}

/* A working directory on a leaked host descriptor lies outside of every mount, and the kernel reports it as
 * unreachable (CVE-2024-21626). In an engine's container the engine chose the directory. */
static void judge_cwd (struct judge *judge)
{
  const char *cwd = inside_text (judge->in, QUESTION_LINK, "/proc/self/cwd");

  if (cwd == NULL)
    judge_say (judge, CONTROL_WORKSPACE_BOUNDED, VERDICT_UNVERIFIED, SEEN_NOT,
               "the working directory could not be looked at");
  else if (judge->promises->cwd != NULL && strcmp (cwd, judge->promises->cwd) != 0)
    judge_say (judge, CONTROL_WORKSPACE_BOUNDED, VERDICT_VIOLATED, SEEN_INSIDE,
               "the working directory is '%s', not '%s'", cwd, judge->promises->cwd);
  else if (cwd[0] != '/')
    judge_say (judge, CONTROL_WORKSPACE_BOUNDED, VERDICT_VIOLATED, SEEN_INSIDE,
               "the working directory is not inside: '%s'", cwd);
}

/* The root must be its own parent. */
static void judge_jail (struct judge *judge)
{
  struct report_look root, above;

  if (!inside_look (judge->in, "/", &root) || !inside_look (judge->in, "/..", &above))
    judge_say (judge, CONTROL_WORKSPACE_BOUNDED, VERDICT_UNVERIFIED, SEEN_NOT,
               "the root could not be looked at");
  else if (root.inode != above.inode || root.device != above.device)
    judge_say (judge, CONTROL_WORKSPACE_BOUNDED, VERDICT_VIOLATED, SEEN_INSIDE, "the root has a parent");
}

static void judge_root (struct judge *judge)
{
  const struct proc_mount *root = proc_mounts_find (&judge->mounts, "/");
  int create = inside_answer (judge->in, QUESTION_CREATE, "/")->errnum;
  int twin = inside_answer (judge->in, QUESTION_CREATE, "/tmp")->errnum;

  if (!judge->promises->root_read_only)
    return;
  if (root == NULL || !proc_option_has (root->options, "ro"))
    judge_say (judge, CONTROL_ROOT_READ_ONLY, VERDICT_VIOLATED, judge_seen (judge),
               "the root is mounted to be written");
  else if (create == 0)
    judge_say (judge, CONTROL_ROOT_READ_ONLY, VERDICT_VIOLATED, SEEN_INSIDE, "a file could be made in /");
  else if (create != EROFS)
    judge_say (judge, CONTROL_ROOT_READ_ONLY, VERDICT_UNVERIFIED, SEEN_INSIDE,
               "a file in / is refused for another reason: %s", strerror (create));
  else if (twin != 0)
    judge_say (judge, CONTROL_ROOT_READ_ONLY, VERDICT_UNVERIFIED, SEEN_INSIDE,
               "no file can be made in /tmp either, so the refusal proves nothing: %s", strerror (twin));
  else
    judge_say (judge, CONTROL_ROOT_READ_ONLY, VERDICT_VERIFIED, judge_seen (judge),
               "mounted ro; a file in / is refused with EROFS, one in /tmp is made");
}

static bool same_tables (const struct proc_mounts *a, const struct proc_mounts *b)
{
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (!proc_mount_equal (&a->items[i], &b->items[i]))
      return false;
  return true;
}

static void judge_all_mount_controls (struct judge *judge, enum verdict verdict, enum seen seen,
                                      const char *evidence)
{
  judge_say (judge, CONTROL_WORKSPACE_BOUNDED, verdict, seen, "%s", evidence);
  judge_say (judge, CONTROL_MOUNTS_NOSUID_NODEV, verdict, seen, "%s", evidence);
  judge_say (judge, CONTROL_NAMESPACE_MOUNT, verdict, seen, "%s", evidence);
  if (judge->promises->root_read_only)
    judge_say (judge, CONTROL_ROOT_READ_ONLY, verdict, seen, "%s", evidence);
}

static void read_tables (struct judge *judge)
{
  const char *in = inside_text (judge->in, QUESTION_FILE, "/proc/self/mountinfo");
  struct proc_mounts *outside = &judge->outside_mounts;
  int r = in ? proc_mounts_read (in, &judge->mounts) : -EINVAL;

  if (r == 0 && judge->out->seen)
    r = judge->out->mounts ? proc_mounts_read (judge->out->mounts, outside) : -EINVAL;
  if (r == -ENOMEM)
    judge->failed = true;
  if (r < 0)
    judge_all_mount_controls (judge, VERDICT_UNVERIFIED, SEEN_NOT, "the mount table could not be read");
  else if (judge->out->seen && !same_tables (&judge->mounts, outside))
    judge_all_mount_controls (judge, VERDICT_VIOLATED, SEEN_BOTH,
                              "inside and outside see different mount tables");
  else
    judge->has_mounts = true;
}

void judge_mounts (struct judge *judge)
{
  read_tables (judge);
  if (!judge->has_mounts)
    return;
  judge_say (judge, CONTROL_WORKSPACE_BOUNDED, VERDICT_VERIFIED, judge_seen (judge),
             "%zu mounts, all of them planned; sources by device and inode", judge->mounts.count);
  judge_say (judge, CONTROL_MOUNTS_NOSUID_NODEV, VERDICT_VERIFIED, judge_seen (judge), "flags of %zu mounts",
             judge->mounts.count);
  judge_say (judge, CONTROL_NAMESPACE_MOUNT, VERDICT_VERIFIED, judge_seen (judge), "no mount is shared");
  for (size_t i = 0; i < judge->mounts.count; i++)
    judge_one (judge, &judge->mounts.items[i]);
  judge_present (judge);
  judge_jail (judge);
  judge_cwd (judge);
  judge_root (judge);
}
