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
#include "restrict-restrict.h"

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

/* systemd nests "a-b-c.slice" in "a-b.slice" in "a.slice"; "-.slice" is the root. */
static void add_slices (struct strbuf *path, const char *slice, size_t len)
{
  size_t name = len - strlen (".slice");

  if (name == 1 && slice[0] == '-')
    return;
  for (size_t end = 1; end <= name; end++)
    if (end == name || slice[end] == '-') {
      strbuf_add (path, "/");
      strbuf_add_bytes (path, slice, end);
      strbuf_add (path, ".slice");
    }
}

char *parent_quota_group (const char *group)
{
  cleanup_strbuf struct strbuf path = { 0 };
  const char *prefix, *name;

  if (path_is_normal (group))
    return strdup (group);
  if (!spec_group_is_systemd (group))
    return NULL;
  prefix = strchr (group, ':') + 1;
  name = strchr (prefix, ':') + 1;
  if (prefix - 1 == group)
    strbuf_add (&path, "/system.slice");
  else
    add_slices (&path, group, (size_t) (prefix - 1 - group));
  strbuf_add (&path, "/");
  strbuf_add_bytes (&path, prefix, (size_t) (name - 1 - prefix));
  strbuf_addf (&path, "%s%s.scope", name - 1 == prefix ? "" : "-", name);
  return strbuf_take (&path);
}

uint64_t parent_quota_below (const char *const *mounted, size_t count, const struct json_node *config)
{
  const struct json_node *named = json_get (json_get (config, "linux"), "cgroupsPath");
  cleanup_free char *group =
      named != NULL && named->type == JSON_STRING ? parent_quota_group (named->text) : NULL;

  for (size_t i = 0; group != NULL && i < count; i++) {
    uint64_t least = least_above (mounted[i], group);

    if (least > 0)
      return least;
  }
  return 0;
}

uint64_t parent_quota_look (const struct json_node *config)
{
  static const char *const mounted[] = { "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct" };

  return parent_quota_below (mounted, ARRAY_LEN (mounted), config);
}
