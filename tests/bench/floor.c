/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The least that a container can cost: namespaces, id maps, mounts, a new root, no privileges, a filter, and
 * the command.
 *
 *   floor ROOT WORKSPACE FILTER COMMAND [ARG...]
 *
 * All is fixed, nothing is checked beforehand, nothing is proven and nothing is recorded; there is no cgroup
 * and no path is masked. FILTER is a compiled filter. It is a yardstick and not a sandbox: do not use it for
 * anything else.
 */
#include "config.h"

#include <err.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST_ID        "0 1879048192 65536\n"
#define USER            10001
#define LAST_CAPABILITY 63

static struct sock_filter instructions[BPF_MAXINSNS];
static struct sock_fprog program = { .filter = instructions };

static void write_text (const char *path, const char *text, size_t length)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);

  if (fd < 0 || write (fd, text, length) != (ssize_t) length)
    err (1, "%s", path);
  close (fd);
}

static void hang_up (const char *source, const char *target, const char *type, unsigned long flags,
                     const char *data)
{
  if (mount (source, target, type, flags, data) < 0)
    err (1, "mount %s", target);
}

static void filter_read (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  ssize_t size = fd < 0 ? -1 : read (fd, instructions, sizeof instructions);

  if (size <= 0)
    err (1, "%s", path);
  close (fd);
  program.len = (unsigned short) ((size_t) size / sizeof *instructions);
}

/* In the new namespaces, as their root: the same mounts as the hardened profile's, as far as they are mounts
 * of their own. */
static void root_enter (const char *root, const char *workspace)
{
  const unsigned long plain = MS_NOSUID | MS_NODEV | MS_NOEXEC;

  hang_up (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
  hang_up (root, root, NULL, MS_BIND | MS_REC, NULL);
  if (chdir (root) < 0)
    err (1, "%s", root);
  hang_up ("proc", "proc", "proc", plain, NULL);
  hang_up ("tmpfs", "dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=755,size=65536");
  hang_up ("sysfs", "sys", "sysfs", plain | MS_RDONLY, NULL);
  hang_up ("tmpfs", "tmp", "tmpfs", plain, "mode=1777,size=67108864");
  hang_up (workspace, "workspace", NULL, MS_BIND | MS_REC, NULL);
  hang_up (NULL, "workspace", NULL, MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV, NULL);
  if (syscall (SYS_pivot_root, ".", ".") < 0 || umount2 (".", MNT_DETACH) < 0 || chdir ("/workspace") < 0)
    err (1, "the new root");
  hang_up (NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL);
}

static void privileges_drop (void)
{
  const struct rlimit files = { 1024, 1024 }, none = { 0, 0 };

  for (int capability = 0; capability <= LAST_CAPABILITY; capability++)
    if (prctl (PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
      break;
  if (setrlimit (RLIMIT_NOFILE, &files) < 0 || setrlimit (RLIMIT_CORE, &none) < 0
      || syscall (SYS_setgroups, 0, NULL) < 0 || syscall (SYS_setresgid, USER, USER, USER) < 0
      || syscall (SYS_setresuid, USER, USER, USER) < 0 || prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
    err (1, "privileges");
  if (syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
    err (1, "seccomp");
}

static void child (char **argv, int go)
{
  static char home[] = "HOME=/workspace", lang[] = "LANG=C.UTF-8",
              path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
  static char *environment[] = { home, lang, path, NULL };
  char word;

  if (read (go, &word, 1) != 1 || setuid (0) < 0 || setgid (0) < 0 || sethostname ("tyrum", 5) < 0)
    err (1, "the new namespaces");
  root_enter (argv[1], argv[2]);
  privileges_drop ();
  execve (argv[4], argv + 4, environment);
  err (127, "%s", argv[4]);
}

int main (int argc, char **argv)
{
  const unsigned long namespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC
                                   | CLONE_NEWUTS | CLONE_NEWCGROUP;
  char path[64];
  int pair[2], status;

  if (argc < 5)
    errx (2, "usage: floor ROOT WORKSPACE FILTER COMMAND [ARG...]");
  if (pipe2 (pair, O_CLOEXEC) < 0)
    err (1, "pipe");
  filter_read (argv[3]); /* as long as the host's files are in sight */

  pid_t pid = (pid_t) syscall (SYS_clone, namespaces | SIGCHLD, NULL, NULL, NULL, NULL);
  if (pid < 0)
    err (1, "clone");
  if (pid == 0)
    child (argv, pair[0]);

  snprintf (path, sizeof path, "/proc/%d/uid_map", (int) pid);
  write_text (path, FIRST_ID, sizeof FIRST_ID - 1);
  snprintf (path, sizeof path, "/proc/%d/gid_map", (int) pid);
  write_text (path, FIRST_ID, sizeof FIRST_ID - 1);
  if (write (pair[1], "g", 1) != 1 || waitpid (pid, &status, 0) != pid)
    err (1, "the command");
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}
