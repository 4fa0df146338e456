/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The catalogue: every promise that can be enforced and observed, in one table.
 *
 * `explain`, `matrix`, the lint, `require`, the posture and the docs page walk this table. The settings
 * decide whether a control is promised; control-enforcement.h has how a backend enforces it.
 */
#pragma once

#include <stdbool.h>

#include "control-setting.h"
#include "control-value.h"

enum control {
  CONTROL_ISOLATION_TYPE,
  CONTROL_USER_NON_ROOT,
  CONTROL_USER_NAMESPACE,
  CONTROL_CAPABILITIES,
  CONTROL_NO_NEW_PRIVILEGES,
  CONTROL_SECCOMP,
  CONTROL_APPARMOR,
  CONTROL_TOOLS,
  CONTROL_FDS_CLOSED,
  CONTROL_ROOT_READ_ONLY,
  CONTROL_WORKSPACE_BOUNDED,
  CONTROL_TMP_BOUNDED,
  CONTROL_PATHS_MASKED,
  CONTROL_PATHS_HIDDEN,
  CONTROL_DEVICES_MINIMAL,
  CONTROL_MOUNTS_NOSUID_NODEV,
  CONTROL_NAMESPACE_PID,
  CONTROL_NAMESPACE_IPC,
  CONTROL_NAMESPACE_UTS,
  CONTROL_NAMESPACE_MOUNT,
  CONTROL_NAMESPACE_CGROUP,
  CONTROL_NETWORK_MODE,
  CONTROL_LIMITS_MEMORY,
  CONTROL_LIMITS_PIDS,
  CONTROL_LIMITS_CPU,
  CONTROL_LIMITS_OPEN_FILES,
  CONTROL_LIMITS_WALL,
  CONTROL_LIMITS_OUTPUT,
  CONTROL_LIMITS_IDLE,
  CONTROL_LIMITS_OUTPUT_RATE,
  CONTROL_LIMITS_DISK,
  CONTROL_ENVIRONMENT_CLEAN,
  CONTROL_SECRETS_FILES,
  CONTROL_BUDGET_SESSION,
  CONTROL_COUNT
};

struct control_info {
  const char *name;
  enum setting settings[6]; /* the settings that decide it, ended by SETTING_COUNT; none: always promised */
  const char *promise;      /* one sentence */
  const char *observed;     /* how it is observed on the running container */
};

const struct control_info *control_info (enum control control);
bool control_find (const char *name, enum control *ret_control);
const char *control_nearest (const char *name);

/* Whether SETTINGS promise CONTROL. Settings must be complete (settings_complete). */
bool control_is_promised (enum control control, const struct settings *settings);

/* Whether the command must not start without it. */
bool control_is_required (enum control control, const struct settings *settings);

/* The control that a setting belongs to, for messages about the setting. */
enum control control_of_setting (enum setting setting);

/* The promised value as text: "read-only", "1G", "always". NULL when memory ran out. */
char *control_value_text (enum control control, const struct settings *settings);

/* The origin of the promise: that of the setting that decides it, or of the first other setting that was
 * set explicitly; "built-in default" where there is none. NULL when memory ran out. */
char *control_rule_text (enum control control, const struct settings *settings);
