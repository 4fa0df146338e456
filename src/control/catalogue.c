/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "control-catalogue.h"

#include <string.h>

#include "base-cleanup.h"
#include "base-str.h"

#define BY(...)                                                                                              \
  {                                                                                                          \
    __VA_ARGS__, SETTING_COUNT                                                                               \
  }
#define ALWAYS                                                                                               \
  {                                                                                                          \
    SETTING_COUNT                                                                                            \
  }

static const struct control_info table[] = {
  [CONTROL_ISOLATION_TYPE] = { "isolation.type",
                               BY (SETTING_ISOLATION_TYPE, SETTING_ISOLATION_RUNTIME,
                                   SETTING_ISOLATION_IMAGE),
                               "The command runs in the kind of isolation that the profile names.",
                               "the program of the first process, by device and inode, and its pid in its "
                               "own pid namespace; with gVisor the kernel's version inside" },
  [CONTROL_USER_NON_ROOT] = { "user.non_root", BY (SETTING_USER),
                              "The command does not run as root, inside or outside.",
                              "all four uids and gids and the groups in /proc, from inside and outside, and "
                              "setresuid to 0, which must be refused" },
  [CONTROL_USER_NAMESPACE] = { "user.namespace", BY (SETTING_USER_NAMESPACE),
                               "Ids inside are unprivileged ids outside; where root launches, each run has a "
                               "separate range.",
                               "uid_map and gid_map from inside and outside, and the namespace id against "
                               "the host's and other runs'" },
  [CONTROL_CAPABILITIES] = { "process.capabilities", BY (SETTING_CAPABILITIES),
                             "The command holds only the capabilities named, in all five sets.",
                             "CapInh, CapPrm, CapEff, CapBnd and CapAmb from inside and outside, and a "
                             "privileged prctl that must be refused" },
  [CONTROL_NO_NEW_PRIVILEGES] = { "process.no_new_privileges", BY (SETTING_NO_NEW_PRIVILEGES),
                                  "Executing a setuid program or one with file capabilities grants no "
                                  "privileges.",
                                  "NoNewPrivs from inside and outside, and the answer of prctl" },
  [CONTROL_SECCOMP] = { "process.seccomp", BY (SETTING_SECCOMP_LIST, SETTING_SECCOMP_ALLOW),
                        "Only listed system calls are allowed, and only through the native ABI.",
                        "a call with an errno that only our filter returns, calls that it denies, one that "
                        "it must allow, and the filter mode from inside and outside" },
  [CONTROL_APPARMOR] = { "process.apparmor", BY (SETTING_APPARMOR),
                         "The named AppArmor profile confines the command, in enforce mode.",
                         "the label in /proc, from inside and outside" },
  [CONTROL_TOOLS] = { "process.tools", BY (SETTING_TOOLS),
                      "Only the named programs can be executed, with their interpreters and loaders, by the "
                      "command or anything it starts.",
                      "executing init, which works before the rules apply and must fail afterwards, and "
                      "named programs, which must work" },
  [CONTROL_FDS_CLOSED] = { "process.fds_closed", ALWAYS,
                           "No descriptor of the caller is open inside except the three standard streams.",
                           "the descriptors that init found open when it was started" },
  [CONTROL_ROOT_READ_ONLY] = { "root.read_only", BY (SETTING_ROOT),
                               "Nothing on the root file system can be changed.",
                               "mount flags from inside and outside, and creating a file in /, which must "
                               "fail, and one in /tmp, which must work" },
  [CONTROL_WORKSPACE_BOUNDED] = { "workspace.bounded", BY (SETTING_WORKSPACE, SETTING_MOUNTS),
                                  "Of the host's files only the workspace, the named mounts and the root's "
                                  "programs are visible.",
                                  "the mount table, the same from inside and outside, with only planned "
                                  "mounts; device and inode of each source" },
  [CONTROL_TMP_BOUNDED] = { "tmp.bounded", BY (SETTING_TMP),
                            "/tmp and /dev/shm live in memory, are private, and have a size.",
                            "file system type and size of both, by statfs inside" },
  [CONTROL_PATHS_MASKED] = { "paths.masked", ALWAYS,
                             "Kernel interfaces in /proc and /sys that expose or control the host are "
                             "masked.",
                             "each path, examined inside: masked, read-only, or not in this kernel; and "
                             "/proc/uptime, which must open" },
  [CONTROL_PATHS_HIDDEN] = { "paths.hidden", BY (SETTING_HIDE),
                             "The named paths are masked: their content cannot be read.",
                             "each path, examined inside, and its directory, which must open; paths that did "
                             "not exist at the start are counted" },
  [CONTROL_DEVICES_MINIMAL] = { "devices.minimal", ALWAYS,
                                "/dev is fresh and holds only null, zero, full, random, urandom, tty and "
                                "ptys.",
                                "the listing of /dev, with kind and number of every device in it" },
  [CONTROL_MOUNTS_NOSUID_NODEV] = { "mounts.nosuid_nodev", BY (SETTING_NOEXEC),
                                    "No mount honours setuid bits, none but /dev honours device nodes, and "
                                    "named ones execute nothing.",
                                    "the flags of every mount, from inside and outside" },
  [CONTROL_NAMESPACE_PID] = { "namespace.pid", ALWAYS,
                              "Processes of the host and of other runs are not visible.",
                              "the namespace id from inside and outside, against the host's and other runs', "
                              "and the processes that init sees" },
  [CONTROL_NAMESPACE_IPC] = { "namespace.ipc", ALWAYS, "No shared memory or queue of the host is reachable.",
                              "the namespace id from inside and outside, against the host's and other "
                              "runs'" },
  [CONTROL_NAMESPACE_UTS] = { "namespace.uts", ALWAYS,
                              "The host's name is not visible and cannot be changed.",
                              "the namespace id from inside and outside, against the host's and other runs', "
                              "and the name inside" },
  [CONTROL_NAMESPACE_MOUNT] = { "namespace.mount", ALWAYS,
                                "Mounts do not propagate between inside and outside.",
                                "the namespace id from inside and outside, against the host's and other "
                                "runs', and propagation of every mount" },
  [CONTROL_NAMESPACE_CGROUP] = { "namespace.cgroup", ALWAYS,
                                 "Of the host's cgroups only the run's own is visible, and it cannot be "
                                 "changed.",
                                 "the namespace id from inside and outside, against the host's and other "
                                 "runs', /proc/self/cgroup, and the group that each mount of cgroups shows, "
                                 "from inside and outside, none of which may be writable" },
  [CONTROL_NETWORK_MODE] = { "network.mode", BY (SETTING_NETWORK_MODE, SETTING_NETWORK_ALLOW),
                             "The command reaches only the network that the profile grants.",
                             "interfaces, routes and the namespace id; connections to unassigned addresses, "
                             "which must fail, and one to itself, which must work" },
  [CONTROL_LIMITS_MEMORY] = { "limits.memory", BY (SETTING_MEMORY),
                              "All processes together use no more memory than this, and no swap.",
                              "the cgroup's limits in the kernel, and that init is in it" },
  [CONTROL_LIMITS_PIDS] = { "limits.pids", BY (SETTING_PIDS),
                            "All processes and threads together are no more than this.",
                            "the cgroup's limit in the kernel, and that init is in it" },
  [CONTROL_LIMITS_CPU] = { "limits.cpu", BY (SETTING_CPUS),
                           "All processes together get no more processor time than this.",
                           "the cgroup's quota and period in the kernel, and that init is in it" },
  [CONTROL_LIMITS_OPEN_FILES] = { "limits.open_files", BY (SETTING_OPEN_FILES),
                                  "A process has no more open files than this.",
                                  "RLIMIT_NOFILE, soft and hard, from inside and outside" },
  [CONTROL_LIMITS_WALL] = { "limits.wall", BY (SETTING_WALL), "The run is ended after this time.",
                            "the supervisor's timer in the kernel" },
  [CONTROL_LIMITS_OUTPUT] = { "limits.output", BY (SETTING_OUTPUT, SETTING_OUTPUT_ACTION),
                              "Each output stream has at most this many bytes; more ends the run, or is "
                              "dropped and counted if the profile allows that.",
                              "the limit of the supervisor's streams" },
  [CONTROL_LIMITS_IDLE] = { "limits.idle", BY (SETTING_IDLE),
                            "The run is ended when it has had no input and no output for this time.",
                            "the supervisor's second timer in the kernel" },
  [CONTROL_LIMITS_OUTPUT_RATE] = { "limits.output_rate", BY (SETTING_OUTPUT_RATE),
                                   "Each output stream passes no more bytes per second than this, on "
                                   "average; the command waits, and nothing is dropped.",
                                   "the rate of the supervisor's streams" },
  [CONTROL_LIMITS_DISK] = { "limits.disk", BY (SETTING_DISK),
                            "Workspace changes and writable layers take no more disk than this.",
                            "not at all: no backend enforces it in this version" },
  [CONTROL_ENVIRONMENT_CLEAN] = { "environment.clean", BY (SETTING_ENVIRONMENT_PASS, SETTING_ENVIRONMENT_SET),
                                  "No variable of the caller is passed on unless the profile names it.",
                                  "names of all variables, and hashes of their values, from init; names and "
                                  "values from outside" },
  [CONTROL_SECRETS_FILES] = { "secrets.files", BY (SETTING_SECRETS),
                              "Secrets are read-only files with mode 0400, never in the environment.",
                              "mount flags and mode of each file, inside" },
  [CONTROL_BUDGET_SESSION] = { "budget.session",
                               BY (SETTING_BUDGET_RUNS, SETTING_BUDGET_CPU, SETTING_BUDGET_WALL,
                                   SETTING_BUDGET_EGRESS, SETTING_BUDGET_TOKENS),
                               "One session's runs together stay within the budget.",
                               "not at all: no backend enforces it in this version" },
};

_Static_assert(ARRAY_LEN (table) == CONTROL_COUNT, "describe every control");

const struct control_info *control_info (enum control control)
{
  return &table[control];
}

bool control_find (const char *name, enum control *ret_control)
{
  for (size_t i = 0; i < CONTROL_COUNT; i++)
    if (strcmp (table[i].name, name) == 0) {
      *ret_control = (enum control) i;
      return true;
    }
  return false;
}

const char *control_nearest (const char *name)
{
  const char *names[CONTROL_COUNT];

  for (size_t i = 0; i < CONTROL_COUNT; i++)
    names[i] = table[i].name;
  return str_nearest (name, names, CONTROL_COUNT);
}

static bool any_budget (const struct settings *settings)
{
  for (enum setting s = SETTING_BUDGET_RUNS; s <= SETTING_BUDGET_TOKENS; s++)
    if (value_is_set (&settings->values[s]))
      return true;
  return false;
}

bool control_is_promised (enum control control, const struct settings *settings)
{
  enum setting first = table[control].settings[0];
  const struct value *value = first < SETTING_COUNT ? &settings->values[first] : NULL;

  /* Without a sandbox nothing is promised, whatever else is set. */
  if (settings->values[SETTING_ISOLATION_TYPE].level == ISOLATION_DISABLED)
    return false;
  switch (control) {
  case CONTROL_USER_NON_ROOT: return value->uid != 0 && value->gid != 0;
  case CONTROL_USER_NAMESPACE: return value->level == USERNS_PRIVATE;
  case CONTROL_NO_NEW_PRIVILEGES: return value->flag;
  case CONTROL_ROOT_READ_ONLY: return value->level == ROOT_READ_ONLY;
  case CONTROL_NETWORK_MODE: return value->level != NETWORK_HOST;
  case CONTROL_PATHS_HIDDEN: return value->set.count > 0;
  case CONTROL_SECRETS_FILES: return value->grants.count > 0;
  case CONTROL_BUDGET_SESSION: return any_budget (settings);
  default: return value == NULL || value_is_set (value);
  }
}

bool control_is_required (enum control control, const struct settings *settings)
{
  const struct strlist *require = &settings->values[SETTING_REQUIRE].set;
  const struct strlist *optional = &settings->values[SETTING_OPTIONAL].set;
  const char *name = table[control].name;

  if (!control_is_promised (control, settings))
    return false;
  if (strset_has (require, "*"))
    return !strset_has (optional, name);
  return strset_has (require, name);
}

enum control control_of_setting (enum setting setting)
{
  for (size_t i = 0; i < CONTROL_COUNT; i++)
    for (const enum setting *s = table[i].settings; *s != SETTING_COUNT; s++)
      if (*s == setting)
        return (enum control) i;
  return CONTROL_COUNT; /* require and optional concern all controls */
}

char *control_value_text (enum control control, const struct settings *settings)
{
  const enum setting *list = table[control].settings;
  cleanup_strbuf struct strbuf buf = { 0 };

  if (!control_is_promised (control, settings))
    return strdup ("not promised");
  if (list[0] == SETTING_COUNT)
    return strdup ("always");
  for (size_t i = 0; list[i] != SETTING_COUNT; i++) {
    const struct value *value = &settings->values[list[i]];
    cleanup_free char *text = NULL;

    /* The first setting is the control's value; the others are shown only when they add something. A
     * budget may be set without its first. */
    if (!value_is_set (value)
        || (i > 0 && value->set.count == 0 && value->grants.count == 0 && !value->text
            && setting_info (list[i])->kind != KIND_NUMBER))
      continue;
    text = value_text (list[i], value);
    if (text == NULL)
      return NULL;
    if (i > 0)
      strbuf_addf (&buf, "%s%s: ", buf.len > 0 ? "; " : "", strrchr (setting_info (list[i])->key, '.') + 1);
    strbuf_add (&buf, text);
  }
  return strbuf_take (&buf);
}

char *control_rule_text (enum control control, const struct settings *settings)
{
  static const struct origin ours = { 0 };
  const enum setting *list = table[control].settings;
  const struct origin *rule = list[0] == SETTING_COUNT ? &ours : &settings->values[list[0]].origin;

  for (size_t i = 0; rule->file == NULL && list[i] != SETTING_COUNT; i++)
    rule = &settings->values[list[i]].origin;
  return origin_text (rule);
}
