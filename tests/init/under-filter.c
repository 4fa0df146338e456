/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a command under a seccomp filter.
 *
 *   under-filter strict COMMAND [ARG...]     one of the shipped lists, as a runtime would load it
 *   under-filter -CALL COMMAND [ARG...]      as on a kernel that does not have the system call CALL
 *   under-filter -CALL=N COMMAND [ARG...]    the call fails with errno N
 *   under-filter -CALL! COMMAND [ARG...]     the call ends its process
 */
#include <config.h>

#include <sys/prctl.h>
#include <sys/utsname.h>

#include "seccomp-case.h"

/* What stands behind the name becomes what the filter says; the name is cut off there. */
static uint32_t action_of (char *call)
{
  size_t end = strcspn (call, "=!");
  uint32_t action = SECCOMP_RET_ERRNO | ENOSYS;

  if (call[end] == '=')
    action = SECCOMP_RET_ERRNO | ((uint32_t) strtoul (call + end + 1, NULL, 10) & SECCOMP_RET_DATA);
  else if (call[end] == '!')
    action = SECCOMP_RET_KILL_PROCESS;
  call[end] = '\0';
  return action;
}

static struct seccomp_program program_without (char *call)
{
  uint32_t action = action_of (call);
  int number = seccomp_syscall_resolve_name (call);
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (uint32_t) number, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, action),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct seccomp_program program = { .code = malloc (sizeof code), .count = ARRAY_LEN (code) };

  if (number < 0 || !program.code) {
    fprintf (stderr, "under-filter: no system call '%s'\n", call);
    exit (2);
  }
  memcpy (program.code, code, sizeof code);
  return program;
}

static struct seccomp_program program_of_list (const char *name)
{
  cleanup_seccomp_list struct seccomp_list *list = shipped_list (name);
  struct utsname machine;

  if (uname (&machine) < 0)
    exit (2);
  cleanup_filter struct filter *filter = build_filter (list, NULL, machine.machine);
  return seccomp_program (filter);
}

int main (int argc, char **argv)
{
  if (argc < 3) {
    fputs ("usage: under-filter LIST|-CALL[=N|!] COMMAND [ARG...]\n", stderr);
    return 2;
  }
  cleanup_program struct seccomp_program program =
      argv[1][0] == '-' ? program_without (argv[1] + 1) : program_of_list (argv[1]);
  struct sock_fprog filter = { .len = (unsigned short) program.count, .filter = program.code };

  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0
      || prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0) {
    perror ("under-filter: cannot load the filter");
    return 2;
  }
  execvp (argv[2], argv + 2);
  perror (argv[2]);
  return 2;
}
