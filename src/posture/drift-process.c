/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares a process of a run with the run's init as it was when the run was judged.
 *
 * A process that enters the container later (an engine's exec, nsenter) does not inherit from init. Compared
 * are: ids, each set of capabilities, no_new_privileges, the filter, the label, the cgroup, each namespace
 * and the limit of open files.
 */
#include <config.h>

#include "posture-drift-internal.h"

#include <inttypes.h>
#include <string.h>

#include "base-path.h"
#include "posture-proc.h"

static const enum control space_controls[SPACE_COUNT] = {
  [SPACE_USER] = CONTROL_USER_NAMESPACE,     [SPACE_MOUNT] = CONTROL_NAMESPACE_MOUNT,
  [SPACE_PID] = CONTROL_NAMESPACE_PID,       [SPACE_NET] = CONTROL_NETWORK_MODE,
  [SPACE_IPC] = CONTROL_NAMESPACE_IPC,       [SPACE_UTS] = CONTROL_NAMESPACE_UTS,
  [SPACE_CGROUP] = CONTROL_NAMESPACE_CGROUP,
};

static bool is_own_space (const struct outside *then, enum space space)
{
  return then->spaces[space] != 0 && then->spaces[space] != then->own_spaces[space];
}

/* PATH in a line of /proc/PID/cgroup, "N:CONTROLLERS:PATH", and the length of ":CONTROLLERS". */
static const char *group_of_line (const char *line, size_t *ret_head)
{
  const char *first = strchr (line, ':');
  const char *second = first ? strchr (first + 1, ':') : NULL;
  const char *end = strchrnul (line, '\n');

  if (second == NULL || second > end)
    return NULL;
  *ret_head = (size_t) (second - first);
  return second + 1;
}

static const char *next_line (const char *line)
{
  const char *end = strchrnul (line, '\n');

  return *end == '\0' ? end : end + 1;
}

/* The line of TEXT for the same controllers as LINE, or NULL. */
static const char *same_controllers (const char *text, const char *line)
{
  const char *wanted = strchr (line, ':');
  size_t head = 0, other = 0;

  if (group_of_line (line, &head) == NULL)
    return NULL;
  for (const char *l = text; *l != '\0'; l = next_line (l))
    if (group_of_line (l, &other) != NULL && other == head && strncmp (strchr (l, ':'), wanted, head) == 0)
      return l;
  return NULL;
}

/* Whether GROUP is BASE or lies below it. Both end with their line. */
static bool is_below (const char *group, const char *base)
{
  size_t len = strcspn (base, "\n");

  if (len == 1)
    return true;
  return strncmp (group, base, len) == 0 && (group[len] == '\n' || group[len] == '\0' || group[len] == '/');
}

/* If we are in a cgroup namespace, the path is relative to its root, so only its end is compared. */
static bool ends_with (const char *group, const char *path)
{
  size_t len = strcspn (group, "\n"), end = strlen (path);

  return len >= end && strncmp (group + len - end, path, end) == 0;
}

/* Counts the hierarchies in which init has its own group, and those of them in which PROCESS is in it,
 * too. */
static void count_groups (const struct outside *then, const char *process, size_t *ret_own,
                          size_t *ret_shared)
{
  *ret_own = *ret_shared = 0;
  if (then->group_path == NULL || then->cgroup == NULL)
    return;
  for (const char *line = then->cgroup; *line != '\0'; line = next_line (line)) {
    size_t head = 0;
    const char *group = group_of_line (line, &head);
    const char *other = group ? same_controllers (process, line) : NULL;

    if (group == NULL || !ends_with (group, then->group_path))
      continue;
    (*ret_own)++;
    if (other != NULL && is_below (group_of_line (other, &head), group))
      (*ret_shared)++;
  }
}

bool drift_is_member (const struct outside *then, const struct outside *process)
{
  size_t own = 0, shared = 0;

  for (enum space s = 0; s < SPACE_COUNT; s++)
    if (is_own_space (then, s) && process->spaces[s] == then->spaces[s])
      return true;
  if (process->cgroup != NULL)
    count_groups (then, process->cgroup, &own, &shared);
  return shared > 0;
}

static void compare_ids (struct drift *drift, const struct outside *process, const struct proc_status *then,
                         const struct proc_status *now)
{
  bool same = now->groups <= then->groups;

  for (size_t i = 0; i < 4; i++)
    same = same && now->uid[i] == then->uid[i] && now->gid[i] == then->gid[i];
  if (!same)
    drift_say (drift, CONTROL_USER_NON_ROOT, process,
               str_format ("uid %" PRIu64 ", gid %" PRIu64 ", %zu more groups", then->uid[1], then->gid[1],
                           then->groups),
               str_format ("uids %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 ", gids %" PRIu64 " %" PRIu64
                           " %" PRIu64 " %" PRIu64 ", %zu more groups",
                           now->uid[0], now->uid[1], now->uid[2], now->uid[3], now->gid[0], now->gid[1],
                           now->gid[2], now->gid[3], now->groups));
}

static void compare_capabilities (struct drift *drift, const struct outside *process,
                                  const struct proc_status *then, const struct proc_status *now)
{
  cleanup_strbuf struct strbuf was = { 0 }, is = { 0 };

  for (size_t i = 0; i < PROC_CAP_SETS; i++)
    if (now->caps[i] & ~then->caps[i]) {
      strbuf_addf (&was, "%s%s %016" PRIx64, was.len ? ", " : "", proc_cap_names[i], then->caps[i]);
      strbuf_addf (&is, "%s%s %016" PRIx64, is.len ? ", " : "", proc_cap_names[i], now->caps[i]);
    }
  if (was.len > 0 || was.failed)
    drift_say (drift, CONTROL_CAPABILITIES, process, strbuf_take (&was), strbuf_take (&is));
}

static char *filter_text (const struct proc_status *status)
{
  return str_format ("mode %" PRIu64 ", %" PRIu64 " filters", status->seccomp, status->filters);
}

/* An additional filter only restricts, so only fewer filters are a finding. Mode 1 is stricter than any
 * filter. */
static void compare_confinement (struct drift *drift, const struct outside *process,
                                 const struct proc_status *then, const struct proc_status *now)
{
  if (then->no_new_privileges > now->no_new_privileges)
    drift_say (drift, CONTROL_NO_NEW_PRIVILEGES, process, strdup ("set"), strdup ("not set"));
  if (then->seccomp == 2 && now->seccomp != 1 && (now->seccomp != 2 || now->filters < then->filters))
    drift_say (drift, CONTROL_SECCOMP, process, filter_text (then), filter_text (now));
}

static char *label_text (const char *label)
{
  return strndup (label, strcspn (label, "\n"));
}

static void compare_label (struct drift *drift, const struct outside *then, const struct outside *process)
{
  if (then->label == NULL || strcspn (then->label, "\n") == 0 || process->label == NULL)
    return;
  if (strcmp (then->label, process->label) != 0)
    drift_say (drift, CONTROL_APPARMOR, process, label_text (then->label), label_text (process->label));
}

static void compare_spaces (struct drift *drift, const struct outside *then, const struct outside *process)
{
  for (enum space s = 0; s < SPACE_COUNT; s++) {
    bool hosts = process->spaces[s] == then->own_spaces[s];

    if (!is_own_space (then, s) || process->spaces[s] == 0 || process->spaces[s] == then->spaces[s])
      continue;
    drift_say (drift, space_controls[s], process,
               str_format ("%s namespace %" PRIu64, space_names[s], then->spaces[s]),
               str_format ("%s namespace %" PRIu64 "%s", space_names[s], process->spaces[s],
                           hosts ? ", the host's" : ""));
  }
}

static void compare_groups (struct drift *drift, const struct outside *then, const struct outside *process)
{
  size_t own = 0, shared = 0;

  if (process->cgroup == NULL)
    return;
  count_groups (then, process->cgroup, &own, &shared);
  if (shared < own)
    drift_say (drift, CONTROL_LIMITS_MEMORY, process, str_format ("in all %zu groups of the run", own),
               str_format ("in %zu of them: limits do not bind it", shared));
}

/* The line of /proc/PID/limits: name, soft, hard, unit. */
static uint64_t open_files (const char *text)
{
  const char *line = text ? strstr (text, "\nMax open files ") : NULL;
  uint64_t soft, hard;

  if (line == NULL)
    return 0;
  line += strlen ("\nMax open files ");
  if (strncmp (line + strspn (line, " "), "unlimited", strlen ("unlimited")) == 0)
    return UINT64_MAX;
  if (!proc_number_next (&line, &soft))
    return 0;
  return proc_number_next (&line, &hard) ? hard : UINT64_MAX;
}

static void compare_files (struct drift *drift, const struct outside *then, const struct outside *process)
{
  uint64_t before = open_files (then->limits), after = open_files (process->limits);

  if (before != 0 && after > before)
    drift_say (drift, CONTROL_LIMITS_OPEN_FILES, process, str_format ("%" PRIu64, before),
               after == UINT64_MAX ? strdup ("no limit") : str_format ("%" PRIu64, after));
}

void drift_of_process (struct drift *drift, const struct outside *then, const struct outside *process)
{
  struct proc_status before, after;

  if (process->status == NULL || !proc_status_read (then->status, &before)
      || !proc_status_read (process->status, &after)) {
    drift_say (drift, CONTROL_USER_NON_ROOT, process, strdup ("could be read"), strdup ("cannot be read"));
    return;
  }
  compare_ids (drift, process, &before, &after);
  compare_capabilities (drift, process, &before, &after);
  compare_confinement (drift, process, &before, &after);
  compare_label (drift, then, process);
  compare_spaces (drift, then, process);
  compare_groups (drift, then, process);
  compare_files (drift, then, process);
}
