/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Spelling of keys.
 *
 * Runtimes written in Go compare keys without regard to case, and count U+017F as 's' and U+212A as 'k'; of
 * two spellings of one key the last one counts. Everything else in src/restrict compares keys exactly. So a
 * document in which the two could differ is refused as a whole, before any part of it is restricted.
 */
#include <config.h>

#include "restrict-internal.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* Every key of the OCI runtime specification 1.2 that a runtime on Linux reads. */
static const char *const known[] = {
  "access",
  "additionalGids",
  "addr",
  "allow",
  "ambient",
  "annotations",
  "apparmorProfile",
  "architectures",
  "args",
  "blockIO",
  "boottime",
  "bounding",
  "burst",
  "capabilities",
  "cgroupsPath",
  "checkBeforeUpdate",
  "class",
  "closID",
  "commandLine",
  "consoleSize",
  "containerID",
  "cpu",
  "cpus",
  "createContainer",
  "createRuntime",
  "cwd",
  "deadline",
  "defaultAction",
  "defaultErrnoRet",
  "destination",
  "devices",
  "disableOOMKiller",
  "domain",
  "domainname",
  "effective",
  "enableCMT",
  "enableMBM",
  "enableMonitoring",
  "env",
  "errnoRet",
  "execCPUAffinity",
  "fileMode",
  "final",
  "flags",
  "gid",
  "gidMappings",
  "hard",
  "hcaHandles",
  "hcaObjects",
  "height",
  "hooks",
  "hostID",
  "hostname",
  "hugepageLimits",
  "hypervisor",
  "id",
  "idle",
  "image",
  "index",
  "inheritable",
  "initial",
  "initrd",
  "intelRdt",
  "ioPriority",
  "kernel",
  "kernelTCP",
  "l3CacheSchema",
  "leafWeight",
  "limit",
  "linux",
  "listenerMetadata",
  "listenerPath",
  "major",
  "maskedPaths",
  "memBwSchema",
  "memory",
  "memoryPolicy",
  "mems",
  "minor",
  "mode",
  "monotonic",
  "mountLabel",
  "mounts",
  "name",
  "names",
  "namespaces",
  "nanosecs",
  "netDevices",
  "network",
  "nice",
  "noNewPrivileges",
  "nodes",
  "ociVersion",
  "oomScoreAdj",
  "op",
  "options",
  "pageSize",
  "parameters",
  "path",
  "period",
  "permitted",
  "personality",
  "pids",
  "policy",
  "poststart",
  "poststop",
  "prestart",
  "priorities",
  "priority",
  "process",
  "quota",
  "rate",
  "rdma",
  "readonly",
  "readonlyPaths",
  "realtimePeriod",
  "realtimeRuntime",
  "reservation",
  "resources",
  "rlimits",
  "root",
  "rootfsPropagation",
  "runtime",
  "scheduler",
  "schemata",
  "seccomp",
  "secs",
  "selinuxLabel",
  "shares",
  "size",
  "soft",
  "source",
  "startContainer",
  "swap",
  "swappiness",
  "syscalls",
  "sysctl",
  "terminal",
  "throttleReadBpsDevice",
  "throttleReadIOPSDevice",
  "throttleWriteBpsDevice",
  "throttleWriteIOPSDevice",
  "timeOffsets",
  "timeout",
  "type",
  "uid",
  "uidMappings",
  "umask",
  "unified",
  "useHierarchy",
  "user",
  "username",
  "value",
  "valueTwo",
  "vm",
  "weight",
  "weightDevice",
  "width",
};

/* Objects whose keys are data: names of annotations, kernel parameters, files, devices. */
static bool is_map (const char *key)
{
  static const char *const maps[] = { "annotations", "netDevices", "rdma", "sysctl", "unified" };

  for (size_t i = 0; key != NULL && i < ARRAY_LEN (maps); i++)
    if (strcmp (maps[i], key) == 0)
      return true;
  return false;
}

static bool is_ascii (const char *key)
{
  for (const char *c = key; *c != '\0'; c++)
    if ((unsigned char) *c >= 0x80)
      return false;
  return true;
}

static int check_key (const struct meet *m, const struct json_key *at)
{
  const char *key = at->name;

  if (!is_ascii (key))
    return error_set (m->err, -EINVAL,
                      "%s:%u:%u: key '%s' is not plain ASCII, and some runtimes read it as another key",
                      m->document, at->line, at->column, key);
  for (size_t i = 0; i < ARRAY_LEN (known); i++)
    if (strcasecmp (known[i], key) == 0 && strcmp (known[i], key) != 0)
      return error_set (m->err, -EINVAL, "%s: key '%s' is a second spelling of '%s'", m->document, key,
                        known[i]);
  return 0;
}

static int check_tree (const struct meet *m, const struct json_node *node, bool map)
{
  int r = 0;

  for (size_t i = 0; r == 0 && i < node->count; i++) {
    const char *key = node->type == JSON_OBJECT ? node->keys[i].name : NULL;

    if (key != NULL && !map)
      r = check_key (m, &node->keys[i]);
    if (r == 0)
      r = check_tree (m, node->items[i], key != NULL && !map && is_map (key));
  }
  return r;
}

int restrict_keys (const struct meet *m, const struct json_node *document)
{
  return check_tree (m, document, false);
}
