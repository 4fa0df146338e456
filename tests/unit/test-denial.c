/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Denials: counted and bounded, made of calls, of counters, and of a command's last words. */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base-limits.h"
#include "denial-call.h"
#include "denial-outcome.h"
#include "denial-write.h"
#include "posture-case.h"

#define cleanup_denials cleanup (denials_clear)

static struct denied_call call_of (int number, uint64_t first, const char *program)
{
  return (struct denied_call){ .number = number, .arguments = { first }, .program = program, .pid = 7 };
}

static void test_counted (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_denials struct denials denials = { 0 };
  struct denied_call call = call_of (SYS_unshare, 0x10000000, "sh");
  const struct denial *denial;

  (void) state;
  posture_case_make (&c);
  for (unsigned i = 0; i < 1000; i++)
    denied_call_record (c.plan, &call, &denials);
  assert_int_equal (denials.count, 1);
  denial = &denials.items[0];
  assert_int_equal (denial->count, 1000);
  assert_int_equal (denial->control, CONTROL_SECCOMP);
  assert_int_equal (denial->errnum, EPERM);
  assert_string_equal (denial->what, "syscall unshare(CLONE_NEWUSER)");
  assert_string_equal (denial->rule, "small.json:1");
  assert_true (denials_explain (&denials));
}

static void test_bounded (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_denials struct denials denials = { 0 };
  uint64_t sum = 0;

  (void) state;
  posture_case_make (&c);
  for (unsigned i = 0; i < 5000; i++) {
    char name[16];
    struct denied_call call;

    snprintf (name, sizeof (name), "name%u", i);
    call = call_of (SYS_mount, 0, name);
    denied_call_record (c.plan, &call, &denials);
  }
  assert_int_equal (denials.count, LIMIT_DENIALS + 1);
  for (size_t i = 0; i < denials.count; i++)
    sum += denials.items[i].count;
  assert_int_equal (sum, 5000);
}

static void test_answers (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  struct denied_call denied = call_of (SYS_mount, 0, NULL), unknown = call_of (9999, 0, NULL),
                     allowed = call_of (SYS_getpid, 0, NULL);

  (void) state;
  posture_case_make (&c);
  assert_int_equal (denied_call_answer (c.plan->filter, &denied), EPERM);
  assert_int_equal (denied_call_answer (c.plan->filter, &unknown), ENOSYS);
  /* Whoever asks was told that it is refused: the answer is never "go on". */
  assert_int_equal (denied_call_answer (c.plan->filter, &allowed), EPERM);
}

/* Files as a run would have them. */
static bool look (void *arg, const char *path, struct outcome_seen *ret_seen)
{
  static const struct {
    const char *path;
    uint32_t mode;
  } files[] = { { "/tmp/program", S_IFREG | 0755 },
                { "/tmp/text", S_IFREG | 0644 },
                { "/tmp", S_IFDIR | 01777 },
                { "/workspace", S_IFDIR | 0755 } };

  for (size_t i = 0; i < ARRAY_LEN (files); i++)
    if (strcmp (files[i].path, path) == 0) {
      *ret_seen =
          (struct outcome_seen){ .inode = i + 1, .mode = files[i].mode, .free_bytes = *(uint64_t *) arg };
      return true;
    }
  return false;
}

static const struct {
  const char *says;
  int code;
  enum control control; /* CONTROL_COUNT: nothing is to be blamed */
} sayings[] = {
  { "touch: cannot touch '/usr/x': Read-only file system", 1, CONTROL_ROOT_READ_ONLY },
  { "OSError: [Errno 30] Read-only file system: '/etc/x'", 1, CONTROL_ROOT_READ_ONLY },
  { "Error: EROFS: read-only file system, open '/usr/x'", 1, CONTROL_ROOT_READ_ONLY },
  { "open /usr/x: read-only file system", 1, CONTROL_ROOT_READ_ONLY },
  { "touch: cannot touch 'x': Read-only file system", 1, CONTROL_ROOT_READ_ONLY },
  { "/bin/sh: 1: cannot create /proc/sys/x: Read-only file system", 2, CONTROL_PATHS_MASKED },
  { "touch: cannot touch '/workspace/x': Read-only file system", 1, CONTROL_COUNT },
  { "touch: cannot touch '/workspace/../tmp/x': Read-only file system", 1, CONTROL_COUNT },
  { "touch: cannot touch '/workspace/../usr/x': Read-only file system", 1, CONTROL_ROOT_READ_ONLY },
  { "touch: cannot touch '/usr/x': Read-only file system", 0, CONTROL_COUNT },
  { "cat: x: No such file or directory", 1, CONTROL_COUNT },
  { "cat: /nowhere/x: No such file or directory", 1, CONTROL_COUNT },
  { "cat: /home/a/x: No such file or directory", 1, CONTROL_WORKSPACE_BOUNDED },
  { "cat: /workspace/home/a: No such file or directory", 1, CONTROL_COUNT },
  { "cat: secret/key: No such file or directory", 1, CONTROL_PATHS_HIDDEN },
  { "dd: failed to open '/dev/sda': No such file or directory", 1, CONTROL_DEVICES_MINIMAL },
  { "cat: /dev/nul: No such file or directory", 1, CONTROL_COUNT },
  { "cat: x: Permission denied", 1, CONTROL_COUNT },
  { "sh: 1: /tmp/program: Permission denied", 126, CONTROL_MOUNTS_NOSUID_NODEV },
  { "cat: /tmp/program: Permission denied", 1, CONTROL_COUNT },
  { "sh: 1: /tmp/text: Permission denied", 126, CONTROL_COUNT },
  { "cp: error writing '/tmp/x': No space left on device", 1, CONTROL_TMP_BOUNDED },
  { "cp: error writing '/workspace/x': No space left on device", 1, CONTROL_COUNT },
  { "echo: write error: No space left on device", 1, CONTROL_COUNT },
  { "OSError: [Errno 24] Too many open files", 1, CONTROL_LIMITS_OPEN_FILES },
  { "Too many open files in system", 1, CONTROL_COUNT },
  { "ipcmk: create message queue failed: Function not implemented", 1, CONTROL_SECCOMP },
  { "unshare: unshare failed: Operation not permitted", 1, CONTROL_SECCOMP },
  { "chown: changing ownership of 'a': Operation not permitted", 1, CONTROL_COUNT },
  { "curl: (6) Could not resolve host: example.org", 6, CONTROL_NETWORK_MODE },
  { "curl: (6) Could not resolve host: localhots", 6, CONTROL_COUNT },
  { "curl: (6) Could not resolve host: db.invalid", 6, CONTROL_COUNT },
  { "curl: (7) Failed to connect to 192.0.2.1 port 80 after 0 ms", 7, CONTROL_NETWORK_MODE },
  { "curl: (7) Failed to connect to 127.0.0.1 port 80 after 0 ms", 7, CONTROL_COUNT },
  { "ssh: Could not resolve hostname a.org: Temporary failure in name resolution", 255,
    CONTROL_NETWORK_MODE },
  { "Error: getaddrinfo EAI_AGAIN example.org", 1, CONTROL_NETWORK_MODE },
  { "OSError: [Errno 101] Network is unreachable", 1, CONTROL_NETWORK_MODE },
  { "connect: Connection refused", 1, CONTROL_COUNT },
  { "E: Unable to lock, are you root?", 100, CONTROL_USER_NON_ROOT },
  { "Segmentation fault", 139, CONTROL_COUNT },
  { "", 1, CONTROL_COUNT },
};

static void test_sayings (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  uint64_t free_bytes = 4096;

  (void) state;
  posture_case_make (&c);
  for (size_t i = 0; i < ARRAY_LEN (sayings); i++) {
    cleanup_denials struct denials denials = { 0 };
    const struct outcome outcome = {
      .plan = c.plan, .code = sayings[i].code, .tail = sayings[i].says, .look = look, .look_arg = &free_bytes
    };

    outcome_explain (&outcome, &denials);
    CHECK (denials.count == (sayings[i].control != CONTROL_COUNT), "'%s' gives %zu denials, one for %s",
           sayings[i].says, denials.count,
           denials.count ? control_info (denials.items[0].control)->name : "nothing");
    if (denials.count == 0)
      continue;
    CHECK (denials.items[0].control == sayings[i].control, "'%s' is put down to %s", sayings[i].says,
           control_info (denials.items[0].control)->name);
    CHECK (denials.items[0].confidence == CONFIDENCE_INFERRED, "'%s' is said to be observed",
           sayings[i].says);
  }
}

static void test_full (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_denials struct denials denials = { 0 };
  uint64_t free_bytes = 0;
  const struct outcome outcome = { .look = look,
                                   .look_arg = &free_bytes,
                                   .code = 1,
                                   .tail = "write error: No space left on device",
                                   .plan = NULL };
  struct outcome with_plan = outcome;

  (void) state;
  posture_case_make (&c);
  with_plan.plan = c.plan;
  outcome_explain (&with_plan, &denials);
  assert_int_equal (denials.count, 1);
  assert_int_equal (denials.items[0].control, CONTROL_TMP_BOUNDED);
  assert_int_equal (denials.items[0].confidence, CONFIDENCE_OBSERVED);
}

static void test_counters (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_denials struct denials limit = { 0 }, host = { 0 }, uncounted = { 0 }, slow = { 0 };
  struct outcome outcome = { .code = 137, .counted = true, .oom_kills = 1 };

  (void) state;
  posture_case_make (&c);
  c.plan->memory = 1 << 20;
  outcome.plan = c.plan;
  outcome.memory_peak = 1 << 20;
  outcome_explain (&outcome, &limit);
  assert_int_equal (limit.count, 1);
  assert_int_equal (limit.items[0].control, CONTROL_LIMITS_MEMORY);
  assert_int_equal (limit.items[0].effect, EFFECT_ENDED);
  /* Far from its own limit it was the host that ran out. */
  outcome.memory_peak = 1 << 10;
  outcome_explain (&outcome, &host);
  assert_int_equal (host.count, 0);
  outcome.memory_peak = 1 << 20;
  outcome.counted = false;
  outcome_explain (&outcome, &uncounted);
  assert_int_equal (uncounted.count, 0);
  outcome = (struct outcome){ .plan = c.plan, .code = 1, .counted = true, .throttled = 9, .out_dropped = 5 };
  c.plan->cpu_quota = 1000;
  outcome_explain (&outcome, &slow);
  assert_int_equal (slow.count, 2);
  assert_false (denials_explain (&slow));
}

/* Output that is cut off explains no failure; output that ended the run does, once for both streams. */
static void test_output (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_denials struct denials cut = { 0 }, ended = { 0 };
  struct outcome outcome = { .code = 125, .out_dropped = 5, .err_dropped = 6 };

  (void) state;
  posture_case_make (&c);
  outcome.plan = c.plan;
  outcome_explain (&outcome, &cut);
  assert_int_equal (cut.count, 2);
  assert_int_equal (cut.items[0].effect, EFFECT_CUT);
  assert_false (denials_explain (&cut));
  outcome.output_ended = true;
  outcome_explain (&outcome, &ended);
  assert_int_equal (ended.count, 2);
  assert_int_equal (ended.items[0].effect, EFFECT_ENDED);
  assert_non_null (strstr (ended.items[0].allow, "limits.output_action"));
  assert_true (ended.items[1].aside);
  assert_true (denials_explain (&ended));
}

static void test_written (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_denials struct denials denials = { 0 };
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL, *line = NULL;
  struct denied_call call = call_of (SYS_mount, 0, "sh");

  (void) state;
  posture_case_make (&c);
  denied_call_record (c.plan, &call, &denials);
  denied_call_record (c.plan, &call, &denials);
  denials_write (&w, NULL, &denials);
  assert_int_equal (json_finish (&w, &text, &err), 0);
  assert_string_equal (
      text,
      "[{\"control\":\"process.seccomp\",\"what\":\"syscall mount\",\"who\":\"sh[7]\",\"effect\":\"denied\","
      "\"aside\":false,\"errno\":\"EPERM\",\"count\":2,\"rule\":\"small.json:1\",\"confidence\":\"observed\","
      "\"allow\":\"add 'mount' to process.seccomp.allow in a profile of your own\"}]\n");
  line = denial_text (&denials.items[0]);
  assert_string_equal (
      line, "denied by process.seccomp: syscall mount of sh[7], 2 times, EPERM; rule small.json:1; "
            "to allow: add 'mount' to process.seccomp.allow in a profile of your own");
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_counted), cmocka_unit_test (test_bounded), cmocka_unit_test (test_answers),
  cmocka_unit_test (test_sayings), cmocka_unit_test (test_full),    cmocka_unit_test (test_counters),
  cmocka_unit_test (test_output),  cmocka_unit_test (test_written),
};

UNIT_MAIN (cases)
