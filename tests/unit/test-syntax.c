/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The form of texts and list entries: what is taken, what is refused, and what the refusal says. */
#include <config.h>

#include "control-syntax.h"

#include <errno.h>
#include <linux/capability.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "base-str.h"
#include "unit.h"

#define TEN   "xxxxxxxxxx"
#define SIXTY TEN TEN TEN TEN TEN TEN
#define FIFTY TEN TEN TEN TEN TEN

static void check_taken (enum value_syntax syntax, const char *const *texts, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    cleanup_error struct error err = { 0 };

    CHECK (syntax_check (syntax, texts[i], &err) == 0, "refused: %s", error_text (&err));
    assert_false (error_is_set (&err));
  }
}

/* Each is refused with "'TEXT' is not EXPECTED"; a message has no control characters. */
static void check_refused (enum value_syntax syntax, const char *expected, const char *const *texts,
                           size_t count)
{
  for (size_t i = 0; i < count; i++) {
    cleanup_error struct error err = { 0 };
    cleanup_free char *message = str_format ("'%s' is not %s", texts[i], expected);

    assert_non_null (message);
    for (char *p = message; *p != '\0'; p++)
      if ((unsigned char) *p < ' ')
        *p = '?';

    CHECK (syntax_check (syntax, texts[i], &err) == -EINVAL, "'%s' is taken as %s", texts[i], expected);
    assert_int_equal (err.code, -EINVAL);
    assert_string_equal (error_text (&err), message);
  }
}

#define TAKEN(syntax, ...)                                                                                   \
  check_taken (syntax, (const char *const[]){ __VA_ARGS__ },                                                 \
               ARRAY_LEN (((const char *const[]){ __VA_ARGS__ })))
#define REFUSED(syntax, expected, ...)                                                                       \
  check_refused (syntax, expected, (const char *const[]){ __VA_ARGS__ },                                     \
                 ARRAY_LEN (((const char *const[]){ __VA_ARGS__ })))

static void test_runtimes (void **state)
{
  (void) state;
  TAKEN (SYNTAX_RUNTIME, "runc", "kata-runtime", "io.containerd.runc.v2", "a_b", "9", "/usr/sbin/runc",
         SIXTY "1234");
  REFUSED (SYNTAX_RUNTIME, "a runtime's name or absolute path", "", "-runc", ".runc", "a/b", "./runc",
           "../runc", "/usr/../bin/runc", "/usr//runc", "/usr/", "run c", "runc;", "runc\n", "r\xc3\xbcnc",
           SIXTY "12345");
}

static void test_images (void **state)
{
  (void) state;
  TAKEN (SYNTAX_IMAGE, "debian", "debian:12", "localhost:5000/team/app_1@sha256:0123abcd",
         "oci:/srv/image:tag", "a+b");
  REFUSED (SYNTAX_IMAGE, "an image reference", "", "-v", "--privileged", "a b", "a\tb", "a;b", "$(x)", "a'b",
           "a\\b", "caf\xc3\xa9");
}

static void test_seccomp_lists (void **state)
{
  (void) state;
  TAKEN (SYNTAX_SECCOMP, "strict", "default", "own.json", "lists/own.json", "/etc/tyrum-oci/own.json");
  REFUSED (SYNTAX_SECCOMP, "'strict', 'default', or the path of a .json list", "", "off", "none",
           "unconfined", "Strict", "strict ", "own", "own.JSON", "../own.json", "./own.json", "a/../own.json",
           "/etc/../own.json", "/etc//own.json", "own.json/", "/own.json/", "a/.json/");
}

static void test_apparmor_names (void **state)
{
  (void) state;
  TAKEN (SYNTAX_LSM, "tyrum-hardened", "docker-default", "a.b_c", "unconfined-not", SIXTY "1234");
  REFUSED (SYNTAX_LSM, "the name of an AppArmor profile", "", "unconfined", "/usr/bin/man", "a//b", "a b",
           "-a", ".a", "a\n", SIXTY "12345");
}

static void test_paths (void **state)
{
  (void) state;
  TAKEN (SYNTAX_PATH, "/", "/usr/bin/git", "/a b", "/.x");
  REFUSED (SYNTAX_PATH, "an absolute path without '.', '..' or empty parts", "", "usr/bin", ".", "/usr/",
           "//", "/usr//bin", "/usr/./bin", "/usr/../bin", "/..");
  TAKEN (SYNTAX_HIDE, "master.key", ".git/config", "/etc/shadow", "*", "a b");
  REFUSED (SYNTAX_HIDE, "a path without '.', '..' or empty parts", "", "/", ".", "..", "../key", "a/../b",
           "a/", "/a/", "a//b", "//a", "./a");
}

/* 4095 bytes are a path; one more is none for the kernel either. */
static void test_path_limit (void **state)
{
  char path[LIMIT_PATH_BYTES + 2];

  (void) state;
  memset (path, 'x', sizeof (path));
  path[0] = '/';
  path[LIMIT_PATH_BYTES] = '\0';
  TAKEN (SYNTAX_PATH, path);
  TAKEN (SYNTAX_HIDE, path);
  TAKEN (SYNTAX_RUNTIME, path);
  path[LIMIT_PATH_BYTES] = 'x';
  path[LIMIT_PATH_BYTES + 1] = '\0';
  REFUSED (SYNTAX_PATH, "an absolute path without '.', '..' or empty parts", path);
  REFUSED (SYNTAX_HIDE, "a path without '.', '..' or empty parts", path);
  REFUSED (SYNTAX_RUNTIME, "a runtime's name or absolute path", path);
}

static void test_syscalls (void **state)
{
  (void) state;
  TAKEN (SYNTAX_SYSCALL, "keyctl", "io_uring_setup", "openat2", "_llseek", SIXTY "1234");
  REFUSED (SYNTAX_SYSCALL, "the name of a system call", "", "KEYCTL", "key-ctl", "*", "key ctl", "keyctl()",
           SIXTY "12345");
}

static void test_hosts (void **state)
{
  (void) state;
  TAKEN (SYNTAX_HOST, "example.org", "example.org:443", "a-b.example:1", "localhost:65535", "*.example.org",
         "*.example.org:443", "192.0.2.1", "192.0.2.1:80", "[2001:db8::1]", "[2001:db8::1]:443", "[::]:1",
         "9");
  REFUSED (SYNTAX_HOST, "a host name, *.name or address, with an optional :port", "", "*", "*.", "*.*.org",
           "*example.org", "example.*", "a*b.org", ".org", "-a.org", "*..org", "*.-a", "a b", "a_b.org",
           "a/b", "http://example.org", "a:", ":80", "a:0", "a:65536", "a:080", "a:-1", "a:+1", "a: 80",
           "a:80:80", "a:https", "::1", "2001:db8::1", "[", "[]", "[]:1", "[::1", "::1]", "[::1]x",
           "[::1]:", "[::1]:0", "[example]", "[::1]]", "user@example.org", "ex\xc3\xa4mple.org");
}

static void test_host_limit (void **state)
{
  char host[300];

  (void) state;
  memset (host, 'x', sizeof (host));
  memcpy (host + 255, ":80", 4);
  TAKEN (SYNTAX_HOST, host);
  memset (host, 'x', sizeof (host));
  memcpy (host + 256, ":80", 4);
  REFUSED (SYNTAX_HOST, "a host name, *.name or address, with an optional :port", host);
}

static void test_variables (void **state)
{
  (void) state;
  TAKEN (SYNTAX_VARIABLE, "LANG", "_", "a1", "LC_*", "AB*", "__*");
  REFUSED (SYNTAX_VARIABLE, "a variable's name, or a prefix of two letters or more and '*'", "", "*", "A*",
           "**", "AB**", "*AB", "A*B", "1A", "1A*", "A-B", "A=B", "A B", "A.B", "LANG\n", "\xc3\xa4",
           FIFTY "12345678901234*");
  assert_true (syntax_is_variable ("PATH"));
  assert_true (syntax_is_variable ("_x9"));
  assert_false (syntax_is_variable (""));
  assert_false (syntax_is_variable ("9x"));
  assert_false (syntax_is_variable ("LC_*"));
  assert_false (syntax_is_variable ("A=B"));
}

struct refusal {
  const char *text, *message;
};

static void check_messages (enum value_syntax syntax, const struct refusal *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    cleanup_error struct error err = { 0 };

    CHECK (syntax_check (syntax, rows[i].text, &err) == -EINVAL, "'%s' is taken", rows[i].text);
    assert_string_equal (error_text (&err), rows[i].message);
  }
}

static void test_controls (void **state)
{
  static const struct refusal rows[] = {
    { "root.readonly", "'root.readonly' is not a control; did you mean 'root.read_only'?" },
    { "network", "'network' is not a control; 'tyrum-oci explain' lists them" },
    { "**", "'**' is not a control; 'tyrum-oci explain' lists them" },
    { "", "'' is not a control; 'tyrum-oci explain' lists them" },
  };

  (void) state;
  TAKEN (SYNTAX_CONTROL, "*", "root.read_only", "budget.session");
  check_messages (SYNTAX_CONTROL, rows, ARRAY_LEN (rows));
}

static void test_capabilities (void **state)
{
  static const struct refusal rows[] = {
    { "CAP_SYS_ADMN", "'CAP_SYS_ADMN' is not a capability; did you mean 'CAP_SYS_ADMIN'?" },
    { "cap_kill", "'cap_kill' is not a capability, such as CAP_KILL" },
    { "ALL", "'ALL' is not a capability, such as CAP_KILL" },
    { "", "'' is not a capability, such as CAP_KILL" },
  };

  (void) state;
  TAKEN (SYNTAX_CAPABILITY, "CAP_CHOWN", "CAP_NET_BIND_SERVICE", "CAP_CHECKPOINT_RESTORE");
  check_messages (SYNTAX_CAPABILITY, rows, ARRAY_LEN (rows));
}

/* By the kernel's own header: a wrong number would grant another capability than the one named. */
static void test_capability_numbers (void **state)
{
#define ROW(name)                                                                                            \
  {                                                                                                          \
    name, #name                                                                                              \
  }
  static const struct {
    int number;
    const char *name;
  } rows[] = {
    ROW (CAP_CHOWN),
    ROW (CAP_DAC_OVERRIDE),
    ROW (CAP_DAC_READ_SEARCH),
    ROW (CAP_FOWNER),
    ROW (CAP_FSETID),
    ROW (CAP_KILL),
    ROW (CAP_SETGID),
    ROW (CAP_SETUID),
    ROW (CAP_SETPCAP),
    ROW (CAP_LINUX_IMMUTABLE),
    ROW (CAP_NET_BIND_SERVICE),
    ROW (CAP_NET_BROADCAST),
    ROW (CAP_NET_ADMIN),
    ROW (CAP_NET_RAW),
    ROW (CAP_IPC_LOCK),
    ROW (CAP_IPC_OWNER),
    ROW (CAP_SYS_MODULE),
    ROW (CAP_SYS_RAWIO),
    ROW (CAP_SYS_CHROOT),
    ROW (CAP_SYS_PTRACE),
    ROW (CAP_SYS_PACCT),
    ROW (CAP_SYS_ADMIN),
    ROW (CAP_SYS_BOOT),
    ROW (CAP_SYS_NICE),
    ROW (CAP_SYS_RESOURCE),
    ROW (CAP_SYS_TIME),
    ROW (CAP_SYS_TTY_CONFIG),
    ROW (CAP_MKNOD),
    ROW (CAP_LEASE),
    ROW (CAP_AUDIT_WRITE),
    ROW (CAP_AUDIT_CONTROL),
    ROW (CAP_SETFCAP),
    ROW (CAP_MAC_OVERRIDE),
    ROW (CAP_MAC_ADMIN),
    ROW (CAP_SYSLOG),
    ROW (CAP_WAKE_ALARM),
    ROW (CAP_BLOCK_SUSPEND),
    ROW (CAP_AUDIT_READ),
    ROW (CAP_PERFMON),
    ROW (CAP_BPF),
    ROW (CAP_CHECKPOINT_RESTORE),
  };
#undef ROW

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    CHECK (syntax_capability (rows[i].name) == rows[i].number, "%s is not %d", rows[i].name, rows[i].number);
    assert_string_equal (syntax_capability_name (rows[i].number), rows[i].name);
  }
  assert_int_equal (syntax_capability ("CAP_LAST_CAP"), -1);
  assert_int_equal (syntax_capability ("CHOWN"), -1);
  assert_null (syntax_capability_name (-1));
  assert_null (syntax_capability_name ((int) ARRAY_LEN (rows)));
}

/* Numbers, objects and levels are read elsewhere; here any text passes. */
static void test_forms_without_a_rule (void **state)
{
  (void) state;
  TAKEN (SYNTAX_NONE, "", "x");
  TAKEN (SYNTAX_MOUNT, "", "x");
  TAKEN (SYNTAX_ASSIGNMENT, "", "x");
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_runtimes),
  cmocka_unit_test (test_images),
  cmocka_unit_test (test_seccomp_lists),
  cmocka_unit_test (test_apparmor_names),
  cmocka_unit_test (test_paths),
  cmocka_unit_test (test_path_limit),
  cmocka_unit_test (test_syscalls),
  cmocka_unit_test (test_hosts),
  cmocka_unit_test (test_host_limit),
  cmocka_unit_test (test_variables),
  cmocka_unit_test (test_controls),
  cmocka_unit_test (test_capabilities),
  cmocka_unit_test (test_capability_numbers),
  cmocka_unit_test (test_forms_without_a_rule),
};

UNIT_MAIN (cases)
