/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Denials by the run's end: what could not be executed, calls with their arguments, names without a network,
 * covers. */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "denial-call.h"
#include "denial-outcome.h"
#include "posture-case.h"

#define cleanup_denials cleanup (denials_clear)

/* Files as a run would have them. */
static bool look (void *arg, const char *path, struct outcome_seen *ret_seen)
{
  static const struct {
    const char *path;
    uint32_t mode, uid, gid;
  } files[] = {
    { "/usr/bin/git", S_IFREG | 0755, 0, 0 },
    { "/usr/bin/curl", S_IFREG | 0755, 0, 0 },
    { "/usr/bin/mine", S_IFREG | 0655, 10001, 0 },
    { "/usr/bin/ours", S_IFREG | 0705, 0, 10001 },
    { "/usr/bin", S_IFDIR | 0755, 0, 0 },
    { "/workspace", S_IFDIR | 0755, 0, 0 },
    { "/tmp", S_IFDIR | 01777, 0, 0 },
    { "/tmp/plain", S_IFREG | 0644, 10001, 10001 },
  };

  (void) arg;
  for (size_t i = 0; i < ARRAY_LEN (files); i++)
    if (strcmp (files[i].path, path) == 0) {
      *ret_seen = (struct outcome_seen){
        .inode = i + 1, .mode = files[i].mode, .uid = files[i].uid, .gid = files[i].gid, .free_bytes = 4096
      };
      return true;
    }
  return false;
}

static void set_command (struct plan *plan, const char *first, const char *second)
{
  strlist_clear (&plan->argv);
  assert_int_equal (strlist_add (&plan->argv, first), 0);
  if (second != NULL)
    assert_int_equal (strlist_add (&plan->argv, second), 0);
}

/* Only a program that its mode lets be executed, and that is not named, is put down to process.tools. */
static void test_tools (void **state)
{
  static const struct {
    const char *command, *script, *says;
    int code, exec_errno;
    const char *what; /* NULL: nothing is to be blamed */
    enum denial_confidence confidence;
  } rows[] = {
    { "curl", NULL, NULL, 126, EACCES, "execution of /usr/bin/curl", CONFIDENCE_OBSERVED },
    { "/usr/bin/curl", NULL, NULL, 126, EACCES, "execution of /usr/bin/curl", CONFIDENCE_OBSERVED },
    { "git", NULL, NULL, 126, EACCES, NULL, 0 },
    { "./curl", NULL, NULL, 126, EACCES, NULL, 0 },
    { "nowhere", NULL, NULL, 127, ENOENT, NULL, 0 },
    { "/usr/bin/mine", NULL, NULL, 126, EACCES, NULL, 0 },
    { "/usr/bin/ours", NULL, NULL, 126, EACCES, NULL, 0 },
    { "sh", "curl x", "sh: 1: curl: Permission denied", 126, 0, "execution of /usr/bin/curl",
      CONFIDENCE_INFERRED },
    { "sh", "git x", "sh: 1: git: Permission denied", 126, 0, NULL, 0 },
    { "cat", "/usr/bin/curl", "cat: /usr/bin/curl: Permission denied", 1, 0, NULL, 0 },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_posture_case struct posture_case c = { 0 };
    cleanup_denials struct denials denials = { 0 };
    struct outcome outcome = {
      .code = rows[i].code, .exec_errno = rows[i].exec_errno, .tail = rows[i].says, .look = look
    };

    posture_case_make_all (&c);
    set_command (c.plan, rows[i].command, rows[i].script);
    outcome.plan = c.plan;
    outcome_explain (&outcome, &denials);
    CHECK (denials.count == (rows[i].what != NULL), "row %zu gives %zu denials: %s", i, denials.count,
           denials.count ? denials.items[0].what : "");
    if (denials.count == 0)
      continue;
    assert_int_equal (denials.items[0].control, CONTROL_TOOLS);
    assert_string_equal (denials.items[0].what, rows[i].what);
    assert_int_equal (denials.items[0].confidence, rows[i].confidence);
    assert_string_equal (denials.items[0].rule, "case.json:1");
  }
}

/* The argument that mattered is part of what was refused. */
static void test_calls (void **state)
{
  static const struct {
    int number;
    uint64_t arguments[4];
    const char *what;
  } rows[] = {
    { SYS_socket, { 38, 5, 0 }, "syscall socket(AF_ALG)" },
    { SYS_socket, { 2, 3, 1 }, "syscall socket(AF_INET, protocol 1)" },
    { SYS_socket, { 16, 3, 12 }, "syscall socket(AF_NETLINK, protocol 12)" },
    { SYS_socket, { 99, 1, 0 }, "syscall socket(family 99)" },
    { SYS_unshare, { 0x10020000 }, "syscall unshare(CLONE_NEWNS|CLONE_NEWUSER)" },
    { SYS_unshare, { 0x400 }, "syscall unshare(0x400)" },
    { SYS_ioctl, { 0, 0x5412 }, "syscall ioctl(TIOCSTI)" },
    { SYS_ioctl, { 0, 0x1234 }, "syscall ioctl(0x1234)" },
    { SYS_fchmod, { 3, 0104755 }, "syscall fchmod(mode 4755)" },
    { SYS_personality, { 0x40000 }, "syscall personality(0x40000)" },
    { SYS_mount, { 1 }, "syscall mount" },
    { 9999, { 0 }, "syscall 9999" },
  };
  cleanup_posture_case struct posture_case c = { 0 };

  (void) state;
  posture_case_make (&c);
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_denials struct denials denials = { 0 };
    struct denied_call call = { .number = rows[i].number, .program = "sh", .pid = 7 };

    memcpy (call.arguments, rows[i].arguments, sizeof (rows[i].arguments));
    denied_call_record (c.plan, &call, &denials);
    assert_int_equal (denials.count, 1);
    assert_string_equal (denials.items[0].what, rows[i].what);
  }
}

/* A message without a host's name: the command may say which one it meant. */
static void test_names (void **state)
{
  static const struct {
    const char *script, *says;
    bool blamed;
  } rows[] = {
    { "connect('http://example.org/')", "socket.gaierror: [Errno -3] Temporary failure in name resolution",
      true },
    { "connect('http://localhost:80/')", "socket.gaierror: [Errno -3] Temporary failure in name resolution",
      false },
    { "connect('localhots')", "socket.gaierror: [Errno -3] Temporary failure in name resolution", false },
    { "connect(somewhere)", "socket.gaierror: [Errno -3] Temporary failure in name resolution", true },
    { "x",
      "OSError: [Errno 101] Network is unreachable\nsocket.gaierror: [Errno -3] Temporary failure in name "
      "resolution",
      true },
    { "x", "curl: (7) Failed to connect to '0.0.0.0' port 80", false },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_posture_case struct posture_case c = { 0 };
    cleanup_denials struct denials denials = { 0 }, connected = { 0 };
    struct outcome outcome = { .code = 1, .tail = rows[i].says };

    posture_case_make (&c);
    set_command (c.plan, "python3", rows[i].script);
    outcome.plan = c.plan;
    outcome_explain (&outcome, &denials);
    CHECK (denials.count == rows[i].blamed, "row %zu gives %zu denials", i, denials.count);
    /* Where there is a network it is not the sandbox's doing. */
    c.plan->settings.values[SETTING_NETWORK_MODE].level = NETWORK_ENGINE;
    outcome_explain (&outcome, &connected);
    CHECK (connected.count == 0, "row %zu blames a network that there is", i);
  }
}

/* Quotation marks of UTF-8 are quotation marks, and a path in them is a path. */
static void test_marks (void **state)
{
  static const struct {
    const char *says, *what; /* NULL: nothing is to be blamed */
  } rows[] = {
    { "mkdir: cannot create directory '/usr/x': Read-only file system", "write to /usr/x" },
    { "mkdir: cannot create directory ‘/usr/x’: Read-only file system", "write to /usr/x" },
    { "cannot open “/usr/a b”: Read-only file system", "write to /usr/a b" },
    { "cannot open ‘/usr/a”: Read-only file system", "write to /usr/a" },
    { "mkdir: cannot create directory ‘/workspace/x’: Read-only file system", NULL },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_posture_case struct posture_case c = { 0 };
    cleanup_denials struct denials denials = { 0 };
    struct outcome outcome = { .code = 1, .tail = rows[i].says, .look = look };

    posture_case_make (&c);
    outcome.plan = c.plan;
    assert_true (outcome_explain (&outcome, &denials));
    CHECK (denials.count == (rows[i].what != NULL), "row %zu gives %zu denials", i, denials.count);
    if (denials.count == 0)
      continue;
    assert_string_equal (denials.items[0].what, rows[i].what);
    assert_int_equal (denials.items[0].confidence, CONFIDENCE_INFERRED);
  }
}

/* What is gone was stopped where nothing can be executed; what is there may have its mode to blame. */
static void test_gone (void **state)
{
  static const struct {
    const char *says;
    bool blamed;
  } rows[] = {
    { "fork/exec /tmp/go-build1/b001/x.test: permission denied", true },
    { "fork/exec /workspace/go-build1/x.test: permission denied", false },
    { "open /tmp/go-build1/x: permission denied", false },
    { "fork/exec /tmp/plain: permission denied", false },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_posture_case struct posture_case c = { 0 };
    cleanup_denials struct denials denials = { 0 };
    struct outcome outcome = { .code = 1, .tail = rows[i].says, .look = look };

    posture_case_make (&c);
    outcome.plan = c.plan;
    assert_true (outcome_explain (&outcome, &denials));
    CHECK (denials.count == rows[i].blamed, "row %zu gives %zu denials", i, denials.count);
    if (denials.count == 0)
      continue;
    assert_int_equal (denials.items[0].control, CONTROL_MOUNTS_NOSUID_NODEV);
    assert_int_equal (denials.items[0].confidence, CONFIDENCE_INFERRED);
  }
}

/* Whether a failure is one that a control can cause, where nothing was denied that we know of. */
static void test_suspicious (void **state)
{
  static const struct {
    struct outcome outcome;
    bool suspicious;
  } rows[] = {
    { { .code = 1 }, false },
    { { .code = 1, .tail = "" }, false },
    { { .code = 2, .tail = "make: *** [all] Error 7\nno match\n" }, false },
    { { .code = 1, .tail = "AssertionError: one is not two" }, false },
    { { .code = 143, .signal = SIGTERM }, false },
    { { .code = 139, .signal = SIGSEGV }, false },
    { { .code = 0, .tail = "x: Permission denied" }, false },
    { { .code = 137, .signal = SIGKILL }, true },
    { { .code = 137, .signal = SIGKILL, .killed = true }, false },
    { { .code = 127, .exec_errno = ENOENT }, true },
    { { .code = 1, .tail = "cat: x: No such file or directory" }, true },
    { { .code = 1, .tail = "cat: x: PERMISSION DENIED\nlast line" }, true },
    { { .code = 1, .tail = "Error: EPERM, x" }, true },
    { { .code = 2, .tail = "psql: could not translate host name \"db\" to address: no" }, true },
    { { .code = 1, .tail = "socket: Address family not supported by protocol" }, true },
    { { .code = 1, .tail = "chown: 'a': Value too large for defined data type" }, true },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_posture_case struct posture_case c = { 0 };
    cleanup_denials struct denials denials = { 0 };
    struct outcome outcome = rows[i].outcome;

    posture_case_make (&c);
    set_command (c.plan, "nowhere", NULL);
    outcome.plan = c.plan;
    CHECK (outcome_explain (&outcome, &denials) == rows[i].suspicious, "row %zu", i);
    CHECK (denials.count == 0, "row %zu gives %zu denials", i, denials.count);
  }
}

static void test_ends (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_denials struct denials other = { 0 }, late = { 0 }, idle = { 0 }, setuid = { 0 }, read_only = { 0 };
  struct outcome outcome = { .code = 159, .signal = SIGSYS };

  (void) state;
  posture_case_make (&c);
  outcome.plan = c.plan;
  outcome_explain (&outcome, &other);
  assert_int_equal (other.count, 1);
  assert_int_equal (other.items[0].control, CONTROL_SECCOMP);
  assert_non_null (strstr (other.items[0].what, "another architecture"));

  outcome = (struct outcome){
    .plan = c.plan, .code = 124, .deadline = true, .err_dropped = 3, .counted = true, .pids_denied = 4
  };
  outcome_explain (&outcome, &late);
  assert_int_equal (late.count, 3);
  assert_int_equal (late.items[0].control, CONTROL_LIMITS_PIDS);
  assert_int_equal (late.items[0].count, 4);
  assert_int_equal (late.items[1].control, CONTROL_LIMITS_WALL);
  assert_int_equal (late.items[2].control, CONTROL_LIMITS_OUTPUT);

  outcome = (struct outcome){ .plan = c.plan, .code = 125, .idle = true, .pauses = 6 };
  outcome_explain (&outcome, &idle);
  assert_int_equal (idle.count, 2);
  assert_int_equal (idle.items[0].control, CONTROL_LIMITS_IDLE);
  assert_int_equal (idle.items[0].effect, EFFECT_ENDED);
  assert_false (idle.items[0].aside);
  assert_int_equal (idle.items[1].control, CONTROL_LIMITS_OUTPUT_RATE);
  assert_int_equal (idle.items[1].count, 6);
  assert_true (idle.items[1].aside);

  outcome =
      (struct outcome){ .plan = c.plan, .code = 1, .tail = "sudo: The \"no new privileges\" flag is set" };
  outcome_explain (&outcome, &setuid);
  assert_int_equal (setuid.count, 1);
  assert_int_equal (setuid.items[0].control, CONTROL_NO_NEW_PRIVILEGES);

  /* Nobody says which place. */
  outcome = (struct outcome){ .plan = c.plan, .code = 1, .tail = "Read-only file system" };
  outcome_explain (&outcome, &read_only);
  assert_int_equal (read_only.count, 1);
  assert_int_equal (read_only.items[0].control, CONTROL_ROOT_READ_ONLY);
}

/* A look into what is covered stays aside until the command fails and meant that path. */
static void test_covers (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_denials struct denials denials = { 0 };
  struct outcome outcome = { .code = 0 };

  (void) state;
  posture_case_make (&c);
  masked_read_record (c.plan, "/workspace/secret", "grep", 9, &denials);
  masked_read_record (c.plan, "/workspace/secret", "grep", 9, &denials);
  masked_read_record (c.plan, "/proc/kcore", NULL, 0, &denials);
  assert_int_equal (denials.count, 2);
  assert_int_equal (denials.items[0].count, 2);
  assert_int_equal (denials.items[0].control, CONTROL_PATHS_HIDDEN);
  assert_string_equal (denials.items[0].rule, "case.json:3");
  assert_int_equal (denials.items[1].control, CONTROL_PATHS_MASKED);
  assert_string_equal (denials.items[1].rule, "built-in default");
  outcome.plan = c.plan;
  outcome_explain (&outcome, &denials);
  assert_false (denials_explain (&denials));
  outcome.code = 1;
  outcome_explain (&outcome, &denials);
  assert_false (denials_explain (&denials));
  set_command (c.plan, "deploy", "--key=secret");
  outcome_explain (&outcome, &denials);
  assert_true (denials_explain (&denials));
  assert_true (denials.items[1].aside);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_tools), cmocka_unit_test (test_calls),  cmocka_unit_test (test_names),
  cmocka_unit_test (test_marks), cmocka_unit_test (test_gone),   cmocka_unit_test (test_suspicious),
  cmocka_unit_test (test_ends),  cmocka_unit_test (test_covers),
};

UNIT_MAIN (cases)
