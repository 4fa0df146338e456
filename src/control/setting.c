/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "control-setting.h"

#include <string.h>

#include "base-cleanup.h"
#include "base-limits.h"

static const char *const isolation_levels[] = { "vm", "container", "local", "firejail", "disabled", NULL };
static const char *const root_levels[] = { "read-only", "writable-layer", NULL };
static const char *const workspace_levels[] = { "none", "read-only", "copy-on-write", "read-write", NULL };
static const char *const userns_levels[] = { "private", "host", NULL };
static const char *const network_levels[] = { "none", "allow", "engine", "host", NULL };
static const char *const output_levels[] = { "end", "cut", NULL };

#define LEVEL(names, value) .kind = KIND_LEVEL, .order = ORDER_LEVEL, .levels = names, .fallback = value
#define NUMBER(how, low, high, value)                                                                        \
  .kind = KIND_NUMBER, .order = ORDER_LESS, .syntax = how, .min = low, .max = high, .nullable = true,        \
  .fallback = value
#define SET(direction, how) .kind = KIND_SET, .order = direction, .syntax = how
#define GRANTS(how)         .kind = KIND_GRANTS, .order = ORDER_GRANTS, .syntax = how

static const struct setting_info table[] = {
  [SETTING_ISOLATION_TYPE] = { "isolation.type", LEVEL (isolation_levels, "container"),
                               .help = "the kind of isolation between the command and the host" },
  [SETTING_ISOLATION_RUNTIME] = { "isolation.runtime", .kind = KIND_TEXT, .order = ORDER_SAME,
                                  .syntax = SYNTAX_RUNTIME, .nullable = true,
                                  .help = "the runtime to use where the command line names none" },
  [SETTING_ISOLATION_IMAGE] = { "isolation.image", .kind = KIND_TEXT, .order = ORDER_SAME,
                                .syntax = SYNTAX_IMAGE, .nullable = true,
                                .help = "the image to use where the command line names none" },
  [SETTING_ROOT] = { "filesystem.root", LEVEL (root_levels, "read-only"),
                     .help = "whether the root can be written; a writable layer is removed with the run" },
  [SETTING_WORKSPACE] = { "filesystem.workspace", LEVEL (workspace_levels, "none"),
                          .help = "how the workspace directory appears at /workspace" },
  [SETTING_TMP] = { "filesystem.tmp", .kind = KIND_NUMBER, .order = ORDER_LESS, .syntax = SYNTAX_SIZE,
                    .min = 4096, .max = INT64_MAX, .fallback = "64M",
                    .help = "the size of /tmp, a file system in memory; /dev/shm gets no more" },
  [SETTING_MOUNTS] = { "filesystem.mounts", GRANTS (SYNTAX_MOUNT),
                       .help = "host paths that are visible inside, named one by one" },
  [SETTING_HIDE] = { "filesystem.hide", SET (ORDER_MORE, SYNTAX_HIDE),
                     .help = "paths that are masked: relative to the workspace, or absolute" },
  [SETTING_NOEXEC] = { "filesystem.noexec", SET (ORDER_MORE, SYNTAX_PATH),
                       .help = "mount points inside from which nothing can be executed" },
  [SETTING_USER] = { "process.user", .kind = KIND_IDS, .order = ORDER_USER, .fallback = "10001:10001",
                     .help = "numeric user and group of the command" },
  [SETTING_CAPABILITIES] = { "process.capabilities", SET (ORDER_FEWER, SYNTAX_CAPABILITY),
                             .help = "capabilities that the command keeps" },
  [SETTING_NO_NEW_PRIVILEGES] = { "process.no_new_privileges", .kind = KIND_FLAG, .order = ORDER_TRUE,
                                  .fallback = "true",
                                  .help = "setuid programs and file capabilities grant no privileges" },
  [SETTING_USER_NAMESPACE] = { "process.user_namespace", LEVEL (userns_levels, "private"),
                               .help = "whether ids inside are mapped to other ids outside" },
  [SETTING_SECCOMP_LIST] = { "process.seccomp.list", .kind = KIND_TEXT, .order = ORDER_LIST,
                             .syntax = SYNTAX_SECCOMP, .fallback = "strict",
                             .help = "the system calls that are allowed: strict, default, or a file" },
  [SETTING_SECCOMP_ALLOW] = { "process.seccomp.allow", SET (ORDER_FEWER, SYNTAX_SYSCALL),
                              .help = "system calls allowed beyond the list, by name" },
  [SETTING_APPARMOR] = { "process.apparmor", .kind = KIND_TEXT, .order = ORDER_SAME, .syntax = SYNTAX_LSM,
                         .nullable = true, .help = "the AppArmor profile that confines the command" },
  [SETTING_TOOLS] = { "process.tools", SET (ORDER_FEWER, SYNTAX_PATH), .nullable = true,
                      .help = "the only programs that may be executed; null allows any" },
  [SETTING_NETWORK_MODE] = { "network.mode", LEVEL (network_levels, "none"),
                             .help = "what the command can reach" },
  [SETTING_NETWORK_ALLOW] = { "network.allow", SET (ORDER_FEWER, SYNTAX_HOST),
                              .help = "the only peers with mode 'allow': names, *.names, addresses, ports" },
  [SETTING_MEMORY] = { "limits.memory", NUMBER (SYNTAX_SIZE, 1024 * 1024, INT64_MAX, "1G"),
                       .help = "memory of all processes together, without swap" },
  [SETTING_PIDS] = { "limits.pids", NUMBER (SYNTAX_COUNT, 1, LIMIT_PIDS_MAX, "128"),
                     .help = "processes and threads together" },
  [SETTING_CPUS] = { "limits.cpus", NUMBER (SYNTAX_MILLI, 10, 1024 * 1000, "1"),
                     .help = "processor time, in processors" },
  [SETTING_OPEN_FILES] = { "limits.open_files", NUMBER (SYNTAX_COUNT, 16, LIMIT_OPEN_FILES_MAX, "1024"),
                           .help = "open files of one process" },
  [SETTING_WALL] = { "limits.wall", NUMBER (SYNTAX_DURATION, 1, UINT64_C (30) * 24 * 3600 * 1000, "60s"),
                     .help = "time after which the run is ended" },
  [SETTING_OUTPUT] = { "limits.output", NUMBER (SYNTAX_SIZE, 0, INT64_MAX, "4M"),
                       .help = "maximum bytes of each output stream" },
  [SETTING_OUTPUT_ACTION] = { "limits.output_action", LEVEL (output_levels, "end"),
                              .help = "what output beyond limits.output causes: the run ends, or the rest is "
                                      "dropped" },
  [SETTING_IDLE] = { "limits.idle", NUMBER (SYNTAX_DURATION, 1, UINT64_C (30) * 24 * 3600 * 1000, NULL),
                     .help = "time without input and output after which the run is ended" },
  [SETTING_OUTPUT_RATE] = { "limits.output_rate", NUMBER (SYNTAX_SIZE, 1024, INT64_MAX, NULL),
                            .help = "bytes per second of each output stream; the command waits beyond that" },
  [SETTING_DISK] = { "limits.disk", NUMBER (SYNTAX_SIZE, 4096, INT64_MAX, NULL),
                     .help = "bytes of workspace changes and writable layers" },
  [SETTING_BUDGET_RUNS] = { "budget.runs", NUMBER (SYNTAX_COUNT, 0, INT64_MAX, NULL),
                            .help = "runs in one session" },
  [SETTING_BUDGET_CPU] = { "budget.cpu", NUMBER (SYNTAX_DURATION, 0, INT64_MAX, NULL),
                           .help = "processor time of one session" },
  [SETTING_BUDGET_WALL] = { "budget.wall", NUMBER (SYNTAX_DURATION, 0, INT64_MAX, NULL),
                            .help = "time of one session's runs" },
  [SETTING_BUDGET_EGRESS] = { "budget.egress", NUMBER (SYNTAX_SIZE, 0, INT64_MAX, NULL),
                              .help = "bytes sent out in one session" },
  [SETTING_BUDGET_TOKENS] = { "budget.tokens", NUMBER (SYNTAX_COUNT, 0, INT64_MAX, NULL),
                              .help = "model tokens of one session, as the gateway reports them" },
  [SETTING_ENVIRONMENT_PASS] = { "environment.pass", SET (ORDER_FEWER, SYNTAX_VARIABLE),
                                 .help = "variables of the caller that are passed on; NAME or PREFIX_*" },
  [SETTING_ENVIRONMENT_SET] = { "environment.set", GRANTS (SYNTAX_ASSIGNMENT),
                                .help = "variables with fixed values" },
  [SETTING_SECRETS] = { "secrets", GRANTS (SYNTAX_SECRET),
                        .help = "the operator's files that are visible inside with mode 0400" },
  [SETTING_REQUIRE] = { "require", SET (ORDER_MORE, SYNTAX_CONTROL),
                        .help =
                            "controls without which no command starts; \"*\" is all that the profile sets" },
  [SETTING_OPTIONAL] = { "optional", SET (ORDER_FEWER, SYNTAX_CONTROL),
                         .help = "controls that \"*\" does not require" },
};

_Static_assert(ARRAY_LEN (table) == SETTING_COUNT, "describe every setting");

const struct setting_info *setting_info (enum setting setting)
{
  return &table[setting];
}

bool setting_find (const char *key, enum setting *ret_setting)
{
  for (size_t i = 0; i < SETTING_COUNT; i++)
    if (strcmp (table[i].key, key) == 0) {
      *ret_setting = (enum setting) i;
      return true;
    }
  return false;
}
