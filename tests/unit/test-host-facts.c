/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host facts as a document: what it may say, what it means when it says nothing, and that nothing is lost on
 * the way through JSON. */
#include <config.h>

#include "host-facts.h"

#include <errno.h>
#include <stdlib.h>

#include "host-facts-write.h"
#include "unit.h"

static const char full[] =
    "// one of everything\n"
    "{\"machine\":\"aarch64\",\"kernel\":\"6.1.0\",\"uid\":0,\"gid\":5,\"home\":\"/root\","
    "\"config_home\":\"/etc/other\",\"state_dir\":\"/run/"
    "other\",\"storage_dir\":\"/srv/kept\",\"cgroup\":\"hybrid\",\"cgroup_writable\":true,"
    "\"cgroup_delegated\":\"/user.slice/a\",\"cgroup_controllers\":[\"cpu\",\"memory\"],"
    "\"swap_accounting\":true,\"apparmor\":{\"enabled\":true,\"profiles\":[\"tyrum-hardened\",\"a b (c)\"]},"
    "\"seccomp_actions\":[\"errno\",\"allow\"],\"landlock_abi\":4,\"user_namespaces\":true,\"openat2\":true,"
    "\"open_files_hard\":18446744073709551615,"
    "\"processes_hard\":77,"
    "\"subuid\":{\"first\":100000,\"count\":65536},\"subgid\":{\"first\":4294967294,\"count\":1},"
    "\"root\":[{\"path\":\"/usr\",\"type\":\"directory\"},"
    "{\"path\":\"/bin\",\"type\":\"symlink\",\"target\":\"usr/bin\"}],"
    "\"sockets\":[{\"path\":\"/run/docker.sock\",\"device\":1,\"inode\":2}],"
    "\"paths\":[{\"path\":\"/opt/tools\",\"type\":\"directory\",\"real\":\"/opt/"
    "tools\",\"device\":1,\"inode\":7},"
    "{\"path\":\"/opt/link\",\"type\":\"file\",\"target\":\"tools/x\",\"real\":\"/opt/tools/x\"},"
    "{\"path\":\"/gone\",\"type\":\"absent\"},{\"path\":\".\",\"type\":\"directory\",\"real\":\"/home/"
    "me\"}]}";

static struct host_facts *read_facts (const char *text)
{
  cleanup_error struct error err = { 0 };
  struct host_facts *facts = NULL;

  if (host_facts_read ("host.json", text, strlen (text), &facts, &err) < 0)
    fail_msg ("%s", error_text (&err));
  return facts;
}

static char *write_facts (const struct host_facts *facts)
{
  cleanup_error struct error err = { 0 };
  char *text = NULL;

  if (host_facts_write (facts, &text, &err) < 0)
    fail_msg ("%s", error_text (&err));
  return text;
}

static void assert_survives (const struct host_facts *facts)
{
  cleanup_free char *once = write_facts (facts);
  cleanup_host_facts struct host_facts *again = read_facts (once);
  cleanup_free char *twice = write_facts (again);

  assert_string_equal (once, twice);
}

static void test_empty_document_grants_nothing (void **state)
{
  cleanup_host_facts struct host_facts *facts = read_facts ("{}");

  (void) state;
  assert_string_equal (facts->machine, "x86_64");
  assert_string_equal (facts->kernel, "0.0.0");
  assert_int_equal (facts->uid, 65534);
  assert_int_equal (facts->gid, 65534);
  assert_string_equal (facts->home, "/nonexistent");
  assert_string_equal (facts->config_home, "/nonexistent/.config/tyrum-oci");
  assert_string_equal (facts->state_dir, "/tmp/tyrum-oci-65534");
  assert_string_equal (facts->storage_dir, "/nonexistent/.local/state/tyrum-oci");
  assert_int_equal (facts->cgroup, CGROUP_NONE);
  assert_false (facts->cgroup_writable || facts->swap_accounting || facts->apparmor);
  assert_true (facts->cgroup_delegated == NULL && facts->cgroup_controllers.count == 0);
  assert_false (facts->user_namespaces || facts->openat2);
  assert_int_equal (facts->apparmor_profiles.count, 0);
  assert_int_equal (facts->landlock_abi, 0);
  assert_int_equal (facts->open_files_hard, 4096);
  assert_int_equal (facts->processes_hard, 4096);
  assert_int_equal (facts->subuid.count, 0);
  assert_int_equal (facts->subgid.count, 0);
  assert_int_equal (facts->root.count + facts->sockets.count + facts->paths.count, 0);
}

static void test_directories_follow_the_user (void **state)
{
  cleanup_host_facts struct host_facts *root = read_facts ("{\"uid\":0}");
  cleanup_host_facts struct host_facts *user = read_facts ("{\"uid\":1000,\"home\":\"/home/me\"}");
  cleanup_host_facts struct host_facts *odd = read_facts ("{\"uid\":1000,\"home\":\"/\"}");

  (void) state;
  assert_string_equal (root->home, "/root");
  assert_string_equal (root->config_home, "/etc/tyrum-oci");
  assert_string_equal (root->state_dir, "/run/tyrum-oci");
  assert_string_equal (root->storage_dir, "/var/lib/tyrum-oci");
  assert_string_equal (user->config_home, "/home/me/.config/tyrum-oci");
  assert_string_equal (user->state_dir, "/tmp/tyrum-oci-1000");
  assert_string_equal (user->storage_dir, "/home/me/.local/state/tyrum-oci");
  assert_string_equal (odd->config_home, "/.config/tyrum-oci");
}

static void test_full_document (void **state)
{
  cleanup_host_facts struct host_facts *facts = read_facts (full);

  (void) state;
  assert_string_equal (facts->machine, "aarch64");
  assert_string_equal (facts->kernel, "6.1.0");
  assert_int_equal (facts->uid, 0);
  assert_int_equal (facts->gid, 5);
  assert_string_equal (facts->config_home, "/etc/other");
  assert_string_equal (facts->state_dir, "/run/other");
  assert_string_equal (facts->storage_dir, "/srv/kept");
  assert_int_equal (facts->cgroup, CGROUP_HYBRID);
  assert_true (facts->cgroup_writable && facts->swap_accounting && facts->apparmor);
  assert_string_equal (facts->cgroup_delegated, "/user.slice/a");
  assert_true (strset_has (&facts->cgroup_controllers, "memory") && facts->cgroup_controllers.count == 2);
  assert_true (facts->user_namespaces && facts->openat2);
  assert_int_equal (facts->apparmor_profiles.count, 2);
  assert_true (strset_has (&facts->apparmor_profiles, "tyrum-hardened"));
  assert_true (strset_has (&facts->apparmor_profiles, "a b (c)"));
  assert_true (strset_has (&facts->seccomp_actions, "errno") && facts->seccomp_actions.count == 2);
  assert_int_equal (facts->landlock_abi, 4);
  assert_true (facts->open_files_hard == UINT64_MAX);
  assert_int_equal (facts->subuid.first, 100000);
  assert_int_equal (facts->subuid.count, 65536);
  assert_int_equal (facts->subgid.first, 4294967294);
  assert_int_equal (facts->subgid.count, 1);
}

static void test_full_document_paths (void **state)
{
  cleanup_host_facts struct host_facts *facts = read_facts (full);
  const struct path_fact *fact;

  (void) state;
  assert_int_equal (facts->root.count, 2);
  fact = path_facts_find (&facts->root, "/usr");
  assert_int_equal (fact->type, PATH_DIRECTORY);
  assert_string_equal (fact->real, "/usr");
  fact = path_facts_find (&facts->root, "/bin");
  assert_int_equal (fact->type, PATH_SYMLINK);
  assert_string_equal (fact->target, "usr/bin");
  assert_null (fact->real);
  fact = path_facts_find (&facts->sockets, "/run/docker.sock");
  assert_int_equal (fact->type, PATH_SOCKET);
  assert_int_equal (fact->device, 1);
  assert_int_equal (fact->inode, 2);
  assert_int_equal (facts->paths.count, 4);
  fact = path_facts_find (&facts->paths, "/opt/link");
  assert_string_equal (fact->target, "tools/x");
  assert_string_equal (fact->real, "/opt/tools/x");
  fact = path_facts_find (&facts->paths, "/gone");
  assert_int_equal (fact->type, PATH_ABSENT);
  assert_null (fact->real);
  assert_null (path_facts_find (&facts->paths, "/opt"));
}

static const char traced[] =
    "{\"paths\":[{\"path\":\"/srv/a\",\"type\":\"directory\",\"filesystem\":\"ext4\",\"places\":["
    "{\"path\":\"/srv/a\",\"mount\":\"/srv/a\",\"root\":\"/x\"},{\"path\":\"/x\",\"mount\":\"/\",\"root\":\"/"
    "\"}],"
    "\"below\":[{\"path\":\"/srv/a/b\",\"filesystem\":\"proc\",\"device\":7}]},"
    "{\"path\":\"/proc/self/cwd\",\"type\":\"directory\",\"real\":\"/srv\",\"magic\":true}]}";

static void test_traced_paths (void **state)
{
  cleanup_host_facts struct host_facts *facts = read_facts (traced);
  const struct path_fact *fact = &facts->paths.items[0], *below = fact->below;

  (void) state;
  assert_string_equal (fact->filesystem, "ext4");
  assert_false (fact->magic);
  assert_int_equal (fact->place_count, 2);
  assert_string_equal (fact->places[0].root, "/x");
  assert_string_equal (fact->places[1].path, "/x");
  assert_string_equal (fact->places[1].mount, "/");
  assert_int_equal (fact->below_count, 1);
  assert_string_equal (below->filesystem, "proc");
  assert_int_equal (below->device, 7);
  assert_int_equal (below->place_count, 1);
  assert_string_equal (below->places[0].path, "/srv/a/b");
  assert_true (facts->paths.items[1].magic);
  assert_null (facts->paths.items[1].filesystem);
}

static void test_nothing_is_lost (void **state)
{
  static const char *const documents[] = { full, traced, "{}", "{\"uid\":0,\"cgroup\":\"v1\"}" };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (documents); i++) {
    cleanup_host_facts struct host_facts *facts = read_facts (documents[i]);

    assert_survives (facts);
  }
}

/* Every key that is written is also one that counts: without it the document differs. */
static void test_written_keys (void **state)
{
  cleanup_host_facts struct host_facts *empty = read_facts ("{}");
  cleanup_host_facts struct host_facts *facts = read_facts (full);
  cleanup_free char *text = write_facts (empty);
  cleanup_free char *other = write_facts (facts);
  static const char *const keys[] = { "machine",
                                      "kernel",
                                      "uid",
                                      "gid",
                                      "home",
                                      "config_home",
                                      "state_dir",
                                      "storage_dir",
                                      "cgroup",
                                      "openat2",
                                      "subuid",
                                      "subgid",
                                      "apparmor",
                                      "cgroup_writable",
                                      "cgroup_controllers",
                                      "swap_accounting",
                                      "seccomp_actions",
                                      "landlock_abi",
                                      "user_namespaces",
                                      "open_files_hard",
                                      "processes_hard",
                                      "root",
                                      "sockets",
                                      "paths" };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (keys); i++) {
    cleanup_free char *quoted = str_format ("\n  \"%s\": ", keys[i]);
    const char *a = strstr (text, quoted), *b = strstr (other, quoted);

    CHECK (a != NULL && b != NULL, "key '%s' is not written", keys[i]);
    CHECK (strncmp (a, b, strlen (quoted) + 20) != 0, "key '%s' says the same of both", keys[i]);
  }
}

static void test_modes_by_name (void **state)
{
  static const char *const names[] = { "none", "v1", "hybrid", "v2" };

  (void) state;
  for (unsigned i = 0; i < ARRAY_LEN (names); i++) {
    cleanup_free char *text = str_format ("{\"cgroup\":\"%s\"}", names[i]);
    cleanup_host_facts struct host_facts *facts = read_facts (text);

    assert_int_equal (facts->cgroup, i);
    assert_string_equal (cgroup_mode_text (facts->cgroup), names[i]);
  }
}

static void test_path_types_by_name (void **state)
{
  static const char *const names[] = {
    "absent", "directory", "file", "symlink", "socket", "device", "other"
  };

  (void) state;
  for (unsigned i = 0; i < ARRAY_LEN (names); i++) {
    cleanup_free char *text =
        str_format ("{\"paths\":[{\"path\":\"/x\",\"type\":\"%s\",\"target\":\"y\"%s}]}", names[i],
                    strcmp (names[i], "absent") == 0 ? "" : ",\"real\":\"/y\"");
    cleanup_host_facts struct host_facts *facts = read_facts (text);

    assert_int_equal (facts->paths.items[0].type, i);
    assert_string_equal (path_type_text (facts->paths.items[0].type), names[i]);
  }
}

static const struct {
  const char *text;
  const char *message;
} refused[] = {
  { "", "host.json:1:1: premature EOF" },
  { "[]", "host.json:1:1: expected an object, found an array" },
  { "{\"machin\":\"x\"}", "host.json:1:2: unknown key 'machin', did you mean 'machine'?" },
  { "{\n  \"zzzzzzzz\": 1}", "host.json:2:3: unknown key 'zzzzzzzz'" },
  { "{\"machine\":5}", "host.json:1:12: machine: expected a string, found a number" },
  { "{\"machine\":null}", "host.json:1:12: machine: expected a string, found null" },
  { "{\"machine\":\"\"}", "host.json:1:12: machine: must not be empty" },
  { "{\"uid\":0,\"uid\":1}", "host.json:1:10: key 'uid' is repeated (first on line 1)" },
  { "{\"uid\":-1}", "host.json:1:8: uid: '-1' is not a whole number from 0 to 4294967295" },
  { "{\"uid\":1.5}", "host.json:1:8: uid: '1.5' is not a whole number from 0 to 4294967295" },
  { "{\"uid\":4294967296}", "host.json:1:8: uid: '4294967296' is not a whole number from 0 to 4294967295" },
  { "{\"open_files_hard\":18446744073709551616}",
    "host.json:1:20: open_files_hard: '18446744073709551616' is not a whole number from 0 to "
    "18446744073709551615" },
  { "{\"openat2\":\"yes\"}", "host.json:1:12: openat2: expected true or false, found a string" },
  { "{\"home\":\"home\"}", "host.json:1:9: home: 'home' is not an absolute path in its normal form" },
  { "{\"home\":\"/a/../b\"}", "host.json:1:9: home: '/a/../b' is not an absolute path in its normal form" },
  { "{\"cgroup_delegated\":\"a\"}",
    "host.json:1:21: cgroup_delegated: 'a' is not an absolute path in its normal form" },
  { "{\"cgroup\":\"v3\"}", "host.json:1:11: cgroup: unknown value 'v3', did you mean 'v1'?" },
  { "{\"cgroup\":\"unified-hierarchy\"}", "host.json:1:11: cgroup: unknown value 'unified-hierarchy'" },
  { "{\"apparmor\":true}", "host.json:1:13: apparmor: expected an object, found true or false" },
  { "{\"apparmor\":{\"enable\":true}}",
    "host.json:1:14: apparmor: unknown key 'enable', did you mean 'enabled'?" },
  { "{\"apparmor\":{\"profiles\":[\"a\",7]}}",
    "host.json:1:30: apparmor.profiles[1]: expected a string, found a number" },
  { "{\"subuid\":{\"first\":4294967290,\"count\":6}}", "host.json:1:11: subuid: ids past 4294967294" },
  { "{\"root\":{}}", "host.json:1:9: root: expected an array, found an object" },
  { "{\"root\":[{}]}", "host.json:1:10: root[0]: 'path' is missing" },
  { "{\"root\":[{\"path\":\"/usr\"}]}", "host.json:1:10: root[0]: 'type' is missing" },
  { "{\"root\":[{\"path\":\"\",\"type\":\"file\"}]}", "host.json:1:18: root[0].path: must not be empty" },
  { "{\"root\":[{\"path\":\"/bin\",\"type\":\"symlink\"}]}",
    "host.json:1:10: root[0]: a symlink needs 'target'" },
  { "{\"root\":[{\"path\":\"/usr\",\"type\":\"catalog\"}]}",
    "host.json:1:32: root[0].type: unknown value 'catalog'" },
  { "{\"paths\":[{\"path\":\"/a\",\"type\":\"file\"},{\"path\":\"/a\",\"type\":\"file\"}]}",
    "host.json:1:39: paths[1]: '/a' is listed twice" },
  { "{\"paths\":[{\"path\":\"/a\",\"type\":\"absent\",\"real\":\"/b\"}]}",
    "host.json:1:11: paths[0]: an absent path has no 'real'" },
  { "{\"paths\":[{\"path\":\"/a\",\"type\":\"file\",\"target\":\"b\"}]}",
    "host.json:1:11: paths[0]: 'real' is missing, and '/a' may differ from it" },
  { "{\"paths\":[{\"path\":\".\",\"type\":\"directory\"}]}",
    "host.json:1:11: paths[0]: 'real' is missing, and '.' may differ from it" },
  { "{\"paths\":[{\"path\":\"/a\",\"type\":\"file\",\"filesystem\":\"ext4\",\"places\":[{\"path\":\"/"
    "a\"}]}]}",
    "host.json:1:68: paths[0].places[0]: a place needs 'path', 'mount' and 'root'" },
  { "{\"paths\":[{\"path\":\"/a\",\"type\":\"directory\",\"below\":[{\"path\":\"/a/b\"}]}]}",
    "host.json:1:52: paths[0].below[0]: 'filesystem' is missing" },
  { "{\"sockets\":[{\"path\":\"/run/docker.sock\",\"inodes\":1}]}",
    "host.json:1:40: sockets[0]: unknown key 'inodes', did you mean 'inode'?" },
};

static void test_refused (void **state)
{
  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (refused); i++) {
    cleanup_error struct error err = { 0 };
    struct host_facts *facts = NULL;
    int r = host_facts_read ("host.json", refused[i].text, strlen (refused[i].text), &facts, &err);

    CHECK (r == -EINVAL, "%s: %d", refused[i].text, r);
    assert_null (facts);
    assert_string_equal (error_text (&err), refused[i].message);
  }
}

/* The last id that exists may be in a range; one more may not (above). */
static void test_range_reaches_the_last_id (void **state)
{
  cleanup_host_facts struct host_facts *facts =
      read_facts ("{\"subuid\":{\"first\":4294967290,\"count\":5}}");

  (void) state;
  assert_int_equal (facts->subuid.count, 5);
}

static void test_bytes_that_json_cannot_carry (void **state)
{
  cleanup_host_facts struct host_facts *facts = read_facts ("{}");
  cleanup_error struct error err = { 0 };
  char *text = NULL;

  (void) state;
  free (facts->home);
  facts->home = strdup ("/home/\xff");
  assert_int_equal (host_facts_write (facts, &text, &err), -EILSEQ);
  assert_null (text);
  assert_string_equal (error_text (&err), "home: not valid UTF-8, which JSON cannot carry");
}

static void test_free_takes_what_is_half_built (void **state)
{
  struct host_facts *facts = calloc (1, sizeof (*facts));

  (void) state;
  assert_non_null (facts);
  host_facts_free (NULL);
  host_facts_free (facts);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_empty_document_grants_nothing),
  cmocka_unit_test (test_directories_follow_the_user),
  cmocka_unit_test (test_full_document),
  cmocka_unit_test (test_full_document_paths),
  cmocka_unit_test (test_traced_paths),
  cmocka_unit_test (test_nothing_is_lost),
  cmocka_unit_test (test_written_keys),
  cmocka_unit_test (test_modes_by_name),
  cmocka_unit_test (test_path_types_by_name),
  cmocka_unit_test (test_refused),
  cmocka_unit_test (test_range_reaches_the_last_id),
  cmocka_unit_test (test_bytes_that_json_cannot_carry),
  cmocka_unit_test (test_free_takes_what_is_half_built),
};

UNIT_MAIN (cases)
