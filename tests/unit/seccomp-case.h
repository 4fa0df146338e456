/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of seccomp lists and filters share: the shipped lists, a filter made into a program
 * the way a runtime makes it, and a machine that runs the program.
 *
 * crun and runc give libseccomp one rule per name, and leave out names it does not know and rules that
 * say what the default says. seccomp_program does the same, and takes the instructions from libseccomp;
 * seccomp_run interprets them, so that every answer of the kernel can be asked for, on any architecture,
 * without making a single call.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>

#include "base-file.h"
#include "base-limits.h"
#include "plan-seccomp.h"
#include "profile-seccomp.h"
#include "unit.h"

/* What the kernel can answer. */
#define ALLOW             SECCOMP_RET_ALLOW
#define NO(name)          NO_NUMBER (E##name)
#define NO_NUMBER(errnum) (SECCOMP_RET_ERRNO | (uint32_t) (errnum))
#define KILL              SECCOMP_RET_KILL_THREAD

static const struct seccomp_machine {
  const char *name;
  uint32_t token, audit, foreign;
} machines[] = {
  { "x86_64", SCMP_ARCH_X86_64, AUDIT_ARCH_X86_64, AUDIT_ARCH_I386 },
  { "aarch64", SCMP_ARCH_AARCH64, AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM },
};

static const char *const list_names[] = { "default", "strict" };

static inline char *source_file (const char *name)
{
  const char *top = getenv ("TYRUM_OCI_TEST_SRCDIR");
  char *path = str_format ("%s/%s", top ? top : ".", name);

  assert_non_null (path);
  return path;
}

/* "strict" or "default". */
static inline struct seccomp_list *shipped_list (const char *name)
{
  cleanup_error struct error err = { 0 };
  cleanup_free char *relative = str_format ("profiles/seccomp/%s.json", name);
  cleanup_free char *path = source_file (relative);
  cleanup_free char *text = NULL;
  struct seccomp_list *list = NULL;
  size_t len;

  CHECK (file_read (AT_FDCWD, path, LIMIT_PROFILE_BYTES, &text, &len, &err) == 0
             && seccomp_list_parse (relative, text, len, &list, &err) == 0,
         "%s", error_text (&err));
  return list;
}

static inline struct seccomp_list *text_list (const char *text)
{
  cleanup_error struct error err = { 0 };
  struct seccomp_list *list = NULL;

  CHECK (seccomp_list_parse ("list.json", text, strlen (text), &list, &err) == 0, "%s", error_text (&err));
  return list;
}

static inline struct filter *build_filter (const struct seccomp_list *list, const struct strlist *extra,
                                           const char *machine)
{
  cleanup_error struct error err = { 0 };
  struct strlist none = { 0 };
  struct filter *filter = NULL;

  CHECK (filter_build (list, extra ? extra : &none, NULL, machine, &filter, &err) == 0, "%s",
         error_text (&err));
  return filter;
}

struct seccomp_program {
  struct sock_filter *code;
  size_t count;
};

static inline void seccomp_program_clear (struct seccomp_program *program)
{
  free (program->code);
}

#define cleanup_program cleanup (seccomp_program_clear)

static inline void add_to_libseccomp (scmp_filter_ctx ctx, uint32_t otherwise, const struct filter_rule *rule)
{
  uint32_t action = rule->allow ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO ((unsigned) rule->errnum);
  struct scmp_arg_cmp args[SECCOMP_ARGUMENTS];

  if (action == otherwise)
    return;
  for (size_t i = 0; i < rule->arg_count; i++)
    args[i] = (struct scmp_arg_cmp){ rule->args[i].index, SCMP_CMP_MASKED_EQ, rule->args[i].mask,
                                     rule->args[i].datum };
  for (size_t i = 0; i < rule->names.count; i++) {
    int number = seccomp_syscall_resolve_name (rule->names.items[i]);
    int r;

    if (number == __NR_SCMP_ERROR)
      continue;
    r = seccomp_rule_add_array (ctx, action, number, (unsigned) rule->arg_count, args);
    CHECK (r == 0, "libseccomp refuses '%s': %d", rule->names.items[i], r);
  }
}

static inline struct seccomp_program seccomp_program (const struct filter *filter)
{
  uint32_t otherwise = SCMP_ACT_ERRNO ((unsigned) filter->unknown_errnum);
  uint32_t token =
      strcmp (filter->architecture, "SCMP_ARCH_X86_64") == 0 ? SCMP_ARCH_X86_64 : SCMP_ARCH_AARCH64;
  scmp_filter_ctx ctx = seccomp_init (otherwise);
  struct seccomp_program program = { 0 };
  cleanup_close int fd = memfd_create ("bpf", MFD_CLOEXEC);
  off_t size;

  assert_non_null (ctx);
  if (token != seccomp_arch_native ()) {
    assert_int_equal (seccomp_arch_add (ctx, token), 0);
    assert_int_equal (seccomp_arch_remove (ctx, seccomp_arch_native ()), 0);
  }
  for (size_t i = 0; i < filter->rule_count; i++)
    add_to_libseccomp (ctx, otherwise, &filter->rules[i]);
  assert_int_equal (seccomp_export_bpf (ctx, fd), 0);
  seccomp_release (ctx);
  size = lseek (fd, 0, SEEK_END);
  assert_true (size > 0);
  program.count = (size_t) size / sizeof (*program.code);
  program.code = malloc ((size_t) size);
  assert_non_null (program.code);
  assert_int_equal (pread (fd, program.code, (size_t) size, 0), size);
  return program;
}

/* What the kernel would answer. Fails on an instruction that libseccomp has no reason to use. */
static inline uint32_t seccomp_run (const struct seccomp_program *program, const struct seccomp_data *data)
{
  uint32_t a = 0;

  for (size_t pc = 0; pc < program->count; pc++) {
    const struct sock_filter *i = &program->code[pc];
    bool taken = false;

    switch (i->code) {
    case BPF_LD | BPF_W | BPF_ABS:
      assert_true (i->k % 4 == 0 && i->k < sizeof (*data));
      memcpy (&a, (const char *) data + i->k, sizeof (a));
      continue;
    case BPF_ALU | BPF_AND | BPF_K: a &= i->k; continue;
    case BPF_RET | BPF_K: return i->k;
    case BPF_JMP | BPF_JA: pc += i->k; continue;
    case BPF_JMP | BPF_JEQ | BPF_K: taken = a == i->k; break;
    case BPF_JMP | BPF_JGT | BPF_K: taken = a > i->k; break;
    case BPF_JMP | BPF_JGE | BPF_K: taken = a >= i->k; break;
    case BPF_JMP | BPF_JSET | BPF_K: taken = (a & i->k) != 0; break;
    default: fail_msg ("instruction %zu: 0x%x", pc, i->code);
    }
    pc += taken ? i->jt : i->jf;
  }
  fail_msg ("the program has no end");
  return 0;
}
