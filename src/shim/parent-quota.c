/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-parent-quota.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-number.h"
#include "base-path.h"
#include "base-str.h"

static bool read_number (const char *directory, const char *file, uint64_t *ret_number)
{
  cleanup_free char *path = str_format ("%s/%s", directory, file), *text = NULL;
  cleanup_error struct error ignored = { 0 };

  if (path == NULL || file_read (AT_FDCWD, path, 64, &text, NULL, &ignored) < 0)
    return false;
  text[strcspn (text, "\n")] = '\0';
  return number_parse (text, INT64_MAX / 1000, ret_number); /* "-1" is no limit */
}

static uint64_t quota_of (const char *directory)
{
  uint64_t quota = 0, period = 0;

  if (!read_number (directory, "cpu.cfs_quota_us", &quota)
      || !read_number (directory, "cpu.cfs_period_us", &period) || quota == 0 || period == 0)
    return 0;
  return quota * 1000 / period;
}

/* MOUNTED is where the hierarchy is. */
static uint64_t least_above (const char *mounted, const char *group)
{
  cleanup_free char *path = str_format ("%s%s", mounted, group);
  uint64_t least = 0;

  for (char *slash;
       path != NULL && (slash = strrchr (path, '/')) != NULL && slash > path + strlen (mounted);) {
    uint64_t quota;

    *slash = '\0';
    quota = quota_of (path);
    if (quota > 0 && (least == 0 || quota < least))
      least = quota;
  }
  return least;
}

uint64_t parent_quota_look (const struct json_node *config)
{
  static const char *const mounted[] = { "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct" };
  const struct json_node *group = json_get (json_get (config, "linux"), "cgroupsPath");

  if (group == NULL || group->type != JSON_STRING || !path_is_normal (group->text))
    return 0;
  for (size_t i = 0; i < ARRAY_LEN (mounted); i++) {
    uint64_t least = least_above (mounted[i], group->text);

    if (least > 0)
      return least;
  }
  return 0;
}
