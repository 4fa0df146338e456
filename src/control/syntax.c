/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "control-syntax.h"

#include <errno.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "base-number.h"
#include "base-path.h"
#include "base-str.h"
#include "control-catalogue.h"

/* By number, as in linux/capability.h up to 6.18; an older kernel refuses those that it lacks. */
static const char *const capabilities[] = {
  "CAP_CHOWN",
  "CAP_DAC_OVERRIDE",
  "CAP_DAC_READ_SEARCH",
  "CAP_FOWNER",
  "CAP_FSETID",
  "CAP_KILL",
  "CAP_SETGID",
  "CAP_SETUID",
  "CAP_SETPCAP",
  "CAP_LINUX_IMMUTABLE",
  "CAP_NET_BIND_SERVICE",
  "CAP_NET_BROADCAST",
  "CAP_NET_ADMIN",
  "CAP_NET_RAW",
  "CAP_IPC_LOCK",
  "CAP_IPC_OWNER",
  "CAP_SYS_MODULE",
  "CAP_SYS_RAWIO",
  "CAP_SYS_CHROOT",
  "CAP_SYS_PTRACE",
  "CAP_SYS_PACCT",
  "CAP_SYS_ADMIN",
  "CAP_SYS_BOOT",
  "CAP_SYS_NICE",
  "CAP_SYS_RESOURCE",
  "CAP_SYS_TIME",
  "CAP_SYS_TTY_CONFIG",
  "CAP_MKNOD",
  "CAP_LEASE",
  "CAP_AUDIT_WRITE",
  "CAP_AUDIT_CONTROL",
  "CAP_SETFCAP",
  "CAP_MAC_OVERRIDE",
  "CAP_MAC_ADMIN",
  "CAP_SYSLOG",
  "CAP_WAKE_ALARM",
  "CAP_BLOCK_SUSPEND",
  "CAP_AUDIT_READ",
  "CAP_PERFMON",
  "CAP_BPF",
  "CAP_CHECKPOINT_RESTORE",
};

#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define UPPER  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

static bool made_of (const char *text, const char *letters)
{
  size_t len = strlen (text);

  return len > 0 && strspn (text, letters) == len;
}

int syntax_capability (const char *text)
{
  for (size_t i = 0; i < ARRAY_LEN (capabilities); i++)
    if (strcmp (capabilities[i], text) == 0)
      return (int) i;
  return -1;
}

const char *syntax_capability_name (int number)
{
  return number >= 0 && (size_t) number < ARRAY_LEN (capabilities) ? capabilities[number] : NULL;
}

bool syntax_is_variable (const char *text)
{
  return made_of (text, UPPER LOWER DIGITS "_") && strchr (DIGITS, text[0]) == NULL;
}

/* NAME, or a prefix of at least two characters and one star at the end. A bare star would turn the
 * allow-list into a deny-list. */
static bool is_variable_pattern (const char *text)
{
  char prefix[LIMIT_NAME_BYTES + 1];
  size_t len = strlen (text);

  if (len > 0 && text[len - 1] != '*')
    return syntax_is_variable (text);
  if (len < 3 || len > LIMIT_NAME_BYTES)
    return false;
  memcpy (prefix, text, len - 1);
  prefix[len - 1] = '\0';
  return syntax_is_variable (prefix);
}

static bool is_name (const char *text)
{
  return strlen (text) <= LIMIT_NAME_BYTES && made_of (text, UPPER LOWER DIGITS "_.-") && text[0] != '.'
         && text[0] != '-';
}

static bool is_path (const char *text)
{
  return strlen (text) <= LIMIT_PATH_BYTES && path_is_normal (text);
}

/* A host name or address, "*." allowed in front of a name, and an optional port. IPv6 in brackets. */
static bool is_host (const char *text)
{
  char host[256];
  const char *colon = strrchr (text, ':');
  const char *bracket = strchr (text, ']');
  size_t len = strlen (text);
  uint64_t port;

  if (colon != NULL && (bracket == NULL || colon > bracket)) {
    if (!number_parse (colon + 1, 65535, &port) || port == 0)
      return false;
    len = (size_t) (colon - text);
  }
  if (len == 0 || len >= sizeof (host))
    return false;
  memcpy (host, text, len);
  host[len] = '\0';
  if (host[0] == '[') {
    if (len < 4 || host[len - 1] != ']')
      return false;
    host[len - 1] = '\0';
    return made_of (host + 1, DIGITS "abcdefABCDEF:.");
  }
  if (str_has_prefix (host, "*."))
    return made_of (host + 2, UPPER LOWER DIGITS ".-") && host[2] != '.' && host[2] != '-';
  return made_of (host, UPPER LOWER DIGITS ".-") && host[0] != '.' && host[0] != '-';
}

static int check_capability (const char *text, struct error *err)
{
  const char *near;

  if (syntax_capability (text) >= 0)
    return 0;
  near = str_nearest (text, capabilities, ARRAY_LEN (capabilities));
  if (near != NULL)
    return error_set (err, -EINVAL, "'%s' is not a capability; did you mean '%s'?", text, near);
  return error_set (err, -EINVAL, "'%s' is not a capability, such as CAP_KILL", text);
}

static int check_control (const char *text, struct error *err)
{
  enum control control;
  const char *near;

  if (strcmp (text, "*") == 0 || control_find (text, &control))
    return 0;
  near = control_nearest (text);
  if (near != NULL)
    return error_set (err, -EINVAL, "'%s' is not a control; did you mean '%s'?", text, near);
  return error_set (err, -EINVAL, "'%s' is not a control; 'tyrum-oci explain' lists them", text);
}

struct rule {
  bool (*holds) (const char *text);
  const char *expected;
};

static bool is_runtime (const char *text)
{
  return text[0] == '/' ? is_path (text) : is_name (text);
}

static bool is_image (const char *text)
{
  return strlen (text) <= LIMIT_PATH_BYTES && text[0] != '-' && made_of (text, UPPER LOWER DIGITS "_./:@+-");
}

/* "unconfined" would request no confinement; a profile uses null for that, and then nothing is promised. */
static bool is_lsm (const char *text)
{
  return is_name (text) && strcmp (text, "unconfined") != 0;
}

static bool is_seccomp (const char *text)
{
  return strcmp (text, "strict") == 0 || strcmp (text, "default") == 0
         || (strlen (text) <= LIMIT_PATH_BYTES && str_has_suffix (text, ".json")
             && (path_is_normal (text) || path_is_beneath (text)));
}

static bool is_hide (const char *text)
{
  return strlen (text) <= LIMIT_PATH_BYTES && strcmp (text, "/") != 0
         && (path_is_normal (text) || path_is_beneath (text));
}

static bool is_syscall (const char *text)
{
  return strlen (text) <= LIMIT_NAME_BYTES && made_of (text, LOWER DIGITS "_");
}

static const struct rule rules[] = {
  [SYNTAX_RUNTIME] = { is_runtime, "a runtime's name or absolute path" },
  [SYNTAX_IMAGE] = { is_image, "an image reference" },
  [SYNTAX_SECCOMP] = { is_seccomp, "'strict', 'default', or the path of a .json list" },
  [SYNTAX_LSM] = { is_lsm, "the name of an AppArmor profile" },
  [SYNTAX_HIDE] = { is_hide, "a path without '.', '..' or empty parts" },
  [SYNTAX_PATH] = { is_path, "an absolute path without '.', '..' or empty parts" },
  [SYNTAX_SYSCALL] = { is_syscall, "the name of a system call" },
  [SYNTAX_HOST] = { is_host, "a host name, *.name or address, with an optional :port" },
  [SYNTAX_VARIABLE] = { is_variable_pattern,
                        "a variable's name, or a prefix of two letters or more and '*'" },
};

int syntax_check (enum value_syntax syntax, const char *text, struct error *err)
{
  if (syntax == SYNTAX_CAPABILITY)
    return check_capability (text, err);
  if (syntax == SYNTAX_CONTROL)
    return check_control (text, err);
  if ((size_t) syntax >= ARRAY_LEN (rules) || rules[syntax].holds == NULL || rules[syntax].holds (text))
    return 0;
  return error_set (err, -EINVAL, "'%s' is not %s", text, rules[syntax].expected);
}
