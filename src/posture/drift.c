/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "posture-drift.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base-path.h"
#include "posture-drift-internal.h"
#include "posture-proc.h"

#define PROCESS_NAME_MAX 32

/* A process chooses its own name, so anything but printable ASCII becomes '?'. */
static char *process_name (const struct outside *process)
{
  char name[PROCESS_NAME_MAX] = "?";
  const char *line = process->status;

  if (line != NULL && str_has_prefix (line, "Name:\t")) {
    size_t len;

    line += strlen ("Name:\t");
    len = strcspn (line, "\n");
    if (len >= sizeof (name))
      len = sizeof (name) - 1;
    for (size_t i = 0; i < len; i++)
      name[i] = (char) (line[i] > ' ' && line[i] < 0x7f ? line[i] : '?');
    name[len] = '\0';
  }
  return strdup (name);
}

void drift_say (struct drift *drift, enum control control, const struct outside *process, char *was, char *is)
{
  struct drift_finding *grown = realloc (drift->items, (drift->count + 1) * sizeof (*grown));
  char *name = process ? process_name (process) : NULL;

  if (grown != NULL)
    drift->items = grown;
  if (grown == NULL || was == NULL || is == NULL || (process != NULL && name == NULL)) {
    drift->failed = true;
    free (name);
    free (was);
    free (is);
    return;
  }
  grown[drift->count++] = (struct drift_finding){ control, process ? process->pid : 0, name, was, is };
}

static char *limit_text (uint64_t limit)
{
  return limit == UINT64_MAX ? strdup ("no limit") : str_format ("%" PRIu64, limit);
}

static void compare_limit (struct drift *drift, enum control control, uint64_t then, uint64_t now)
{
  if (now > then)
    drift_say (drift, control, NULL, limit_text (then), limit_text (now));
}

/* Whether NOW has a larger share of CPU time. */
static bool has_more_time (const struct outside_cgroup *then, const struct outside_cgroup *now)
{
  uint64_t before, after;

  if (now->quota == UINT64_MAX || then->quota == UINT64_MAX)
    return now->quota > then->quota;
  return __builtin_mul_overflow (now->quota, then->period, &after)
         || __builtin_mul_overflow (then->quota, now->period, &before) || after > before;
}

static char *time_text (const struct outside_cgroup *group)
{
  if (group->quota == UINT64_MAX)
    return strdup ("no limit");
  return str_format ("%" PRIu64 " us of every %" PRIu64, group->quota, group->period);
}

static void compare_limits (struct drift *drift, const struct outside_cgroup *then,
                            const struct outside_cgroup *now)
{
  if (!then->known)
    return;
  if (!now->known) {
    drift_say (drift, CONTROL_LIMITS_MEMORY, NULL, strdup ("a cgroup with limits"),
               strdup ("the cgroup's files cannot be read"));
    return;
  }
  compare_limit (drift, CONTROL_LIMITS_MEMORY, then->memory, now->memory);
  /* A kernel has only one of the two; the other is "no limit" in both. */
  if (then->counts_swap && now->counts_swap && now->memory <= then->memory) {
    compare_limit (drift, CONTROL_LIMITS_MEMORY, then->memory_and_swap, now->memory_and_swap);
    compare_limit (drift, CONTROL_LIMITS_MEMORY, then->swap, now->swap);
  }
  compare_limit (drift, CONTROL_LIMITS_PIDS, then->pids, now->pids);
  if (has_more_time (then, now))
    drift_say (drift, CONTROL_LIMITS_CPU, NULL, time_text (then), time_text (now));
}

static char *mount_text (const struct proc_mount *mount)
{
  cleanup_strbuf struct strbuf buf = { 0 };

  strbuf_addf (&buf, "%s of '%s' on '%s' (%s; %s)", mount->type, mount->root, mount->point, mount->options,
               mount->super);
  /* Names may be any bytes, and JSON must be UTF-8. */
  if (!buf.failed && !str_is_utf8 (buf.text, buf.len))
    for (size_t i = 0; i < buf.len; i++)
      if ((unsigned char) buf.text[i] >= 0x80)
        buf.text[i] = '?';
  return strbuf_take (&buf);
}

/* The control that a change of MOUNT violates. */
static enum control control_of_mount (const struct proc_mount *mount)
{
  if (path_is_within (mount->point, "/proc") || path_is_within (mount->point, "/sys"))
    return CONTROL_PATHS_MASKED;
  if (strcmp (mount->point, "/") == 0)
    return CONTROL_ROOT_READ_ONLY;
  if (strcmp (mount->point, "/tmp") == 0 || strcmp (mount->point, "/dev/shm") == 0)
    return CONTROL_TMP_BOUNDED;
  return path_is_within (mount->point, "/dev") ? CONTROL_DEVICES_MINIMAL : CONTROL_WORKSPACE_BOUNDED;
}

static const struct proc_mount *same_mount (const struct proc_mounts *mounts, const struct proc_mount *mount)
{
  for (size_t i = 0; i < mounts->count; i++)
    if (mounts->items[i].id == mount->id && strcmp (mounts->items[i].point, mount->point) == 0)
      return &mounts->items[i];
  return NULL;
}

/* A new mount may expose more, and so may the removal of a mount that masked something. */
static int compare_mounts (struct drift *drift, const char *then_text, const char *now_text)
{
  cleanup_proc_mounts struct proc_mounts then = { 0 }, now = { 0 };
  int r = proc_mounts_read (then_text, &then);

  if (r == 0)
    r = proc_mounts_read (now_text, &now);
  if (r < 0)
    return r;
  for (size_t i = 0; i < now.count; i++) {
    const struct proc_mount *before = same_mount (&then, &now.items[i]);

    if (before == NULL)
      drift_say (drift, CONTROL_WORKSPACE_BOUNDED, NULL, strdup ("not mounted"), mount_text (&now.items[i]));
    else if (!proc_mount_equal (before, &now.items[i]))
      drift_say (drift, control_of_mount (before), NULL, mount_text (before), mount_text (&now.items[i]));
  }
  for (size_t i = 0; i < then.count; i++)
    if (same_mount (&now, &then.items[i]) == NULL)
      drift_say (drift, control_of_mount (&then.items[i]), NULL, mount_text (&then.items[i]),
                 strdup ("not mounted"));
  return 0;
}

/* An id map on one line. */
static char *map_text (const char *map)
{
  char *text = strdup (map);

  for (char *p = text; p != NULL && *p != '\0'; p++)
    if (*p == '\n')
      *p = p[1] == '\0' ? '\0' : ',';
  return text;
}

static void compare_maps (struct drift *drift, const char *then, const char *now)
{
  if (then != NULL && now != NULL && strcmp (then, now) != 0)
    drift_say (drift, CONTROL_USER_NAMESPACE, NULL, map_text (then), map_text (now));
}

int drift_compare (const struct drift_look *look, struct drift *ret_drift, struct error *err)
{
  cleanup_drift struct drift drift = { 0 };
  const struct outside *then = look->then, *now = look->now;
  struct proc_status status;
  int r = 0;

  compare_limits (&drift, &then->group, &now->group);
  if (then->seen) {
    if (then->status == NULL || !proc_status_read (then->status, &status) || then->mounts == NULL)
      return error_set (err, -EINVAL, "the facts that the run began with are not complete");
    compare_maps (&drift, then->uid_map, now->uid_map);
    compare_maps (&drift, then->gid_map, now->gid_map);
    r = now->mounts ? compare_mounts (&drift, then->mounts, now->mounts) : -EINVAL;
    for (size_t i = 0; i < look->count; i++)
      drift_of_process (&drift, then, &look->processes[i]);
  }
  if (r == -EINVAL)
    return error_set (err, r, "the mount table of the run cannot be read");
  if (r < 0 || drift.failed)
    return error_oom (err);
  *ret_drift = drift;
  drift = (struct drift){ 0 };
  return 0;
}

void drift_clear (struct drift *drift)
{
  for (size_t i = 0; i < drift->count; i++) {
    free (drift->items[i].process);
    free (drift->items[i].was);
    free (drift->items[i].is);
  }
  free (drift->items);
  *drift = (struct drift){ 0 };
}
