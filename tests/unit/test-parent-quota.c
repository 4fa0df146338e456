/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much processor time the groups above a container have, in a tree of files like cgroup v1's. */
#include <config.h>

#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-json-edit.h"
#include "base-str.h"
#include "shim-parent-quota.h"

static char mounted[] = "/tmp/tyrum-parent-quota-XXXXXX";

/* Groups, and their limits; the root of a hierarchy has none. */
static const struct {
  const char *group, *quota, *period;
} groups[] = {
  { "/kubepods", "-1", "100000" },
  { "/kubepods/burstable", "200000", "100000" },
  { "/kubepods/burstable/podA", "50000", "100000" },
  { "/kubepods/burstable/podA/own", "1000", "100000" }, /* the container's own does not count */
  { "/kubepods.slice", "-1", "100000" },
  { "/kubepods.slice/kubepods-burstable.slice", "150000", "50000" },
  { "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podA_B.slice", "25000", "100000" },
  { "/system.slice", "70000", "100000" },
  { "/broken", "many", "100000" },
  { "/broken/zero", "1000", "0" },
};

static void write_file (const char *group, const char *name, const char *text)
{
  char path[256];
  FILE *file;

  snprintf (path, sizeof (path), "%s%s/%s", mounted, group, name);
  file = fopen (path, "w");
  assert_non_null (file);
  fprintf (file, "%s\n", text);
  assert_int_equal (fclose (file), 0);
}

static int make_groups (void **state)
{
  (void) state;
  if (mkdtemp (mounted) == NULL)
    return -1;
  for (size_t i = 0; i < ARRAY_LEN (groups); i++) {
    char path[256];

    snprintf (path, sizeof (path), "%s%s", mounted, groups[i].group);
    if (mkdir (path, 0755) < 0)
      return -1;
    write_file (groups[i].group, "cpu.cfs_quota_us", groups[i].quota);
    write_file (groups[i].group, "cpu.cfs_period_us", groups[i].period);
  }
  return 0;
}

static int remove_groups (void **state)
{
  static const char *const files[] = { "/cpu.cfs_quota_us", "/cpu.cfs_period_us", "" };

  (void) state;
  for (size_t i = ARRAY_LEN (groups); i-- > 0;)
    for (size_t k = 0; k < ARRAY_LEN (files); k++) {
      char path[256];

      snprintf (path, sizeof (path), "%s%s%s", mounted, groups[i].group, files[k]);
      if (remove (path) < 0)
        return -1;
    }
  return rmdir (mounted);
}

static void test_least (void **state)
{
  static const struct {
    const char *group;
    unsigned milli;
  } rows[] = {
    { "/kubepods/burstable/podA/own", 500 },
    { "/kubepods/burstable/podA/not-made-yet", 500 },
    { "/kubepods/burstable/podB/x", 2000 },
    { "/kubepods/burstable", 0 }, /* nothing above it has a limit */
    { "/elsewhere/x", 0 },
    { "/top", 0 },
    { "/broken/x", 0 },
    { "/broken/zero/x", 0 },
    { "kubepods-burstable-podA_B.slice:cri-containerd:ID", 250 },
    { "kubepods-burstable.slice:x:y", 3000 },
    { "kubepods.slice:x:y", 0 },
    { ":docker:ID", 700 },
    { "-.slice:docker:ID", 0 },
    { "kubepods-burstable:x:y", 0 },
    { "kubepods/burstable/podA/own", 0 },
    { "/kubepods/burstable/podA/../podA/x", 0 },
    { "", 0 },
  };
  const char *const places[] = { "/nonexistent", mounted };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_json struct json_node *config = json_new (JSON_OBJECT);
    struct json_node *linux_ = json_new (JSON_OBJECT);
    uint64_t found;

    assert_int_equal (json_set (linux_, "cgroupsPath", json_new_text (JSON_STRING, rows[i].group)), 0);
    assert_int_equal (json_set (config, "linux", linux_), 0);
    found = parent_quota_below (places, ARRAY_LEN (places), config);
    CHECK (found == rows[i].milli, "'%s': %u instead of %u", rows[i].group, (unsigned) found, rows[i].milli);
  }
}

static void test_no_group (void **state)
{
  cleanup_json struct json_node *config = json_new (JSON_OBJECT);
  const char *const places[] = { mounted };

  (void) state;
  assert_int_equal (parent_quota_below (places, 1, config), 0);
  assert_int_equal (json_set (config, "linux", json_new (JSON_OBJECT)), 0);
  assert_int_equal (json_set (json_edit (config, "linux"), "cgroupsPath", json_new_number (1)), 0);
  assert_int_equal (parent_quota_below (places, 1, config), 0);
}

static void test_systemd (void **state)
{
  static const struct {
    const char *group, *path;
  } rows[] = {
    { "/docker/ID", "/docker/ID" },
    { "system.slice:docker:ID", "/system.slice/docker-ID.scope" },
    { "a-b-c.slice:p:n", "/a.slice/a-b.slice/a-b-c.slice/p-n.scope" },
    { "a.slice::n", "/a.slice/n.scope" },
    { ":p:n", "/system.slice/p-n.scope" },
    { "-.slice:p:n", "/p-n.scope" },
    { "a:p:n", NULL },
    { "a.slice:p", NULL },
    { "a.slice:p:n:m", NULL },
    { "a.slice:p:", NULL },
    { "../a.slice:p:n", NULL },
    { "relative", NULL },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *path = parent_quota_group (rows[i].group);

    CHECK (str_equal (path, rows[i].path), "'%s': '%s'", rows[i].group, path ? path : "NULL");
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_least),
  cmocka_unit_test (test_no_group),
  cmocka_unit_test (test_systemd),
};

int main (void)
{
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (cases, make_groups, remove_groups);
}
