/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters: what the kernel would answer to a call, on both architectures. */
#include <config.h>

#include "plan-seccomp.h"

#include "seccomp-case.h"

/* Bits that the kernel does not read of an int. */
#define UPPER UINT64_C (0x100000000)

static const struct row {
  const char *call;
  uint64_t args[4];
  uint32_t by_default, strict;
} rows[] = {
  /* What everything needs. */
  { "read", { 0 }, ALLOW, ALLOW },
  { "openat", { 0 }, ALLOW, ALLOW },
  { "execve", { 0 }, ALLOW, ALLOW },
  { "mmap", { 0, 0, 7 }, ALLOW, ALLOW },
  { "futex", { 0 }, ALLOW, ALLOW },
  { "restart_syscall", { 0 }, ALLOW, ALLOW },
  { "rt_sigreturn", { 0 }, ALLOW, ALLOW },
  { "prctl", { 22 }, ALLOW, ALLOW },
  { "seccomp", { 1 }, ALLOW, ALLOW },
  { "landlock_create_ruleset", { 0 }, ALLOW, ALLOW },
  { "landlock_add_rule", { 0 }, ALLOW, ALLOW },
  { "landlock_restrict_self", { 0 }, ALLOW, ALLOW },
  /* Families of sockets. */
  { "socket", { 1, 1, 0 }, ALLOW, ALLOW },
  { "socket", { 1, 1, 1 }, ALLOW, ALLOW },
  { "socket", { 2, 1, 0 }, ALLOW, ALLOW },
  { "socket", { 2, 0x80802, 17 }, ALLOW, ALLOW },
  { "socket", { 10, 1, 6 }, ALLOW, ALLOW },
  { "socket", { 2, 1, 132 }, ALLOW, NO (AFNOSUPPORT) },
  { "socket", { 10, 1, 262 }, ALLOW, NO (AFNOSUPPORT) },
  { "socket", { 2, 1, UPPER | 132 }, ALLOW, NO (AFNOSUPPORT) },
  { "socket", { UPPER | 2, 1, UPPER | 6 }, ALLOW, ALLOW },
  { "socket", { 16, 3, 0 }, ALLOW, ALLOW },
  { "socket", { 16, 3, UPPER }, ALLOW, ALLOW },
  { "socket", { 16, 3, 6 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socket", { 16, 3, 16 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socket", { 16, 3, UINT64_C (0x80000000) }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socket", { 0, 1, 0 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socket", { 3, 1, 0 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socket", { 9, 1, 0 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socket", { 17, 3, 0 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socket", { 33, 2, 0 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socket", { 38, 5, 0 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socket", { 40, 1, 0 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socket", { UPPER | 38, 5, 0 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socket", { UPPER << 8 | 40, 1, 0 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socket", { UINT64_C (0x80000002), 1, 0 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socket", { UINT64_MAX, 1, 0 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socketpair", { 1, 1, 0 }, ALLOW, ALLOW },
  { "socketpair", { 2, 1, 0 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socketpair", { 38, 5, 0 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  { "socketpair", { UPPER | 30, 1, 0 }, NO (AFNOSUPPORT), NO (AFNOSUPPORT) },
  /* Namespaces: fork, a thread, vfork; then each flag. */
  { "clone", { 17 }, ALLOW, ALLOW },
  { "clone", { 0x3d0f00 }, ALLOW, ALLOW },
  { "clone", { 0x4111 }, ALLOW, ALLOW },
  { "clone", { 0x1200011 }, ALLOW, ALLOW },
  { "clone", { UPPER | 17 }, ALLOW, ALLOW },
  { "clone", { 0x00020011 }, NO (PERM), NO (PERM) },
  { "clone", { 0x02000011 }, NO (PERM), NO (PERM) },
  { "clone", { 0x04000011 }, NO (PERM), NO (PERM) },
  { "clone", { 0x08000011 }, NO (PERM), NO (PERM) },
  { "clone", { 0x10000011 }, NO (PERM), NO (PERM) },
  { "clone", { 0x20000011 }, NO (PERM), NO (PERM) },
  { "clone", { 0x40000011 }, NO (PERM), NO (PERM) },
  { "clone", { 0x7e020011 }, NO (PERM), NO (PERM) },
  { "clone", { UPPER | 0x10000011 }, NO (PERM), NO (PERM) },
  { "clone", { UINT64_MAX }, NO (PERM), NO (PERM) },
  { "clone3", { 0 }, NO (NOSYS), NO (NOSYS) },
  { "unshare", { 0x10000000 }, NO (PERM), NO (PERM) },
  { "setns", { 0 }, NO (PERM), NO (PERM) },
  /* Terminals: common requests, neighbours of the refused ones, and those with a sign. */
  { "ioctl", { 0, 0x5401 }, ALLOW, ALLOW },
  { "ioctl", { 0, 0x5413 }, ALLOW, ALLOW },
  { "ioctl", { 0, 0x5411 }, ALLOW, ALLOW },
  { "ioctl", { 0, 0x541b }, ALLOW, ALLOW },
  { "ioctl", { 0, 0x541e }, ALLOW, ALLOW },
  { "ioctl", { 0, 0x5422 }, ALLOW, ALLOW },
  { "ioctl", { 0, 0x5424 }, ALLOW, ALLOW },
  { "ioctl", { 0, 0 }, ALLOW, ALLOW },
  { "ioctl", { 0, 0x802c542a }, ALLOW, ALLOW },
  { "ioctl", { 0, UINT64_C (0xffffffff802c542a) }, ALLOW, ALLOW },
  { "ioctl", { 0, UINT64_MAX }, ALLOW, ALLOW },
  { "ioctl", { 0x5412, 0x5401, 0x5412 }, ALLOW, ALLOW },
  { "ioctl", { 0, 0x80005412 }, ALLOW, ALLOW },
  { "ioctl", { 0, 0x5412 }, NO (PERM), NO (PERM) },
  { "ioctl", { 0, UPPER | 0x5412 }, NO (PERM), NO (PERM) },
  { "ioctl", { 0, UINT64_C (0xffffffff00005412) }, NO (PERM), NO (PERM) },
  { "ioctl", { 0, 0x541c }, NO (PERM), NO (PERM) },
  { "ioctl", { 0, UPPER | 0x541c }, NO (PERM), NO (PERM) },
  { "ioctl", { 0, 0x5423 }, NO (PERM), NO (PERM) },
  { "ioctl", { 0, UPPER << 31 | 0x5423 }, NO (PERM), NO (PERM) },
  { "sendto", { 3, 0, 0, 0x4000 }, ALLOW, ALLOW },
  { "sendto", { 3, 0, 0, 1 }, ALLOW, NO (PERM) },
  { "sendto", { 3, 0, 0, UPPER | 0x4001 }, ALLOW, NO (PERM) },
  { "sendmsg", { 3, 0, 0x4000 }, ALLOW, ALLOW },
  { "sendmsg", { 3, 0, 1 }, ALLOW, NO (PERM) },
  { "sendmmsg", { 3, 0, 0, 1 }, ALLOW, NO (PERM) },
  { "recvfrom", { 3, 0, 0, 1 }, ALLOW, NO (PERM) },
  { "recvmsg", { 3, 0, 1 }, ALLOW, NO (PERM) },
  { "recvmmsg", { 3, 0, 0, 1 }, ALLOW, NO (PERM) },
  { "personality", { 0 }, ALLOW, ALLOW },
  { "personality", { 0xffffffff }, ALLOW, ALLOW },
  { "personality", { UINT64_MAX }, ALLOW, ALLOW },
  { "personality", { 8 }, NO (PERM), NO (PERM) },
  { "personality", { 0x40000 }, NO (PERM), NO (PERM) },
  { "personality", { UPPER | 0x40000 }, NO (PERM), NO (PERM) },
  /* Known and refused. */
  { "mount", { 0 }, NO (PERM), NO (PERM) },
  { "umount2", { 0 }, NO (PERM), NO (PERM) },
  { "pivot_root", { 0 }, NO (PERM), NO (PERM) },
  { "move_mount", { 0 }, NO (PERM), NO (PERM) },
  { "open_tree", { 0 }, NO (PERM), NO (PERM) },
  { "fsopen", { 0 }, NO (PERM), NO (PERM) },
  { "fsconfig", { 0 }, NO (PERM), NO (PERM) },
  { "fsmount", { 0 }, NO (PERM), NO (PERM) },
  { "fspick", { 0 }, NO (PERM), NO (PERM) },
  { "mount_setattr", { 0 }, NO (PERM), NO (PERM) },
  { "keyctl", { 0 }, NO (PERM), NO (PERM) },
  { "add_key", { 0 }, NO (PERM), NO (PERM) },
  { "request_key", { 0 }, NO (PERM), NO (PERM) },
  { "ptrace", { 0 }, NO (PERM), NO (PERM) },
  { "process_vm_readv", { 0 }, NO (PERM), NO (PERM) },
  { "process_vm_writev", { 0 }, NO (PERM), NO (PERM) },
  { "process_madvise", { 0 }, NO (PERM), NO (PERM) },
  { "kcmp", { 0 }, NO (PERM), NO (PERM) },
  { "pidfd_getfd", { 0 }, NO (PERM), NO (PERM) },
  { "bpf", { 0 }, NO (PERM), NO (PERM) },
  { "perf_event_open", { 0 }, NO (PERM), NO (PERM) },
  { "userfaultfd", { 0 }, NO (PERM), NO (PERM) },
  { "open_by_handle_at", { 0 }, NO (PERM), NO (PERM) },
  { "name_to_handle_at", { 0 }, NO (PERM), NO (PERM) },
  { "fanotify_init", { 0 }, NO (PERM), NO (PERM) },
  { "init_module", { 0 }, NO (PERM), NO (PERM) },
  { "finit_module", { 0 }, NO (PERM), NO (PERM) },
  { "delete_module", { 0 }, NO (PERM), NO (PERM) },
  { "kexec_load", { 0 }, NO (PERM), NO (PERM) },
  { "kexec_file_load", { 0 }, NO (PERM), NO (PERM) },
  { "reboot", { 0 }, NO (PERM), NO (PERM) },
  { "swapon", { 0 }, NO (PERM), NO (PERM) },
  { "swapoff", { 0 }, NO (PERM), NO (PERM) },
  { "acct", { 0 }, NO (PERM), NO (PERM) },
  { "quotactl", { 0 }, NO (PERM), NO (PERM) },
  { "settimeofday", { 0 }, NO (PERM), NO (PERM) },
  { "clock_settime", { 0 }, NO (PERM), NO (PERM) },
  { "adjtimex", { 0 }, NO (PERM), NO (PERM) },
  { "clock_adjtime", { 0 }, NO (PERM), NO (PERM) },
  { "sethostname", { 0 }, NO (PERM), NO (PERM) },
  { "setdomainname", { 0 }, NO (PERM), NO (PERM) },
  { "vhangup", { 0 }, NO (PERM), NO (PERM) },
  { "syslog", { 0 }, NO (PERM), NO (PERM) },
  { "iopl", { 0 }, NO (PERM), NO (PERM) },
  { "ioperm", { 0 }, NO (PERM), NO (PERM) },
  { "modify_ldt", { 0 }, NO (PERM), NO (PERM) },
  { "mbind", { 0 }, NO (PERM), NO (PERM) },
  { "move_pages", { 0 }, NO (PERM), NO (PERM) },
  { "io_uring_setup", { 0 }, NO (NOSYS), NO (NOSYS) },
  { "io_uring_enter", { 0 }, NO (NOSYS), NO (NOSYS) },
  { "io_uring_register", { 0 }, NO (NOSYS), NO (NOSYS) },
  { "lookup_dcookie", { 0 }, NO (NOSYS), NO (NOSYS) },
  /* Where the two differ. */
  { "chroot", { 0 }, ALLOW, NO (PERM) },
  { "setgroups", { 0 }, ALLOW, NO (PERM) },
  { "sched_setattr", { 0 }, ALLOW, NO (PERM) },
  { "sync", { 0 }, ALLOW, NO (PERM) },
  { "splice", { 0 }, NO (INVAL), NO (INVAL) },
  { "vmsplice", { 0 }, NO (INVAL), NO (INVAL) },
  { "sendfile", { 0 }, ALLOW, NO (INVAL) },
  { "memfd_create", { 0 }, ALLOW, NO (NOSYS) },
  { "io_submit", { 0 }, ALLOW, NO (NOSYS) },
  { "shmget", { 0 }, ALLOW, NO (NOSYS) },
  { "mq_open", { 0 }, ALLOW, NO (NOSYS) },
};

static const char *answer_text (uint32_t answer, char text[32])
{
  if (answer == ALLOW)
    return "allowed";
  snprintf (text, 32, answer == KILL ? "killed" : "errno %u", answer & SECCOMP_RET_DATA);
  return text;
}

#define CREATE    0x40     /* O_CREAT */
#define TMPFILE   0x400000 /* the bit of O_TMPFILE that O_DIRECTORY does not have */
#define DIRECTORY 0x10000  /* O_DIRECTORY on x86_64 */

/* Setuid and setgid bits, which no call may give to a file. The same in both lists. */
static const struct mode_row {
  const char *call;
  uint64_t args[4];
  uint32_t answer;
} modes[] = {
  /* An open that creates nothing has no mode: the register holds whatever was there before. */
  { "openat", { 3, 0, 0, 06777 }, ALLOW },
  { "openat", { 3, 0, 0x80000, UINT64_MAX }, ALLOW },
  { "openat", { 3, 0, 02 | 01000 | 02000, 04000 }, ALLOW },
  { "openat", { 3, 0, DIRECTORY, 02000 }, ALLOW },
  { "openat", { 3, 0, UPPER *CREATE | UPPER *TMPFILE, 06000 }, ALLOW },
  { "open", { 0, 0, 06777 }, ALLOW },
  { "open", { 0, 0x80000 | DIRECTORY, UINT64_MAX }, ALLOW },
  /* One that creates a file has one. */
  { "openat", { 3, 0, CREATE | 02, 0755 }, ALLOW },
  { "openat", { 3, 0, CREATE | 02, 01777 }, ALLOW },
  { "openat", { 3, 0, CREATE | 02, UPPER * 06000 | 0644 }, ALLOW },
  { "openat", { 3, 0, TMPFILE | DIRECTORY | 02, 0600 }, ALLOW },
  { "openat", { 3, 0, CREATE, 04755 }, NO (PERM) },
  { "openat", { 3, 0, CREATE | 02, 02755 }, NO (PERM) },
  { "openat", { 3, 0, CREATE | 02, 06000 }, NO (PERM) },
  { "openat", { 3, 0, UPPER | CREATE, UPPER | 04000 }, NO (PERM) },
  { "openat", { 3, 0, TMPFILE | DIRECTORY | 02, 04755 }, NO (PERM) },
  { "openat", { 3, 0, TMPFILE | DIRECTORY | 01, 02755 }, NO (PERM) },
  { "openat", { 3, 0, TMPFILE, 06000 }, NO (PERM) },
  { "openat", { 3, 0, TMPFILE | CREATE | DIRECTORY, 02000 }, NO (PERM) },
  { "openat", { 3, 0, UINT64_MAX, UINT64_MAX }, NO (PERM) },
  { "open", { 0, CREATE | 02, 0755 }, ALLOW },
  { "open", { 0, TMPFILE | DIRECTORY | 02, 0600, 06000 }, ALLOW },
  { "open", { 0, CREATE, 04755 }, NO (PERM) },
  { "open", { 0, CREATE, UINT64_C (0xffffffff00000400) }, NO (PERM) },
  { "open", { 0, TMPFILE | DIRECTORY | 02, 02755 }, NO (PERM) },
  { "creat", { 0, 0755, 06000 }, ALLOW },
  { "creat", { 0, 04755 }, NO (PERM) },
  { "creat", { 0, 02755 }, NO (PERM) },
  { "chmod", { 0, 01777, 06000 }, ALLOW },
  { "chmod", { 0, UPPER | 04755 }, NO (PERM) },
  { "fchmod", { 06000, 0755 }, ALLOW },
  { "fchmod", { 0, 02755 }, NO (PERM) },
  { "fchmodat", { 0, 0, 0755, 06000 }, ALLOW },
  { "fchmodat", { 0, 0, 04000 }, NO (PERM) },
  { "mknodat", { 0, 0, 0010644, 06000 }, ALLOW },
  { "mknodat", { 0, 0, 0104755 }, NO (PERM) },
  { "mknod", { 0, 0102755 }, NO (PERM) },
  { "openat2", { 0 }, NO (NOSYS) },
  { "fchmodat2", { 0 }, NO (NOSYS) },
};

static void check_answer (const struct seccomp_program *program, const char *what,
                          const struct seccomp_data *data, uint32_t expected)
{
  char is[32], should[32];
  uint32_t answer = seccomp_run (program, data);

  CHECK (answer == expected, "%s (0x%llx, 0x%llx, 0x%llx, 0x%llx) is %s, not %s", what,
         (unsigned long long) data->args[0], (unsigned long long) data->args[1],
         (unsigned long long) data->args[2], (unsigned long long) data->args[3], answer_text (answer, is),
         answer_text (expected, should));
}

static void check_rows (const struct seccomp_machine *machine, const char *list_name, bool strict)
{
  cleanup_seccomp_list struct seccomp_list *list = shipped_list (list_name);
  cleanup_filter struct filter *filter = build_filter (list, NULL, machine->name);
  cleanup_program struct seccomp_program program = seccomp_program (filter);
  size_t seen = 0;

  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    int number = seccomp_syscall_resolve_name_arch (machine->token, rows[i].call);
    struct seccomp_data data = { .nr = number, .arch = machine->audit };

    assert_int_not_equal (number, __NR_SCMP_ERROR);
    if (number < 0)
      continue; /* iopl, modify_ldt: x86 only */
    memcpy (data.args, rows[i].args, sizeof (rows[i].args));
    check_answer (&program, rows[i].call, &data, strict ? rows[i].strict : rows[i].by_default);
    seen++;
  }
  assert_true (seen + 3 >= ARRAY_LEN (rows));
}

static void test_answers_default (void **state)
{
  (void) state;
  for (size_t m = 0; m < ARRAY_LEN (machines); m++)
    check_rows (&machines[m], "default", false);
}

static void test_answers_strict (void **state)
{
  (void) state;
  for (size_t m = 0; m < ARRAY_LEN (machines); m++)
    check_rows (&machines[m], "strict", true);
}

static void test_modes (void **state)
{
  (void) state;
  for (size_t m = 0; m < ARRAY_LEN (machines); m++)
    for (size_t l = 0; l < ARRAY_LEN (list_names); l++) {
      cleanup_seccomp_list struct seccomp_list *list = shipped_list (list_names[l]);
      cleanup_filter struct filter *filter = build_filter (list, NULL, machines[m].name);
      cleanup_program struct seccomp_program program = seccomp_program (filter);
      size_t seen = 0;

      for (size_t i = 0; i < ARRAY_LEN (modes); i++) {
        int number = seccomp_syscall_resolve_name_arch (machines[m].token, modes[i].call);
        struct seccomp_data data = { .nr = number, .arch = machines[m].audit };
        uint64_t args[SECCOMP_ARGUMENTS] = { 0 };

        if (number < 0)
          continue; /* aarch64 has the newer forms only, and an older libseccomp no fchmodat2 */
        memcpy (args, modes[i].args, sizeof (modes[i].args));
        memcpy (data.args, args, sizeof (args));
        check_answer (&program, modes[i].call, &data, modes[i].answer);
        assert_int_equal (NO_NUMBER (filter_answer (filter, modes[i].call, args)),
                          modes[i].answer == ALLOW ? NO_NUMBER (0) : modes[i].answer);
        seen++;
      }
      assert_true (seen > 20);
    }
}

/* Numbers that no call has, and calls by another interface than the native one. */
static void test_foreign (void **state)
{
  (void) state;
  for (size_t m = 0; m < ARRAY_LEN (machines); m++)
    for (size_t l = 0; l < ARRAY_LEN (list_names); l++) {
      const struct seccomp_machine *machine = &machines[m];
      cleanup_seccomp_list struct seccomp_list *list = shipped_list (list_names[l]);
      cleanup_filter struct filter *filter = build_filter (list, NULL, machine->name);
      cleanup_program struct seccomp_program program = seccomp_program (filter);
      struct seccomp_data data = { .nr = 999, .arch = machine->audit };

      check_answer (&program, "call 999", &data, NO (NOSYS));
      data.nr = -1;
      check_answer (&program, "call -1", &data, NO (NOSYS));
      data.nr = seccomp_syscall_resolve_name_arch (machine->token, "read");
      check_answer (&program, "read", &data, ALLOW);
      data.arch = machine->foreign;
      for (data.nr = 0; data.nr < 512; data.nr++)
        check_answer (&program, "a call by the 32-bit interface", &data, KILL);
      data.arch = AUDIT_ARCH_X86_64;
      for (int number = 0; number < 600; number++) {
        data.nr = 0x40000000 | number;
        check_answer (&program, "a call by the x32 interface", &data, KILL);
      }
    }
}

/* What the list says, read without the code under test. */
static uint32_t answer_of_list (const struct seccomp_list *list, const char *name,
                                const struct seccomp_data *data)
{
  for (size_t i = 0; i < list->rule_count; i++) {
    const struct seccomp_rule *rule = &list->rules[i];
    bool holds = strcmp (rule->name, name) == 0;

    for (size_t t = 0; t < rule->test_count; t++) {
      const struct seccomp_test *test = &rule->tests[t];
      uint32_t arg = (uint32_t) data->args[test->argument];
      bool found = false;

      for (size_t v = 0; v < test->count; v++)
        found = found || arg == test->values[v];
      if (test->compare == SECCOMP_CLEAR)
        holds = holds && (arg & test->values[0]) == 0;
      else
        holds = holds && found == (test->compare == SECCOMP_IN);
    }
    if (holds)
      return ALLOW;
  }
  for (size_t i = 0; i < list->deny_count; i++)
    if (strcmp (list->denies[i].name, name) == 0)
      return NO_NUMBER (list->denies[i].errnum);
  return NO_NUMBER (list->unknown_errnum);
}

static uint64_t next_random (uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

/* A value that some rule compares with, or one that differs from it in a few bits. */
static uint64_t random_argument (const struct filter *filter, uint64_t *state)
{
  const struct filter_rule *rule = &filter->rules[next_random (state) % filter->rule_count];
  uint64_t value = next_random (state);

  if (rule->arg_count > 0)
    value = rule->args[value % rule->arg_count].datum;
  for (uint64_t flips = next_random (state) % 4; flips > 0; flips--)
    value ^= UINT64_C (1) << (next_random (state) & 63);
  return value;
}

static void check_random (const struct seccomp_list *list, const struct seccomp_machine *machine,
                          size_t turns, uint64_t seed)
{
  cleanup_filter struct filter *filter = build_filter (list, NULL, machine->name);
  cleanup_program struct seccomp_program program = seccomp_program (filter);

  for (size_t i = 0; i < turns; i++) {
    size_t at = next_random (&seed) % list->rule_count;
    struct seccomp_data data = { .arch = machine->audit };

    /* Calls with conditions are few, and the reason to be here. */
    while (list->rules[at].test_count == 0 && next_random (&seed) % 16 != 0)
      at = next_random (&seed) % list->rule_count;
    data.nr = seccomp_syscall_resolve_name_arch (machine->token, list->rules[at].name);
    if (data.nr < 0)
      continue;
    for (size_t n = 0; n < 6; n++)
      data.args[n] = random_argument (filter, &seed);
    check_answer (&program, list->rules[at].name, &data, answer_of_list (list, list->rules[at].name, &data));
  }
}

static void test_random_arguments (void **state)
{
  (void) state;
  for (size_t m = 0; m < ARRAY_LEN (machines); m++)
    for (size_t l = 0; l < ARRAY_LEN (list_names); l++) {
      cleanup_seccomp_list struct seccomp_list *list = shipped_list (list_names[l]);

      check_random (list, &machines[m], 20000, 1 + m * 2 + l);
    }
}

/* Conditions that the shipped lists do not use: other arguments, tests that overlap, several kinds on one. */
static void test_random_conditions (void **state)
{
  cleanup_seccomp_list struct seccomp_list *list = text_list (
      "{\"version\":1,\"name\":\"a\",\"meaning\":\"\",\"unknown\":\"ENOSYS\",\"allow\":{\"x\":[\"exit\"]},"
      "\"when\":{\"fcntl\":{\"allow\":[[{\"argument\":1,\"clear\":[\"0xf0\"]},{\"argument\":5,\"in\":[1,2,3]}"
      "],"
      "[{\"argument\":1,\"in\":[16,32,1]}],[{\"argument\":2,\"not_in\":[0,1,2]},{\"argument\":1,\"in\":[48]}]"
      "],"
      "\"else\":\"EACCES\"},"
      "\"madvise\":{\"allow\":[[{\"argument\":3,\"not_in\":[\"0x80000000\",0]}],[{\"argument\":0,\"clear\":["
      "1]},"
      "{\"argument\":3,\"clear\":[\"0xffff\"]}]],\"else\":\"ENOSYS\"},"
      "\"prctl\":{\"allow\":[[{\"argument\":0,\"in\":[1]},{\"argument\":1,\"in\":[1]},{\"argument\":2,\"in\":"
      "[1]},"
      "{\"argument\":3,\"in\":[1]},{\"argument\":4,\"in\":[1]},{\"argument\":5,\"not_in\":[1]}]],"
      "\"else\":\"EINVAL\"}}}");

  (void) state;
  for (size_t m = 0; m < ARRAY_LEN (machines); m++)
    check_random (list, &machines[m], 60000, 7 + m);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_answers_default),
  cmocka_unit_test (test_answers_strict),
  cmocka_unit_test (test_modes),
  cmocka_unit_test (test_foreign),
  cmocka_unit_test (test_random_arguments),
  cmocka_unit_test (test_random_conditions),
};

UNIT_MAIN (cases)
