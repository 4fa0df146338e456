/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings: every key of the profile language that has a value, in one table.
 *
 * The parser, the lattice, the JSON Schema, `profile show`, `diff` and the docs all walk this table, so they
 * always have the same keys. A row describes the form of a value, which direction is strict, and the
 * fallback: always the strict side, because a profile grants only what it states.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum setting {
  SETTING_ISOLATION_TYPE,
  SETTING_ISOLATION_RUNTIME,
  SETTING_ISOLATION_IMAGE,
  SETTING_ROOT,
  SETTING_WORKSPACE,
  SETTING_TMP,
  SETTING_MOUNTS,
  SETTING_HIDE,
  SETTING_NOEXEC,
  SETTING_USER,
  SETTING_CAPABILITIES,
  SETTING_NO_NEW_PRIVILEGES,
  SETTING_USER_NAMESPACE,
  SETTING_SECCOMP_LIST,
  SETTING_SECCOMP_ALLOW,
  SETTING_APPARMOR,
  SETTING_TOOLS,
  SETTING_NETWORK_MODE,
  SETTING_NETWORK_ALLOW,
  SETTING_MEMORY,
  SETTING_PIDS,
  SETTING_CPUS,
  SETTING_OPEN_FILES,
  SETTING_WALL,
  SETTING_OUTPUT,
  SETTING_OUTPUT_ACTION,
  SETTING_IDLE,
  SETTING_OUTPUT_RATE,
  SETTING_DISK,
  SETTING_BUDGET_RUNS,
  SETTING_BUDGET_CPU,
  SETTING_BUDGET_WALL,
  SETTING_BUDGET_EGRESS,
  SETTING_BUDGET_TOKENS,
  SETTING_ENVIRONMENT_PASS,
  SETTING_ENVIRONMENT_SET,
  SETTING_SECRETS,
  SETTING_REQUIRE,
  SETTING_OPTIONAL,
  SETTING_COUNT
};

/* The form of a value; the last two are lists. */
enum value_kind { KIND_FLAG, KIND_LEVEL, KIND_NUMBER, KIND_IDS, KIND_TEXT, KIND_SET, KIND_GRANTS };

/* Which of two values is stricter. */
enum value_order {
  ORDER_TRUE,   /* true is strict */
  ORDER_LEVEL,  /* the earlier level is strict */
  ORDER_LESS,   /* the smaller number is strict */
  ORDER_USER,   /* any user is stricter than root; two other users do not compare */
  ORDER_SAME,   /* two different texts do not compare */
  ORDER_LIST,   /* as ORDER_SAME, but 'strict' is stricter than 'default' */
  ORDER_FEWER,  /* the smaller set is strict */
  ORDER_MORE,   /* the larger set is strict */
  ORDER_GRANTS, /* fewer grants are strict, and so is read-only */
};

/* The syntax of a value, or of each entry of a list. */
enum value_syntax {
  SYNTAX_NONE,
  SYNTAX_COUNT,      /* 128 */
  SYNTAX_SIZE,       /* "64M" */
  SYNTAX_DURATION,   /* "60s" */
  SYNTAX_MILLI,      /* 1.5 */
  SYNTAX_RUNTIME,    /* a name or an absolute path */
  SYNTAX_IMAGE,      /* an image reference */
  SYNTAX_SECCOMP,    /* strict, default, or a file */
  SYNTAX_LSM,        /* the name of an AppArmor profile */
  SYNTAX_HIDE,       /* a path in the workspace, or an absolute one */
  SYNTAX_PATH,       /* an absolute path */
  SYNTAX_CAPABILITY, /* CAP_NET_BIND_SERVICE */
  SYNTAX_SYSCALL,    /* keyctl */
  SYNTAX_HOST,       /* example.org:443, *.example.org, 192.0.2.1:80 */
  SYNTAX_VARIABLE,   /* LANG, LC_* */
  SYNTAX_CONTROL,    /* root.read_only, or * */
  SYNTAX_MOUNT,      /* these three are objects */
  SYNTAX_SECRET,
  SYNTAX_ASSIGNMENT,
};

struct setting_info {
  const char *key; /* "limits.memory" */
  enum value_kind kind;
  enum value_order order;
  enum value_syntax syntax;
  const char *const *levels; /* KIND_LEVEL: strict to loose, NULL-terminated */
  uint64_t min, max;         /* KIND_NUMBER */
  bool nullable;             /* null lifts the value of a parent */
  const char *fallback;      /* used where the value is not set; NULL: it stays unset, a list is empty */
  const char *help;
};

const struct setting_info *setting_info (enum setting setting);

/* Finds "limits.memory"; false when there is no such key. */
bool setting_find (const char *key, enum setting *ret_setting);

/* Levels that code distinguishes, in the order of the tables (a test compares them with the names). */
enum { ISOLATION_VM, ISOLATION_CONTAINER, ISOLATION_LOCAL, ISOLATION_FIREJAIL, ISOLATION_DISABLED };
enum { ROOT_READ_ONLY, ROOT_WRITABLE_LAYER };
enum { WORKSPACE_NONE, WORKSPACE_READ_ONLY, WORKSPACE_COPY_ON_WRITE, WORKSPACE_READ_WRITE };
enum { USERNS_PRIVATE, USERNS_HOST };
enum { NETWORK_NONE, NETWORK_ALLOW, NETWORK_ENGINE, NETWORK_HOST };
enum { OUTPUT_END, OUTPUT_CUT };
