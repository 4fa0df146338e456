/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The view of cgroups: the run's own and nothing else, read-only.
 *
 * The kernel reports the root of a cgroup mount relative to the reader's cgroup root. Inside, where the run's
 * group is that root, it must be "/"; outside it must be the group that init is in. Both together distinguish
 * the run's own group from the host's tree, a parent and a sibling.
 */
#include <config.h>

#include "posture-judge-internal.h"

#include <errno.h>
#include <string.h>

#include "base-path.h"

#define CONTROLLER_MAX 64

/* In a new cgroup namespace init's group is the root of every hierarchy. */
static void judge_membership (struct judge *judge)
{
  const char *text = inside_text (judge->in, QUESTION_FILE, "/proc/self/cgroup");

  if (text == NULL) {
    judge_say (judge, CONTROL_NAMESPACE_CGROUP, VERDICT_UNVERIFIED, SEEN_NOT,
               "/proc/self/cgroup could not be read");
    return;
  }
  for (const char *line = text; *line != '\0'; line += strcspn (line, "\n") + 1) {
    const char *first = strchr (line, ':'), *path = first ? strchr (first + 1, ':') : NULL;

    if (path != NULL && path[1] == '/' && (path[2] == '\n' || path[2] == '\0')) {
      if (strchr (line, '\n') == NULL)
        break;
      continue;
    }
    judge_say (judge, CONTROL_NAMESPACE_CGROUP, VERDICT_VIOLATED, SEEN_INSIDE, "it sees the group '%.*s'",
               (int) strcspn (line, "\n"), line);
    return;
  }
  judge_say (judge, CONTROL_NAMESPACE_CGROUP, VERDICT_VERIFIED, SEEN_INSIDE,
             "every group is the root of what it sees");
}

static bool shows_groups (const struct proc_mount *mount)
{
  return strcmp (mount->type, "cgroup") == 0 || strcmp (mount->type, "cgroup2") == 0;
}

bool judge_is_group_view (const struct proc_mount *mount)
{
  return shows_groups (mount) || path_is_within (mount->point, PLAN_GROUP_VIEW);
}

/* PATH of the line "N:CONTROLLERS:PATH" in MEMBERSHIP, a /proc/PID/cgroup, for the hierarchy of MOUNT. It
 * ends with the line. NULL: there is no such line. */
static const char *group_of (const char *membership, const struct proc_mount *mount)
{
  bool unified = strcmp (mount->type, "cgroup2") == 0;

  for (const char *line = membership; *line != '\0';
       line += strcspn (line, "\n") + (strchr (line, '\n') != NULL)) {
    const char *controllers = line + strspn (line, "0123456789");
    char first[CONTROLLER_MAX];
    size_t length;

    if (*controllers++ != ':')
      continue;
    /* The mount's options name all controllers of the hierarchy, so comparing the first is enough. */
    length = strcspn (controllers, ",:\n");
    if (length >= sizeof (first) || controllers[strcspn (controllers, ":\n")] != ':')
      continue;
    memcpy (first, controllers, length);
    first[length] = '\0';
    if (unified ? length == 0 : length > 0 && proc_option_has (mount->super, first))
      return controllers + strcspn (controllers, ":") + 1;
  }
  return NULL;
}

/* INSIDE and OUTSIDE are the same mount, as read inside and outside. */
static void judge_shown (struct judge *judge, const struct proc_mount *inside,
                         const struct proc_mount *outside)
{
  const char *own = judge->out->seen && judge->out->cgroup ? group_of (judge->out->cgroup, inside) : NULL;
  size_t length = own ? strcspn (own, "\n") : 0;

  if (strcmp (inside->root, "/") != 0)
    judge_say (judge, CONTROL_NAMESPACE_CGROUP, VERDICT_VIOLATED, SEEN_INSIDE,
               "the mount on '%s' shows the group '%s', not the run's own", inside->point, inside->root);
  else if (judge->out->seen && own == NULL)
    judge_say (judge, CONTROL_NAMESPACE_CGROUP, VERDICT_UNVERIFIED, SEEN_NOT,
               "the group that the mount on '%s' should show could not be seen", inside->point);
  else if (judge->out->seen
           && (strlen (outside->root) != length || strncmp (outside->root, own, length) != 0))
    judge_say (judge, CONTROL_NAMESPACE_CGROUP, VERDICT_VIOLATED, SEEN_BOTH,
               "the mount on '%s' shows the group '%s', and the run is in '%.*s'", inside->point,
               outside->root, (int) length, own);
}

/* Whether the run's own view was promised, not an engine's. */
static bool is_shown (const struct promises *promises)
{
  for (size_t i = 0; i < promises->mount_count; i++)
    if (strcmp (promises->mounts[i].type, "cgroup") == 0)
      return true;
  return false;
}

/* Whether MOUNT is the run's own tmpfs in which version 1 mounts its hierarchies. judge_mounts checks that
 * each hierarchy is mounted. */
static bool is_frame (const struct judge *judge, const struct proc_mount *mount)
{
  bool ours = is_shown (judge->promises);

  return strcmp (mount->type, "tmpfs") == 0 && strcmp (mount->point, PLAN_GROUP_VIEW) == 0
         && (!ours || (judge_is_staged (judge->promises, mount) && judge->promises->cgroup != CGROUP_V2))
         && !(judge->out->seen && judge_is_of_host (judge->out, mount->device));
}

static void judge_view (struct judge *judge, const struct proc_mount *inside,
                        const struct proc_mount *outside)
{
  if (shows_groups (inside))
    judge_shown (judge, inside, outside);
  else if (!is_frame (judge, inside))
    judge_say (judge, CONTROL_NAMESPACE_CGROUP, VERDICT_VIOLATED, judge_seen (judge),
               "a %s is mounted on '%s', where only the run's own group may be", inside->type, inside->point);
  if (!proc_option_has (inside->options, "ro"))
    judge_say (judge, CONTROL_NAMESPACE_CGROUP, VERDICT_VIOLATED, judge_seen (judge),
               "the view of cgroups on '%s' can be written", inside->point);
}

/* Writing to such a file would move a process to another cgroup. */
static void judge_writing (struct judge *judge)
{
  for (size_t i = 0; i < PROBE_GROUP_FILES; i++) {
    const char *path = probe_group_files[i];
    int errnum = inside_answer (judge->in, QUESTION_OPEN_WRITE, path)->errnum;

    if (errnum == ENODATA)
      judge_say (judge, CONTROL_NAMESPACE_CGROUP, VERDICT_UNVERIFIED, SEEN_NOT,
                 "whether '%s' can be written was not answered", path);
    else if (errnum == 0)
      judge_say (judge, CONTROL_NAMESPACE_CGROUP, VERDICT_VIOLATED, SEEN_INSIDE,
                 "'%s' can be opened to be written", path);
  }
}

void judge_cgroup (struct judge *judge)
{
  size_t count = 0;

  judge_membership (judge);
  for (size_t i = 0; judge->has_mounts && i < judge->mounts.count; i++)
    if (judge_is_group_view (&judge->mounts.items[i])) {
      judge_view (judge, &judge->mounts.items[i], judge->out->seen ? &judge->outside_mounts.items[i] : NULL);
      count++;
    }
  judge_writing (judge);
  if (!judge->has_mounts)
    judge_say (judge, CONTROL_NAMESPACE_CGROUP, VERDICT_UNVERIFIED, SEEN_NOT,
               "what is mounted of cgroups could not be seen");
  if (count > 0)
    judge_say (judge, CONTROL_NAMESPACE_CGROUP, VERDICT_VERIFIED, judge_seen (judge),
               "%zu mounts show it, read-only", count);
}
