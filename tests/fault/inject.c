/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a command and has one of its system calls fail, once; or sends it a signal when it comes to that call.
 *
 *   inject --log FILE [--call NAME --in ROLE --nth N {--error NUMBER | --signal NUMBER}] COMMAND [ARG...]
 *
 * Every process that comes of the command has a role: 0 is the command itself, 0.2 the second process that it
 * starts, and 0.2+1 that one after its first exec. Calls of one name are counted for each role from 1, so
 * (ROLE, NAME, N) means the same call in every run, whatever else happens at the same time. Without --call
 * nothing fails, and every call is written to FILE as
 *
 *   call ROLE PROGRAM NAME N
 *
 * With --call the file says what happened:
 *
 *   struck ROLE PROGRAM NAME N WORDS   the call was made; WORDS are arguments that could be read as text
 *   crashed ROLE PROGRAM SIGNAL        a process was ended by a signal that means a crash
 *
 * The exit code is that of the command, or 128 and its signal.
 *
 * A filter has the kernel stop only the calls that are asked for, and so the rest runs at its own pace. It is
 * a tracer and no notification, since a process can have only one listener and the container has one of its
 * own.
 */
#include <config.h>

#include <elf.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "processes.h"

#define FOLLOW                                                                                               \
  (PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE                    \
   | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

#ifndef __x86_64__
int main (void)
{
  return 77; /* the registers of other machines are not known here */
}
#else

static FILE *log_file;
static const char *wanted_role;
static int wanted_call = -1;
static unsigned wanted_nth;
static int wanted_error;
static int wanted_signal;
static pid_t command_pid; /* whom the signal is for */
static bool struck;

static void die (const char *what)
{
  perror (what);
  exit (99);
}

static void go_on (pid_t pid, int how, int signal_number)
{
  /* One that was killed meanwhile is told of by wait. */
  if (ptrace (how, pid, NULL, (void *) (long) signal_number) < 0 && errno != ESRCH)
    die ("ptrace");
}

static void say_text (pid_t pid, unsigned long address)
{
  char text[128] = "";
  struct iovec ours = { text, sizeof (text) - 1 }, theirs = { (void *) address, sizeof (text) - 1 };

  if (address < 4096 || process_vm_readv (pid, &ours, 1, &theirs, 1, 0) <= 0 || text[0] < ' ')
    return;
  fputc (' ', log_file);
  for (const char *c = text; *c >= ' ' && *c < 127; c++)
    fputc (*c, log_file);
}

static void note (const char *what, const struct process *process, const char *name, unsigned number)
{
  char role[ROLE_SIZE];

  process_role (process, role);
  fprintf (log_file, "%s %s %s %s %u", what, role, process->program, name, number);
}

static bool is_wanted (const struct process *process, long number, unsigned nth)
{
  char role[ROLE_SIZE];

  process_role (process, role);
  return !struck && number == wanted_call && nth == wanted_nth && strcmp (role, wanted_role) == 0;
}

/* The process is about to make a call. Answers how it goes on. */
static int on_call (struct process *process)
{
  struct user_regs_struct registers;
  struct iovec part = { &registers, sizeof (registers) };
  long number;
  unsigned nth;
  char *name;

  if (ptrace (PTRACE_GETREGSET, process->pid, (void *) NT_PRSTATUS, &part) < 0)
    return PTRACE_CONT;
  number = (long) registers.orig_rax;
  if (number < 0 || number >= CALLS_MAX)
    return PTRACE_CONT;
  nth = ++process->counts[number];
  name = seccomp_syscall_resolve_num_arch (SCMP_ARCH_NATIVE, (int) number);
  if (wanted_call < 0) {
    note ("call", process, name ? name : "unknown", nth);
    fputc ('\n', log_file);
  } else if (is_wanted (process, number, nth)) {
    struck = true;
    note ("struck", process, name, nth);
    say_text (process->pid, registers.rdi);
    say_text (process->pid, registers.rsi);
    fputc ('\n', log_file);
    fflush (log_file);
    free (name);
    if (wanted_signal != 0) {
      kill (command_pid, wanted_signal);
      return PTRACE_CONT;
    }
    /* The kernel lets the descriptor go whatever close says. */
    process->after = number == SYS_close;
    if (process->after)
      return PTRACE_SYSCALL;
    registers.orig_rax = (unsigned long) -1;
    registers.rax = (unsigned long) -wanted_error;
    ptrace (PTRACE_SETREGSET, process->pid, (void *) NT_PRSTATUS, &part);
    return PTRACE_CONT;
  }
  free (name);
  return PTRACE_CONT;
}

static void replace_result (struct process *process)
{
  struct user_regs_struct registers;
  struct iovec part = { &registers, sizeof (registers) };

  process->after = false;
  if (ptrace (PTRACE_GETREGSET, process->pid, (void *) NT_PRSTATUS, &part) < 0)
    return;
  registers.rax = (unsigned long) -wanted_error;
  ptrace (PTRACE_SETREGSET, process->pid, (void *) NT_PRSTATUS, &part);
}

static void on_child (struct process *parent)
{
  struct process *child;
  unsigned long pid = 0;

  if (ptrace (PTRACE_GETEVENTMSG, parent->pid, NULL, &pid) < 0)
    return;
  child = process_find ((pid_t) pid);
  process_name_child (parent, child);
  if (child->waiting) {
    child->waiting = false;
    go_on (child->pid, PTRACE_CONT, 0);
  }
}

/* A parent that was killed as it forked tells nobody of its child, which must not wait for that. */
static void release_orphan (struct process *process)
{
  if (!process->waiting || process_is_known (process->parent))
    return;
  process->waiting = false;
  process->named = true;
  snprintf (process->path, ROLE_SIZE, "orphan");
  go_on (process->pid, PTRACE_CONT, 0);
}

static void on_stop (struct process *process, int status)
{
  int event = status >> 16, signal_number = WSTOPSIG (status);

  if (!process->named) {
    process->waiting = true;
    process->parent = process_parent (process->pid);
    process_each (release_orphan);
    return;
  }
  switch (event) {
  case PTRACE_EVENT_SECCOMP: go_on (process->pid, on_call (process), 0); return;
  case PTRACE_EVENT_FORK:
  case PTRACE_EVENT_VFORK:
  case PTRACE_EVENT_CLONE: on_child (process); break;
  case PTRACE_EVENT_EXEC: process_executed (process); break;
  case PTRACE_EVENT_STOP:
    if (signal_number == SIGSTOP || signal_number == SIGTSTP || signal_number == SIGTTIN
        || signal_number == SIGTTOU) {
      go_on (process->pid, PTRACE_LISTEN, 0);
      return;
    }
    break;
  default:
    if (process->after && signal_number == SIGTRAP)
      replace_result (process);
    else {
      go_on (process->pid, PTRACE_CONT, signal_number);
      return;
    }
  }
  go_on (process->pid, PTRACE_CONT, 0);
}

static void on_end (const struct process *process, int status)
{
  static const int broken[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP };

  for (size_t i = 0; WIFSIGNALED (status) && i < sizeof (broken) / sizeof (broken[0]); i++)
    if (WTERMSIG (status) == broken[i]) {
      note ("crashed", process, strsignal (broken[i]), 0);
      fputc ('\n', log_file);
    }
}

static int follow (pid_t command)
{
  int status, answer = 99;
  pid_t pid;

  while ((pid = waitpid (-1, &status, __WALL)) > 0) {
    if (WIFSTOPPED (status)) {
      on_stop (process_find (pid), status);
      continue;
    }
    on_end (process_find (pid), status);
    process_forget (pid);
    process_each (release_orphan);
    if (pid == command)
      answer = WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
  }
  return answer;
}

static void stop_at_calls (void)
{
  struct sock_filter all[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, arch)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 3),
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (unsigned) wanted_call, 0, wanted_call < 0 ? 0 : 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_TRACE),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { sizeof (all) / sizeof (all[0]), all };

  if (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0)
    die ("seccomp");
}

static void start (char **command)
{
  raise (SIGSTOP);
  stop_at_calls ();
  execvp (command[0], command);
  die (command[0]);
}

static const char *option (int *argc, char ***argv, const char *name)
{
  if (*argc < 3 || strcmp ((*argv)[1], name) != 0)
    return NULL;
  *argc -= 2;
  *argv += 2;
  return (*argv)[0];
}

static void read_options (int *argc, char ***argv)
{
  const char *text = option (argc, argv, "--log");

  log_file = text ? fopen (text, "we") : NULL;
  text = option (argc, argv, "--call");
  if (text != NULL)
    wanted_call = seccomp_syscall_resolve_name_arch (SCMP_ARCH_NATIVE, text);
  wanted_role = option (argc, argv, "--in");
  text = option (argc, argv, "--nth");
  wanted_nth = text ? (unsigned) strtoul (text, NULL, 10) : 0;
  text = option (argc, argv, "--error");
  wanted_error = text ? (int) strtol (text, NULL, 10) : 0;
  text = option (argc, argv, "--signal");
  wanted_signal = text ? (int) strtol (text, NULL, 10) : 0;
  if (log_file == NULL || *argc < 2
      || (wanted_call >= 0 && (wanted_role == NULL || (wanted_error == 0) == (wanted_signal == 0)))) {
    fprintf (stderr,
             "usage: inject --log FILE [--call NAME --in ROLE --nth N {--error NUMBER | --signal NUMBER}] "
             "COMMAND...\n");
    exit (98);
  }
}

int main (int argc, char **argv)
{
  struct process *command;
  int status;
  pid_t pid;

  read_options (&argc, &argv);
  pid = fork ();
  if (pid == 0)
    start (argv + 1);
  if (pid < 0 || waitpid (pid, &status, WUNTRACED) != pid
      || ptrace (PTRACE_SEIZE, pid, NULL, (void *) (unsigned long) FOLLOW) < 0)
    die ("trace the command");
  command_pid = pid;
  command = process_find (pid);
  command->named = true;
  snprintf (command->path, ROLE_SIZE, "0");
  kill (pid, SIGCONT);
  status = follow (pid);
  fclose (log_file);
  return status;
}
#endif
