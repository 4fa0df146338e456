/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "control-enforcement.h"

#include <string.h>

#include "base-cleanup.h"
#include "control-backend.h"

/* For a runtime that follows the OCI specification on the host's kernel. Backends that
 * differ have their own rows. */
static const struct enforcement_row common[] = {
  { CONTROL_ISOLATION_TYPE, ISOLATION_VM, ENFORCEMENT_IMPOSSIBLE, false,
    "no backend starts a virtual machine" },
  { CONTROL_ISOLATION_TYPE, ISOLATION_LOCAL, ENFORCEMENT_IMPOSSIBLE, false,
    "no backend confines a plain subprocess; use container" },
  { CONTROL_ISOLATION_TYPE, ISOLATION_FIREJAIL, ENFORCEMENT_IMPOSSIBLE, false,
    "no backend drives firejail; use container" },
  { CONTROL_ISOLATION_TYPE, -1, ENFORCEMENT_ENFORCED, true, "container on the host's kernel" },

  { CONTROL_USER_NON_ROOT, -1, ENFORCEMENT_ENFORCED, true, "process.user, numeric" },
  { CONTROL_USER_NAMESPACE, -1, ENFORCEMENT_ENFORCED, true, "uidMappings and gidMappings" },
  { CONTROL_CAPABILITIES, -1, ENFORCEMENT_ENFORCED, true, "all five sets in the specification" },
  { CONTROL_NO_NEW_PRIVILEGES, -1, ENFORCEMENT_ENFORCED, true, "noNewPrivileges" },
  { CONTROL_SECCOMP, -1, ENFORCEMENT_ENFORCED, true, "linux.seccomp, native interface only" },
  { CONTROL_APPARMOR, -1, ENFORCEMENT_ENFORCED, true, "apparmorProfile, where the host has it" },
  { CONTROL_TOOLS, -1, ENFORCEMENT_ENFORCED, true, "Landlock, applied by our init" },
  { CONTROL_FDS_CLOSED, -1, ENFORCEMENT_ENFORCED, true, "runtimes close all other descriptors" },

  { CONTROL_ROOT_READ_ONLY, -1, ENFORCEMENT_ENFORCED, true, "root.readonly" },
  { CONTROL_WORKSPACE_BOUNDED, WORKSPACE_COPY_ON_WRITE, ENFORCEMENT_IMPOSSIBLE, false,
    "no backend keeps workspace changes separate; use read-only or read-write" },
  { CONTROL_WORKSPACE_BOUNDED, -1, ENFORCEMENT_ENFORCED, true, "bind mounts, named one by one" },
  { CONTROL_TMP_BOUNDED, -1, ENFORCEMENT_ENFORCED, true, "tmpfs with a size" },
  { CONTROL_PATHS_MASKED, -1, ENFORCEMENT_ENFORCED, true, "maskedPaths and readonlyPaths" },
  { CONTROL_PATHS_HIDDEN, -1, ENFORCEMENT_ENFORCED, true, "masked by an empty read-only mount" },
  { CONTROL_DEVICES_MINIMAL, -1, ENFORCEMENT_ENFORCED, true, "fresh tmpfs on /dev, device cgroup closed" },
  { CONTROL_MOUNTS_NOSUID_NODEV, -1, ENFORCEMENT_ENFORCED, true, "options of every mount" },

  { CONTROL_NAMESPACE_PID, -1, ENFORCEMENT_ENFORCED, true, "a new pid namespace" },
  { CONTROL_NAMESPACE_IPC, -1, ENFORCEMENT_ENFORCED, true, "a new ipc namespace" },
  { CONTROL_NAMESPACE_UTS, -1, ENFORCEMENT_ENFORCED, true, "a new uts namespace" },
  { CONTROL_NAMESPACE_MOUNT, -1, ENFORCEMENT_ENFORCED, true, "a new mount namespace, private" },
  { CONTROL_NAMESPACE_CGROUP, -1, ENFORCEMENT_ENFORCED, true,
    "a new cgroup namespace; a run that has a cgroup sees it in /sys/fs/cgroup, read-only" },

  { CONTROL_NETWORK_MODE, NETWORK_ALLOW, ENFORCEMENT_IMPOSSIBLE, false,
    "no backend filters peers by name; use none" },
  { CONTROL_NETWORK_MODE, NETWORK_ENGINE, ENFORCEMENT_IMPOSSIBLE, false,
    "a runtime without an engine has no network to give; use none or an engine" },
  { CONTROL_NETWORK_MODE, -1, ENFORCEMENT_ENFORCED, true,
    "a network namespace without interfaces but loopback" },

  { CONTROL_LIMITS_MEMORY, -1, ENFORCEMENT_ENFORCED, true, "memory cgroup, swap included" },
  { CONTROL_LIMITS_PIDS, -1, ENFORCEMENT_ENFORCED, true, "pids cgroup" },
  { CONTROL_LIMITS_CPU, -1, ENFORCEMENT_ENFORCED, true, "cpu cgroup, quota per period" },
  { CONTROL_LIMITS_OPEN_FILES, -1, ENFORCEMENT_ENFORCED, true, "RLIMIT_NOFILE" },
  { CONTROL_LIMITS_WALL, -1, ENFORCEMENT_ENFORCED, true, "our supervisor ends the run" },
  { CONTROL_LIMITS_OUTPUT, -1, ENFORCEMENT_ENFORCED, true, "our supervisor cuts the streams" },
  { CONTROL_LIMITS_IDLE, -1, ENFORCEMENT_ENFORCED, true, "our supervisor ends the run" },
  { CONTROL_LIMITS_OUTPUT_RATE, -1, ENFORCEMENT_ENFORCED, true, "our supervisor reads the streams later" },
  { CONTROL_LIMITS_DISK, -1, ENFORCEMENT_IMPOSSIBLE, false,
    "an OCI specification has no disk limit; filesystem.tmp and memory bound what is not the workspace" },

  { CONTROL_ENVIRONMENT_CLEAN, -1, ENFORCEMENT_ENFORCED, true, "explicit list" },
  { CONTROL_SECRETS_FILES, -1, ENFORCEMENT_WEAKER, true,
    "a read-only bind of the operator's file, with that file's own owner and mode" },
  { CONTROL_BUDGET_SESSION, -1, ENFORCEMENT_IMPOSSIBLE, false,
    "no backend counts the runs of a session in this version" },
  { .reason = NULL },
};

/* The first row of BACKEND for CONTROL and exactly this value (-1: any); NULL: none. */
static const struct enforcement_row *find_row (enum control control, const struct backend *backend,
                                               int value_level)
{
  const struct enforcement_row *const tables[] = { backend->rows, backend->shared, common };

  /* Rows against a kind of isolation do not apply to a backend of that kind. */
  if (control == CONTROL_ISOLATION_TYPE && value_level == (int) backend->isolation)
    return NULL;
  for (size_t i = 0; i < ARRAY_LEN (tables); i++)
    for (const struct enforcement_row *row = tables[i]; row != NULL && row->reason != NULL; row++)
      if (row->control == control && row->value_level == value_level)
        return row;
  return NULL;
}

static struct enforcement of_row (const struct enforcement_row *row, const struct backend *backend)
{
  /* A test covers all pairs, so this is unreachable; even so it must not be "enforced". */
  if (row == NULL)
    return (struct enforcement){ ENFORCEMENT_IMPOSSIBLE, BASIS_SPEC, "not declared" };
  return (struct enforcement){ row->level, row->measured && backend->observed ? BASIS_MEASURED : BASIS_SPEC,
                               row->reason };
}

struct enforcement enforcement_of (enum control control, const struct backend *backend)
{
  return of_row (find_row (control, backend, -1), backend);
}

bool enforcement_of_value (enum control control, const struct backend *backend, unsigned level,
                           struct enforcement *ret_enforcement)
{
  const struct enforcement_row *row = find_row (control, backend, (int) level);

  *ret_enforcement = of_row (row, backend);
  return row != NULL;
}

struct enforcement enforcement_for (enum control control, const struct backend *backend,
                                    const struct settings *settings)
{
  enum setting first = control_info (control)->settings[0];
  struct enforcement of_value;

  if (first < SETTING_COUNT && setting_info (first)->kind == KIND_LEVEL
      && enforcement_of_value (control, backend, settings->values[first].level, &of_value))
    return of_value;
  return enforcement_of (control, backend);
}

struct enforcement enforcement_through (enum control control, const struct backend *backend,
                                        const struct backend *below, const struct settings *settings)
{
  struct enforcement above = enforcement_for (control, backend, settings), under;

  if (below == NULL || !below->own_kernel)
    return above;
  under = enforcement_for (control, below, settings);
  /* The streams of such a container go through the engine (supervisor/stdio-relay.c). */
  if (control == CONTROL_LIMITS_OUTPUT_RATE && above.level == ENFORCEMENT_ENFORCED)
    above = (struct enforcement){ ENFORCEMENT_WEAKER, BASIS_SPEC,
                                  "the engine reads the streams first, and the command waits only when the "
                                  "engine's buffers are full" };
  return under.level > above.level ? under : above;
}

bool enforcement_equal (const struct enforcement *a, const struct enforcement *b)
{
  return a->level == b->level && a->basis == b->basis && strcmp (a->reason, b->reason) == 0;
}

const char *enforcement_text (enum enforcement_level level)
{
  static const char *const texts[] = { "enforced", "weaker", "impossible" };

  return texts[level];
}

const char *basis_text (enum basis basis)
{
  static const char *const texts[] = { "measured", "declared, not yet observed" };

  return texts[basis];
}
