/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking at the host: the readers of system files by their text, and host_look against what this host says
 * when asked in another way. */
#include <config.h>

#include "host-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base-path.h"
#include "base-places.h"
#include "host-facts-write.h"
#include "unit.h"

/* A directory of its own, reached by a path without links, which is also the working directory. */
static int enter_directory (void **state)
{
  char *directory = strdup ("/tmp/tyrum-oci-test-look-XXXXXX");

  if (directory == NULL || mkdtemp (directory) == NULL || chdir (directory) < 0)
    return -1;
  free (directory);
  *state = getcwd (NULL, 0);
  return *state ? 0 : -1;
}

static int remove_entry (const char *path, const struct stat *st, int type, struct FTW *ftw)
{
  (void) st;
  (void) type;
  (void) ftw;
  return remove (path);
}

static int leave_directory (void **state)
{
  int r = chdir ("/");

  if (r == 0)
    r = nftw (*state, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
  free (*state);
  return r;
}

static struct host_facts *look (void)
{
  cleanup_error struct error err = { 0 };
  struct host_facts *facts = NULL;

  if (host_look (&facts, &err) < 0 || host_look_root (facts, &err) < 0)
    fail_msg ("%s", error_text (&err));
  return facts;
}

static void test_passwd (void **state)
{
  static const char text[] = "root:x:0:0:root:/root:/bin/sh\n"
                             "short:x:7\n"
                             ":x:8:8::/nameless:/bin/sh\n"
                             "many:x:9:9::/nine:/bin/sh:more\n"
                             "+::::::\n"
                             "sign:x:-1:0::/sign:/bin/sh\n"
                             "me:x:1000:1000:A, B:/home/me:/bin/sh\n"
                             "second:x:1000:1000::/second:/bin/sh\n"
                             "last:x:1001:1::/last:";
  static const struct {
    uint32_t uid;
    const char *name, *home; /* NULL: there is no such user */
  } rows[] = { { 0, "root", "/root" },    { 1000, "me", "/home/me" }, { 1001, "last", "/last" },
               { 7, NULL, NULL },         { 8, NULL, NULL },          { 9, NULL, NULL },
               { 4294967295, NULL, NULL } };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *copy = strdup (text);
    cleanup_free char *name = NULL;
    cleanup_free char *home = NULL;

    CHECK (look_passwd (copy, rows[i].uid, &name, &home) == (rows[i].name ? 0 : -ENOENT), "uid %u",
           rows[i].uid);
    CHECK (str_equal (name, rows[i].name) && str_equal (home, rows[i].home), "uid %u: %s %s", rows[i].uid,
           name, home);
  }
}

static void test_subids (void **state)
{
  static const struct {
    const char *text;
    uint32_t first, count;
  } rows[] = {
    { "me:100000:65536\n", 100000, 65536 },
    { "me:100000:65536", 100000, 65536 },
    { "1000:200000:10\n", 200000, 10 },
    { "you:1:9\nme:300000:10\n1000:400000:20\nme:500000:15\n", 400000, 20 },
    { "me:100000:65536:1\nme:5:5\n", 5, 5 },
    { "me:100000\nme:5:5\n", 5, 5 },
    { "me:-1:5\nme:5: 5\nme:0x10:5\n# me\n\n\nme:6:6\n", 6, 6 },
    { "me:4294967290:5\n", 4294967290, 5 },
    { "me:4294967290:6\n", 0, 0 },
    { "me:4294967296:1\n", 0, 0 },
    { "me:18446744073709551615:2\n", 0, 0 },
    { "me:100000:0\n", 0, 0 },
    { "men:1:1\nm:1:1\n10000:1:1\n:1:1\n", 0, 0 },
    { "", 0, 0 },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *text = strdup (rows[i].text);
    struct id_range range = look_subids (text, "me", 1000);

    CHECK (range.first == rows[i].first && range.count == rows[i].count, "'%s': %u %u", rows[i].text,
           range.first, range.count);
  }
}

static void test_subids_without_a_name (void **state)
{
  char text[] = "me:1:5\n:2:6\n1000:3:4\n";
  struct id_range range = look_subids (text, NULL, 1000);

  (void) state;
  assert_int_equal (range.first, 3);
  assert_int_equal (range.count, 4);
}

static void test_apparmor_profiles (void **state)
{
  char text[] =
      "tyrum-hardened (enforce)\n/usr/bin/man (complain)\na b (c) (enforce)\n"
      "docker-default (unconfined)\nno mode\n(enforce)\n (enforce)\nbad\xff (enforce)\nman//filter (kill)";
  static const char *const expected[] = { "a b (c)", "man//filter", "tyrum-hardened" };
  cleanup_strlist struct strlist profiles = { 0 };

  (void) state;
  assert_int_equal (look_apparmor_profiles (text, &profiles), 0);
  assert_int_equal (profiles.count, ARRAY_LEN (expected));
  for (size_t i = 0; i < ARRAY_LEN (expected); i++)
    assert_string_equal (profiles.items[i], expected[i]);
}

static void test_own_group (void **state)
{
  static const char v1[] =
      "9:name=systemd:/\n5:cpu,cpuacct:/a:b/c\n4:memory:/runs/7\n3:pids:/../other\n0::/unified\n";
  static const char broken[] = "memory\n4:memory\n\n:::\n4:memory:relative\n";
  static const struct {
    const char *text, *controller, *group;
  } rows[] = {
    { v1, "memory", "/runs/7" },
    { v1, "cpuacct", "/a:b/c" },
    { v1, "cpu", "/a:b/c" },
    { v1, "", "/unified" },
    { v1, "pids", NULL }, /* outside of what we see */
    { v1, "mem", NULL },
    { v1, "systemd", NULL },
    { "0::/user.slice/x.scope\n", "", "/user.slice/x.scope" },
    { "0::/user.slice/x.scope\n", "memory", NULL },
    { broken, "memory", NULL },
    { "", "", NULL },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *text = strdup (rows[i].text);
    const char *group = look_own_group (text, rows[i].controller);

    CHECK (str_equal (group, rows[i].group), "row %zu: %s", i, group ? group : "none");
  }
}

static void test_engine_addresses (void **state)
{
  (void) state;
  assert_string_equal (look_engine_address ("unix:///run/docker.sock"), "/run/docker.sock");
  assert_null (look_engine_address (NULL));
  assert_null (look_engine_address (""));
  assert_null (look_engine_address ("/run/docker.sock"));
  assert_null (look_engine_address ("tcp://127.0.0.1:2375"));
  assert_null (look_engine_address ("unix://run/docker.sock"));
  assert_null (look_engine_address ("unix:///run/../docker.sock"));
}

static void test_directories_of_a_user (void **state)
{
  cleanup_free char *config = look_config_home (1000, "/home/me", "/cfg");
  cleanup_free char *plain = look_config_home (1000, "/home/me", NULL);
  cleanup_free char *roots = look_config_home (0, "/home/me", "/cfg");
  cleanup_free char *live = places_state_of (1000, "/run/user/1000");
  cleanup_free char *roots_live = places_state_of (0, "/run/user/1000");
  cleanup_free char *own = places_state (), *daemon = places_daemon_socket ();

  (void) state;
  assert_true (own != NULL && daemon != NULL && strncmp (daemon, own, strlen (own)) == 0);
  assert_string_equal (daemon + strlen (own), "/daemon.socket");
  assert_string_equal (config, "/cfg/tyrum-oci");
  assert_string_equal (plain, "/home/me/.config/tyrum-oci");
  assert_string_equal (roots, "/etc/tyrum-oci");
  assert_string_equal (live, "/run/user/1000/tyrum-oci");
  assert_string_equal (roots_live, "/run/tyrum-oci");
}

static void test_look_agrees_with_the_system (void **state)
{
  cleanup_host_facts struct host_facts *facts = look ();
  struct utsname name;
  struct rlimit files;

  (void) state;
  assert_int_equal (uname (&name), 0);
  assert_int_equal (getrlimit (RLIMIT_NOFILE, &files), 0);
  assert_string_equal (facts->machine, name.machine);
  assert_string_equal (facts->kernel, name.release);
  assert_int_equal (facts->uid, geteuid ());
  assert_int_equal (facts->gid, getegid ());
  assert_true (facts->open_files_hard == files.rlim_max);
  assert_true (path_is_normal (facts->home));
  assert_true (path_is_normal (facts->config_home));
  assert_true (path_is_normal (facts->state_dir));
  assert_int_equal (facts->cgroup == CGROUP_V2, access ("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0);
  assert_true (facts->cgroup != CGROUP_NONE || (!facts->cgroup_writable && !facts->swap_accounting));
  assert_true (facts->apparmor || facts->apparmor_profiles.count == 0);
}

static void assert_same_file (const struct path_fact *fact, const struct stat *st)
{
  assert_true (fact->device == st->st_dev);
  assert_true (fact->inode == st->st_ino);
}

static void test_look_at_the_root (void **state)
{
  cleanup_host_facts struct host_facts *facts = look ();
  const struct path_fact *usr = path_facts_find (&facts->root, "/usr");

  (void) state;
  assert_non_null (usr);
  assert_int_equal (usr->type, PATH_DIRECTORY);
  assert_string_equal (usr->real, "/usr");
  for (size_t i = 0; i < facts->root.count; i++) {
    const struct path_fact *fact = &facts->root.items[i];
    struct stat st;

    assert_int_equal (lstat (fact->path, &st), 0);
    assert_same_file (fact, &st);
    assert_int_equal (fact->type == PATH_SYMLINK, S_ISLNK (st.st_mode));
    assert_int_equal (fact->target != NULL, S_ISLNK (st.st_mode));
  }
  for (const char *const *path = host_root_entries; *path != NULL; path++)
    CHECK ((access (*path, F_OK) == 0) <= (path_facts_find (&facts->root, *path) != NULL), "%s", *path);
}

/* What we make ourselves, and what may hold credentials, must not come from the host. */
static void test_root_entries_are_chosen (void **state)
{
  static const char *const never[] = { "/",
                                       "/etc",
                                       "/etc/ssl",
                                       "/etc/pki",
                                       "/etc/pki/tls",
                                       "/etc/passwd",
                                       "/etc/shadow",
                                       "/etc/group",
                                       "/etc/hosts",
                                       "/etc/hostname",
                                       "/etc/resolv.conf",
                                       "/etc/nsswitch.conf",
                                       "/etc/gitconfig",
                                       "/etc/environment",
                                       "/home",
                                       "/root",
                                       "/var",
                                       "/run",
                                       "/proc",
                                       "/sys",
                                       "/dev",
                                       "/tmp",
                                       "/boot" };

  (void) state;
  for (const char *const *path = host_root_entries; *path != NULL; path++) {
    CHECK (path_is_normal (*path), "%s", *path);
    for (size_t i = 0; i < ARRAY_LEN (never); i++)
      CHECK (strcmp (*path, never[i]) != 0, "%s", *path);
  }
}

static void test_facts_of_this_host_survive_json (void **state)
{
  cleanup_host_facts struct host_facts *facts = look (), *again = NULL;
  cleanup_error struct error err = { 0 };
  cleanup_free char *once = NULL;
  cleanup_free char *twice = NULL;

  (void) state;
  assert_int_equal (host_look_path (facts, ".", &err), 0);
  assert_int_equal (host_look_path (facts, "absent", &err), 0);
  assert_int_equal (host_facts_write (facts, &once, &err), 0);
  if (host_facts_read ("host.json", once, strlen (once), &again, &err) < 0)
    fail_msg ("%s", error_text (&err));
  assert_int_equal (host_facts_write (again, &twice, &err), 0);
  assert_string_equal (once, twice);
}

static void test_home_from_the_environment (void **state)
{
  cleanup_free char *saved = getenv ("HOME") ? strdup (getenv ("HOME")) : NULL;
  static const char *const unusable[] = { "relative", "/not/../normal", "" };

  (void) state;
  assert_int_equal (setenv ("HOME", "/somewhere/else", 1), 0);
  {
    cleanup_host_facts struct host_facts *facts = look ();
    assert_string_equal (facts->home, "/somewhere/else");
  }
  for (size_t i = 0; i < ARRAY_LEN (unusable); i++) {
    assert_int_equal (setenv ("HOME", unusable[i], 1), 0);
    cleanup_host_facts struct host_facts *facts = look ();
    assert_string_not_equal (facts->home, unusable[i]);
    assert_true (path_is_normal (facts->home));
  }
  if (saved != NULL)
    setenv ("HOME", saved, 1);
  else
    unsetenv ("HOME");
}

static int make_socket (const char *name)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

  strncpy (address.sun_path, name, sizeof (address.sun_path) - 1);
  assert_true (fd >= 0);
  assert_int_equal (bind (fd, (struct sockaddr *) &address, sizeof (address)), 0);
  return fd;
}

static bool finds_socket (const char *path)
{
  cleanup_free char *value = str_format ("unix://%s", path);

  assert_int_equal (setenv ("DOCKER_HOST", value, 1), 0);
  cleanup_host_facts struct host_facts *facts = look ();
  const struct path_fact *fact = path_facts_find (&facts->sockets, path);
  struct stat st;

  unsetenv ("DOCKER_HOST");
  if (fact == NULL)
    return false;
  assert_int_equal (fact->type, PATH_SOCKET);
  assert_int_equal (stat (path, &st), 0);
  assert_same_file (fact, &st);
  return true;
}

static void test_engine_socket_by_variable (void **state)
{
  cleanup_free char *engine = str_format ("%s/engine.sock", (char *) *state);
  cleanup_free char *linked = str_format ("%s/linked.sock", (char *) *state);
  cleanup_free char *plain = str_format ("%s/plain", (char *) *state);
  cleanup_close int fd = make_socket ("engine.sock");
  cleanup_close int file = open ("plain", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

  assert_true (fd >= 0 && file >= 0);
  assert_int_equal (symlink ("engine.sock", "linked.sock"), 0);
  assert_true (finds_socket (engine));
  assert_true (finds_socket (linked));
  assert_false (finds_socket (plain));
  assert_false (finds_socket ("/nonexistent/engine.sock"));
}

/* Looks at PATH and compares all but device and inode, which stat gives. */
static void assert_path (struct host_facts *facts, const char *path, enum path_type type, const char *target,
                         const char *real)
{
  cleanup_error struct error err = { 0 };
  const struct path_fact *fact;
  struct stat st;

  if (host_look_path (facts, path, &err) < 0)
    fail_msg ("%s", error_text (&err));
  fact = path_facts_find (&facts->paths, path);
  assert_non_null (fact);
  CHECK (fact->type == type, "'%s' is %s", path, path_type_text (fact->type));
  CHECK (str_equal (fact->target, target), "'%s' is a link to '%s'", path, fact->target);
  CHECK (str_equal (fact->real, real), "'%s' is really '%s'", path, fact->real);
  if (type == PATH_ABSENT)
    st = (struct stat){ 0 };
  else
    assert_int_equal (stat (path, &st), 0);
  assert_same_file (fact, &st);
}

static void test_look_path_at_each_type (void **state)
{
  struct host_facts facts = { 0 };
  cleanup_free char *file = str_format ("%s/dir/file", (char *) *state);
  cleanup_free char *fifo = str_format ("%s/fifo", (char *) *state);
  cleanup_free char *sock = str_format ("%s/sock", (char *) *state);
  cleanup_close int fd = make_socket ("sock");
  cleanup_close int created = -1;

  assert_int_equal (mkdir ("dir", 0700), 0);
  created = open ("dir/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  assert_true (fd >= 0 && created >= 0);
  assert_int_equal (mkfifo ("fifo", 0600), 0);
  assert_path (&facts, *state, PATH_DIRECTORY, NULL, *state);
  assert_path (&facts, ".", PATH_DIRECTORY, NULL, *state);
  assert_path (&facts, "/", PATH_DIRECTORY, NULL, "/");
  assert_path (&facts, file, PATH_FILE, NULL, file);
  assert_path (&facts, "dir/../dir//file", PATH_FILE, NULL, file);
  assert_path (&facts, fifo, PATH_OTHER, NULL, fifo);
  assert_path (&facts, sock, PATH_SOCKET, NULL, sock);
  assert_path (&facts, "/dev/null", PATH_DEVICE, NULL, "/dev/null");
  assert_path (&facts, "absent", PATH_ABSENT, NULL, NULL);
  assert_path (&facts, "dir/file/below", PATH_ABSENT, NULL, NULL);
  for (size_t i = 0; i < facts.paths.count; i++)
    path_fact_clear (&facts.paths.items[i]);
  free (facts.paths.items);
}

static void test_look_path_through_links (void **state)
{
  cleanup_host_facts struct host_facts *facts = calloc (1, sizeof (*facts));
  cleanup_free char *dir = str_format ("%s/dir", (char *) *state);
  cleanup_free char *sub = str_format ("%s/dir/sub", (char *) *state);

  assert_non_null (facts);
  assert_int_equal (mkdir ("dir", 0700), 0);
  assert_int_equal (mkdir ("dir/sub", 0700), 0);
  assert_int_equal (symlink ("dir", "link"), 0);
  assert_int_equal (symlink ("link", "second"), 0);
  assert_int_equal (symlink ("nowhere", "dangling"), 0);
  assert_path (facts, "link", PATH_DIRECTORY, "dir", dir);
  assert_path (facts, "second", PATH_DIRECTORY, "link", dir);
  assert_path (facts, "link/sub", PATH_DIRECTORY, NULL, sub);
  assert_path (facts, "dangling", PATH_ABSENT, "nowhere", NULL);
}

/* Links of the kernel's own are told from others, also behind others; what is only called like one is not. */
static void test_look_path_through_magic (void **state)
{
  static const char *const magic[] = { "/proc/self/cwd",  "/proc/thread-self/cwd",
                                       "/proc/self/root", "magic",
                                       "magic/dir",       "dir/far" };
  static const char *const plain[] = { "dir", "link", "link/self" };
  cleanup_host_facts struct host_facts *facts = calloc (1, sizeof (*facts));
  cleanup_error struct error err = { 0 };

  (void) state;
  assert_non_null (facts);
  assert_int_equal (mkdir ("dir", 0700), 0);
  assert_int_equal (mkdir ("dir/self", 0700), 0);
  assert_int_equal (symlink ("dir", "link"), 0);
  assert_int_equal (symlink ("/proc/self/cwd", "magic"), 0);
  assert_int_equal (symlink ("../magic/dir", "dir/far"), 0);
  for (size_t i = 0; i < ARRAY_LEN (magic); i++) {
    assert_int_equal (host_look_path (facts, magic[i], &err), 0);
    CHECK (path_facts_find (&facts->paths, magic[i])->magic, "'%s' is not magic", magic[i]);
  }
  for (size_t i = 0; i < ARRAY_LEN (plain); i++) {
    assert_int_equal (host_look_path (facts, plain[i], &err), 0);
    CHECK (!path_facts_find (&facts->paths, plain[i])->magic, "'%s' is magic", plain[i]);
  }
}

static void test_look_path_once (void **state)
{
  cleanup_host_facts struct host_facts *facts = calloc (1, sizeof (*facts));

  (void) state;
  assert_non_null (facts);
  assert_path (facts, "new", PATH_ABSENT, NULL, NULL);
  assert_int_equal (mkdir ("new", 0700), 0);
  /* Looked at once: the fact stays what it was. */
  assert_path (facts, "new", PATH_ABSENT, NULL, NULL);
  assert_int_equal (facts->paths.count, 1);
}

static void test_look_path_refuses (void **state)
{
  static const struct {
    const char *path, *message;
    int code;
  } rows[] = {
    { "", "cannot look at '': the path is empty", -EINVAL },
    { "loop", "cannot look at 'loop': Too many levels of symbolic links", -ELOOP },
    { "loop/below", "cannot look at 'loop/below': Too many levels of symbolic links", -ELOOP },
  };
  struct host_facts facts = { 0 };

  (void) state;
  assert_int_equal (symlink ("loop", "loop"), 0);
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };

    assert_int_equal (host_look_path (&facts, rows[i].path, &err), rows[i].code);
    assert_string_equal (error_text (&err), rows[i].message);
  }
  assert_int_equal (facts.paths.count, 0);
}

/* A removed working directory has a name in /proc that nobody can use. */
static void test_look_path_at_a_removed_directory (void **state)
{
  struct host_facts facts = { 0 };
  cleanup_error struct error err = { 0 };

  assert_int_equal (mkdir ("gone", 0700), 0);
  assert_int_equal (chdir ("gone"), 0);
  assert_int_equal (rmdir ("../gone"), 0);
  assert_int_equal (host_look_path (&facts, ".", &err), -ESTALE);
  assert_string_equal (error_text (&err), "cannot look at '.': it changed or was removed meanwhile");
  assert_int_equal (chdir (*state), 0);
  assert_int_equal (facts.paths.count, 0);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown (test, enter_directory, leave_directory)

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_passwd),
  cmocka_unit_test (test_subids),
  cmocka_unit_test (test_subids_without_a_name),
  cmocka_unit_test (test_apparmor_profiles),
  cmocka_unit_test (test_own_group),
  cmocka_unit_test (test_engine_addresses),
  cmocka_unit_test (test_directories_of_a_user),
  cmocka_unit_test (test_look_agrees_with_the_system),
  cmocka_unit_test (test_look_at_the_root),
  cmocka_unit_test (test_root_entries_are_chosen),
  cmocka_unit_test (test_facts_of_this_host_survive_json),
  cmocka_unit_test (test_home_from_the_environment),
  IN_DIRECTORY (test_engine_socket_by_variable),
  IN_DIRECTORY (test_look_path_at_each_type),
  IN_DIRECTORY (test_look_path_through_links),
  IN_DIRECTORY (test_look_path_through_magic),
  IN_DIRECTORY (test_look_path_once),
  IN_DIRECTORY (test_look_path_refuses),
  IN_DIRECTORY (test_look_path_at_a_removed_directory),
};

UNIT_MAIN (cases)
