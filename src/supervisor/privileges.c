/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "supervisor-privileges.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-str.h"

#if defined __x86_64__
#define OUR_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define OUR_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* A leak checker traces its own process when it ends. */
#if defined __SANITIZE_ADDRESS__
#define LEAVES_PTRACE 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define LEAVES_PTRACE 1
#endif
#endif

static const int refused[] = {
  SYS_execve,
  SYS_execveat,
#ifndef LEAVES_PTRACE
  SYS_ptrace,
#endif
  SYS_process_vm_readv,
  SYS_process_vm_writev,
  SYS_pidfd_getfd,
  SYS_mount,
  SYS_umount2,
  SYS_pivot_root,
  SYS_chroot,
  SYS_open_tree,
  SYS_move_mount,
  SYS_fsopen,
  SYS_fspick,
  SYS_fsconfig,
  SYS_fsmount,
  SYS_mount_setattr,
  SYS_open_by_handle_at,
  SYS_setns,
  SYS_unshare,
  SYS_setuid,
  SYS_setgid,
  SYS_setreuid,
  SYS_setregid,
  SYS_setresuid,
  SYS_setresgid,
  SYS_setgroups,
  SYS_setfsuid,
  SYS_setfsgid,
  SYS_capset,
  SYS_bpf,
  SYS_perf_event_open,
  SYS_userfaultfd,
  SYS_io_uring_setup,
  SYS_keyctl,
  SYS_add_key,
  SYS_request_key,
  SYS_init_module,
  SYS_finit_module,
  SYS_delete_module,
  SYS_kexec_load,
  SYS_kexec_file_load,
  SYS_reboot,
  SYS_swapon,
  SYS_swapoff,
  SYS_sethostname,
  SYS_setdomainname,
  SYS_settimeofday,
  SYS_clock_settime,
  SYS_adjtimex,
  SYS_clock_adjtime,
  SYS_mknodat,
#ifdef __x86_64__
  SYS_mknod,
  SYS_iopl,
  SYS_ioperm,
#endif
};

#define NEW_NAMESPACES                                                                                       \
  (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)

static struct sock_filter load (uint32_t offset)
{
  return (struct sock_filter){ BPF_LD | BPF_W | BPF_ABS, 0, 0, offset };
}

static struct sock_filter answer (uint32_t what)
{
  return (struct sock_filter){ BPF_RET | BPF_K, 0, 0, what };
}

/* Skips as many instructions as YES or NO say. */
static struct sock_filter test (uint16_t how, uint32_t with, uint8_t yes, uint8_t no)
{
  return (struct sock_filter){ (uint16_t) (BPF_JMP | BPF_K | how), yes, no, with };
}

#define NO(errnum) ((uint32_t) SECCOMP_RET_ERRNO | (errnum))

enum { FIRST_X32 = 0x40000000 };

#ifdef OUR_ARCHITECTURE
static int compare (const void *left, const void *right)
{
  const int *a = left, *b = right;

  return (*a > *b) - (*a < *b);
}

/* NUMBERS, which are sorted, as a tree: when a filter is loaded the kernel walks it once for every number
 * that there is. Returns how many instructions it has. */
#define LEAF ((size_t) 4)

static size_t add_refused (struct sock_filter *code, const int *numbers, size_t count)
{
  size_t half = count / 2, n = 0;

  if (count > LEAF) {
    n = 1 + add_refused (code + 1, numbers, half);
    code[0] = test (BPF_JGE, (uint32_t) numbers[half], (uint8_t) (n - 1), 0);
    return n + add_refused (code + n, numbers + half, count - half);
  }
  for (size_t i = 0; i < count; i++) {
    code[n++] = test (BPF_JEQ, (uint32_t) numbers[i], 0, 1);
    code[n++] = answer (NO (EPERM));
  }
  code[n++] = answer (SECCOMP_RET_ALLOW);
  return n;
}
#endif

static int refuse_calls (void)
{
#ifdef OUR_ARCHITECTURE
  int numbers[ARRAY_LEN (refused)];
  struct sock_filter code[4 * ARRAY_LEN (refused) + 16];
  size_t n = 0;

  /* A jump skips up to 255 instructions; the longest is over half of the tree. */
  _Static_assert(2 * ARRAY_LEN (refused) < UINT8_MAX, "a tree with jumps that are too long");
  memcpy (numbers, refused, sizeof (numbers));
  qsort (numbers, ARRAY_LEN (numbers), sizeof (*numbers), compare);
  code[n++] = load (offsetof (struct seccomp_data, arch));
  code[n++] = test (BPF_JEQ, OUR_ARCHITECTURE, 1, 0);
  code[n++] = answer (NO (EPERM));
  code[n++] = load (offsetof (struct seccomp_data, nr));
  code[n++] = test (BPF_JGE, FIRST_X32, 0, 1);
  code[n++] = answer (NO (EPERM));
  /* What is behind a pointer cannot be judged; the C library goes on with the older call. */
  code[n++] = test (BPF_JEQ, SYS_clone3, 0, 1);
  code[n++] = answer (NO (ENOSYS));
  /* All flags are in the lower half of the first argument. */
  code[n++] = test (BPF_JEQ, SYS_clone, 0, 4);
  code[n++] = load (offsetof (struct seccomp_data, args[0]));
  code[n++] = test (BPF_JSET, NEW_NAMESPACES, 0, 1);
  code[n++] = answer (NO (EPERM));
  code[n++] = answer (SECCOMP_RET_ALLOW);
  n += add_refused (code + n, numbers, ARRAY_LEN (numbers));
  return prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
                &(const struct sock_fprog){ .len = (unsigned short) n, .filter = code })
                 < 0
             ? -errno
             : 0;
#else
  return -ENOSYS;
#endif
}

static int keep_capabilities (uint64_t wanted)
{
  struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct have[2], keep[2] = { 0 };

  if (syscall (SYS_capget, &header, have) < 0)
    return -errno;
  for (unsigned i = 0; i < 2; i++)
    keep[i].effective = keep[i].permitted = have[i].permitted & (uint32_t) (wanted >> 32 * i);
  return syscall (SYS_capset, &header, keep) < 0 ? -errno : 0;
}

int privileges_drop (bool keep_override, struct error *err)
{
  uint64_t wanted = UINT64_C (1) << CAP_KILL | UINT64_C (1) << CAP_DAC_READ_SEARCH;
  int r;

  if (keep_override)
    wanted |= UINT64_C (1) << CAP_DAC_OVERRIDE | UINT64_C (1) << CAP_FOWNER;
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
    return error_set_errno (err, errno, "promise never to gain privileges");
  r = keep_capabilities (wanted);
  if (r < 0)
    return error_set_errno (err, -r, "give capabilities up");
  r = refuse_calls ();
  return r < 0 ? error_set_errno (err, -r, "give system calls up") : 0;
}

/* By the mode bits alone, as for a root without privilege. An access list can say otherwise; then writing
 * fails, and the failure is told. */
static bool may_write (const struct stat *st)
{
  if (st->st_uid == geteuid ())
    return (st->st_mode & S_IWUSR) != 0;
  return (st->st_mode & (st->st_gid == getegid () ? S_IWGRP : S_IWOTH)) != 0;
}

bool privileges_own_directory (int fd)
{
  struct stat st;

  return fstat (fd, &st) == 0 && may_write (&st);
}

bool privileges_own_path (const char *path)
{
  struct stat st;

  return stat (path, &st) == 0 && may_write (&st);
}
