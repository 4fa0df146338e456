/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where mount points lie in an image with links, and the plan that create leaves for start. */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "shim-container-plan.h"
#include "shim-image-links.h"

static char root[] = "/tmp/tyrum-image-links-XXXXXX";

/* The links of the image; what does not lead elsewhere is a directory. */
static const struct {
  const char *path, *target;
} image[] = {
  { "/var", NULL },
  { "/var/run", "/run" },
  { "/run", NULL },
  { "/etc", NULL },
  { "/etc/localtime", "../usr/share/zone" },
  { "/up", "../../../../../etc" },
  { "/chain", "chain2/x" },
  { "/chain2", "/var/run" },
  { "/loop", "loop" },
  { "/dev", "/etc" },
  { "/outside", "/proc/self/root" },
  { "/own", NULL },
  { "/own/tmp", "/etc" },
};

static void path_in_root (char path[256], size_t i)
{
  snprintf (path, 256, "%s%s", root, image[i].path);
}

static int make_image (void **state)
{
  (void) state;
  if (mkdtemp (root) == NULL)
    return -1;
  for (size_t i = 0; i < ARRAY_LEN (image); i++) {
    char path[256];

    path_in_root (path, i);
    if (image[i].target ? symlink (image[i].target, path) : mkdir (path, 0755))
      return -1;
  }
  return 0;
}

static int remove_image (void **state)
{
  char path[256];

  (void) state;
  snprintf (path, sizeof (path), "%s/tmp", root);
  unlink (path);
  for (size_t i = ARRAY_LEN (image); i-- > 0;) {
    path_in_root (path, i);
    if (image[i].target ? unlink (path) : rmdir (path))
      return -1;
  }
  return rmdir (root);
}

static struct json_node *mounts_on (const char *const *dests)
{
  struct json_node *config = json_new (JSON_OBJECT), *mounts = json_new (JSON_ARRAY);

  for (size_t i = 0; dests[i] != NULL; i++) {
    struct json_node *mount = json_new (JSON_OBJECT);

    assert_int_equal (json_set (mount, "destination", json_new_text (JSON_STRING, dests[i])), 0);
    assert_int_equal (json_append (mounts, mount), 0);
  }
  assert_int_equal (json_set (config, "mounts", mounts), 0);
  return config;
}

/* Where the last of DESTS lies. */
static int follow (const char *const *dests, const char *asked, char *ret_real, size_t size)
{
  cleanup_json struct json_node *config = mounts_on (dests);
  cleanup_spec_points struct spec_points points = { 0 };
  cleanup_error struct error err = { 0 };
  int r = image_links_follow (root, config, &points, &err);

  snprintf (ret_real, size, "%s", r < 0 ? error_text (&err) : spec_point_real (&points, asked));
  return r;
}

static void test_links (void **state)
{
  static const struct {
    const char *written, *real;
  } rows[] = {
    { "/plain/x", "/plain/x" },
    { "/var/run/x", "/run/x" },
    { "/etc/localtime", "/usr/share/zone" },
    { "/up/x", "/etc/x" }, /* ".." of the root is the root */
    { "/chain/y", "/run/x/y" },
    { "/outside/x", "/proc/self/root/x" }, /* in the image, where it is no magic link; judged by that name */
    { "/dev/shm", "/dev/shm" },            /* /dev is a fresh one, whatever the image has there */
    { "/proc/x", "/proc/x" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    const char *const dests[] = { rows[i].written, NULL };
    char real[512];
    int r = follow (dests, rows[i].written, real, sizeof (real));

    CHECK (r == 0 && strcmp (real, rows[i].real) == 0, "%s: %s instead of %s", rows[i].written, real,
           rows[i].real);
  }
}

/* What lies on another mount is not the image's. */
static void test_on_mounts (void **state)
{
  const char *const covered[] = { "/etc", "/etc/localtime", NULL };
  const char *const linked[] = { "/var/run", "/var/run/x/y", NULL };
  const char *const later[] = { "/etc/localtime", "/etc", NULL };
  char real[512];

  (void) state;
  assert_int_equal (follow (covered, "/etc/localtime", real, sizeof (real)), 0);
  assert_string_equal (real, "/etc/localtime");
  assert_int_equal (follow (linked, "/var/run/x/y", real, sizeof (real)), 0);
  assert_string_equal (real, "/run/x/y");
  /* Mounted before it was covered. */
  assert_int_equal (follow (later, "/etc/localtime", real, sizeof (real)), 0);
  assert_string_equal (real, "/usr/share/zone");
}

static void test_refused (void **state)
{
  const char *const loop[] = { "/loop/x", NULL }, *const upwards[] = { "/var/../x", "/var/run", NULL };
  char real[512];

  (void) state;
  assert_int_equal (follow (loop, "/loop/x", real, sizeof (real)), -ELOOP);
  assert_string_equal (real, "the mount point '/loop/x' leads through too many links of the image");
  /* Left to restrict_mounts, which refuses it; the others are still known. */
  assert_int_equal (follow (upwards, "/var/run", real, sizeof (real)), 0);
  assert_string_equal (real, "/run");
}

/* /tmp is looked at in any case: memory is mounted there. */
static void test_tmp (void **state)
{
  const char *const none[] = { NULL }, *const own[] = { "/tmp", NULL };
  char real[512], path[256];

  (void) state;
  assert_int_equal (follow (none, "/tmp", real, sizeof (real)), 0);
  assert_string_equal (real, "/tmp");
  snprintf (path, sizeof (path), "%s/tmp", root);
  assert_int_equal (symlink ("var/x", path), 0);
  assert_int_equal (follow (none, "/tmp", real, sizeof (real)), 0);
  assert_string_equal (real, "/var/x");
  assert_int_equal (follow (own, "/tmp", real, sizeof (real)), 0);
  assert_string_equal (real, "/var/x");
}

static void test_no_root (void **state)
{
  const char *const dests[] = { "/var/run/x", NULL };
  cleanup_json struct json_node *config = mounts_on (dests);
  cleanup_spec_points struct spec_points points = { 0 };
  cleanup_error struct error err = { 0 };

  (void) state;
  assert_int_equal (image_links_follow ("/nonexistent", config, &points, &err), 0);
  assert_int_equal (points.count, 0);
}

/* Numbers in an engine's document are not those that were seen. */
static void test_plan_numbers (void **state)
{
  const char *const dests[] = { "/a", "/b", NULL };
  cleanup_json struct json_node *config = mounts_on (dests), *plan = NULL;
  struct path_fact fact = { .path = strdup ("/srv/b"), .real = strdup ("/srv/b"), .device = 7, .inode = 9 };
  struct host_facts host = { .paths = { &fact, 1 } };
  struct policy policy = { .host = &host };
  struct json_node *mounts = json_edit (config, "mounts");
  cleanup_error struct error err = { 0 };
  char path[256];

  (void) state;
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal (json_set (mounts->items[i], "device", json_new_number (1)), 0);
    assert_int_equal (json_set (mounts->items[i], "inode", json_new_number (2)), 0);
    assert_int_equal (json_set (mounts->items[i], "type", json_new_text (JSON_STRING, i ? "bind" : "tmpfs")),
                      0);
    assert_int_equal (json_set (mounts->items[i], "source", json_new_text (JSON_STRING, "/srv/b")), 0);
  }
  snprintf (path, sizeof (path), "%s/own/plan.json", root);
  assert_int_equal (container_plan_write (path, &policy, config, &err), 0);
  assert_int_equal (container_plan_read (path, &plan, &err), 0);
  unlink (path);
  mounts = json_edit (plan, "mounts");
  assert_null (json_get (mounts->items[0], "device"));
  assert_null (json_get (mounts->items[0], "inode"));
  assert_string_equal (json_get (mounts->items[1], "device")->text, "7");
  assert_string_equal (json_get (mounts->items[1], "inode")->text, "9");
  free (fact.path);
  free (fact.real);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_links), cmocka_unit_test (test_on_mounts), cmocka_unit_test (test_refused),
  cmocka_unit_test (test_tmp),   cmocka_unit_test (test_no_root),   cmocka_unit_test (test_plan_numbers),
};

int main (void)
{
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (cases, make_image, remove_image);
}
