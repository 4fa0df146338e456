/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attacks by privileges: those of files, those that are left over, and what cgroups give. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

#define NAMESPACES (0x10000000 | 0x00020000 | 0x02000000) /* user, mount, cgroup */
#define NOBODY     10001

/* A set of capabilities by its name in /proc/self/status. */
static unsigned long long capabilities (const char *name)
{
  char line[256];
  unsigned long long set = 0;
  FILE *status = fopen ("/proc/self/status", "re");

  while (status != NULL && fgets (line, sizeof (line), status) != NULL)
    if (strncmp (line, name, strlen (name)) == 0)
      set = strtoull (line + strlen (name), NULL, 16);
  if (status != NULL)
    fclose (status);
  return set;
}

/* CVE-2022-0492: who may write a release_agent has a program of theirs run by the host. It is opened, never
 * written. */
static void look_for_release_agents (const char *top, int depth)
{
  char path[4096];
  struct dirent *entry;
  DIR *directory = opendir (top);

  while (directory != NULL && (entry = readdir (directory)) != NULL) {
    snprintf (path, sizeof (path), "%s/%s", top, entry->d_name);
    if (strcmp (entry->d_name, "release_agent") == 0 && open (path, O_WRONLY | O_CLOEXEC) >= 0)
      escaped ("'%s' can be opened for writing", path);
    if (entry->d_type == DT_DIR && depth > 0 && entry->d_name[0] != '.')
      look_for_release_agents (path, depth - 1);
  }
  if (directory != NULL)
    closedir (directory);
}

void attack_release_agent (void)
{
  look_for_release_agents ("/sys/fs/cgroup", 2);
  held ("release_agent");
}

/* One that exists is mounted once more, and at once unmounted. */
static void mount_cgroups (const char *how)
{
  static const char *const kinds[][2] = { { "cgroup", "memory" }, { "cgroup", "pids" }, { "cgroup2", NULL } };
  const char *where = "/tmp/tyrum-escape-cgroup";
  size_t i;

  mkdir (where, 0700);
  for (i = 0; i < sizeof (kinds) / sizeof (kinds[0]); i++)
    if (mount ("none", where, kinds[i][0], 0, kinds[i][1]) == 0) {
      umount2 (where, MNT_DETACH);
      rmdir (where);
      escaped ("%s was mounted %s", kinds[i][0], how);
    }
  rmdir (where);
}

void attack_cgroup_mount (void)
{
  int wrong;

  mount_cgroups ("as we are");
  wrong = errno;
  if (syscall (SYS_unshare, NAMESPACES) == 0)
    mount_cgroups ("in a user namespace");
  errno = wrong;
  held ("mount cgroup");
}

/* CVE-2022-27650: inheritable capabilities, which files with the same ones turn into real ones. */
void attack_inheritable (void)
{
  static const char *const sets[] = { "CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:" };
  size_t i;

  for (i = 0; i < sizeof (sets) / sizeof (sets[0]); i++)
    if (capabilities (sets[i]) != 0)
      escaped ("%s %#llx", sets[i], capabilities (sets[i]));
  errno = 0;
  held ("capabilities");
}

int tell_privileges (void)
{
  puts (geteuid () == 0 || getegid () == 0 || capabilities ("CapEff:") != 0 ? "raised" : "plain");
  return 0;
}

/* What PROGRAM, a copy of this one with something about it that raises privileges, gets from an ordinary
 * user. */
static void execute_raised (const char *program)
{
  char *const argv[] = { (char *) program, "--privileges", NULL };
  char answer[16] = "";
  int ends[2], status = 0;
  pid_t pid;

  if (getuid () == 0
      && (syscall (SYS_setresgid, NOBODY, NOBODY, NOBODY) < 0
          || syscall (SYS_setresuid, NOBODY, NOBODY, NOBODY) < 0))
    held ("setresuid");
  if (pipe (ends) < 0 || (pid = fork ()) < 0)
    held ("fork");
  if (pid == 0) {
    dup2 (ends[1], STDOUT_FILENO);
    execv (program, argv);
    _exit (errno);
  }
  close (ends[1]);
  if (read (ends[0], answer, sizeof (answer) - 1) < 0)
    answer[0] = '\0';
  waitpid (pid, &status, 0);
  if (strncmp (answer, "raised", 6) == 0)
    escaped ("'%s' raised us", program);
  /* No answer at all proves nothing, as the program may not be there; but the kernel refuses one that it
   * cannot raise. */
  errno = WIFEXITED (status) ? WEXITSTATUS (status) : 0;
  if (strncmp (answer, "plain", 5) == 0 || errno == EPERM)
    held (program);
}

void attack_file_capabilities (void)
{
  execute_raised ("./attack-capable");
}

void attack_setuid (void)
{
  execute_raised ("./attack-setuid");
}

/* A setuid file in the workspace is one on the host. */
void attack_make_setuid (void)
{
  const char *path = "tyrum-escape-setuid";
  struct stat st = { 0 };
  int fd = open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 04755), wrong;

  if (fd < 0)
    fd = open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
  fchmod (fd, 04755);
  chmod (path, 04755);
  wrong = errno;
  stat (path, &st);
  unlink (path);
  if (st.st_mode & S_ISUID)
    escaped ("a setuid file was made in the workspace");
  errno = wrong;
  held ("chmod");
}

/* Bits that the kernel reads neither of flags nor of a mode. */
#define UNREAD 0x5a5a5a5a00000000L

/* By the call itself: a C library has only what it takes for a mode. */
static void create_setuid (const char *name, long flags, long mode)
{
  struct stat st = { 0 };
  int fd = (int) syscall (SYS_openat, AT_FDCWD, name, flags | UNREAD, mode | UNREAD), wrong = errno;

  fstat (fd, &st);
  if ((flags & O_CREAT) != 0)
    unlink (name);
  if (st.st_mode & (S_ISUID | S_ISGID))
    escaped ("a file with mode %o was made in the workspace", (unsigned) st.st_mode & 07777);
  errno = wrong;
}

void attack_create_setuid (void)
{
  create_setuid ("tyrum-escape-setgid", O_WRONLY | O_CREAT | O_EXCL, 02755);
  create_setuid ("tyrum-escape-setuid", O_WRONLY | O_CREAT | O_EXCL, 04755);
  held ("openat");
}

void attack_tmpfile_setuid (void)
{
  create_setuid (".", O_WRONLY | O_TMPFILE, 02755);
  create_setuid (".", O_WRONLY | O_TMPFILE, 04755);
  held_unless (EOPNOTSUPP, "openat");
}

int open_unused_mode (const char *path)
{
  long modes[] = { 06777, 04000, 02000, -1, UNREAD };
  size_t i;

  for (i = 0; i < sizeof (modes) / sizeof (modes[0]); i++) {
    int fd = (int) syscall (SYS_openat, AT_FDCWD, path, (long) O_RDONLY | O_CLOEXEC, modes[i]);
#ifdef SYS_open
    int old = (int) syscall (SYS_open, path, (long) O_RDONLY | O_CLOEXEC, modes[i]);
#else
    int old = fd;
#endif

    if (fd < 0 || old < 0) {
      printf ("mode %lo: %s\n", modes[i], strerror (errno));
      return 1;
    }
  }
  puts ("opened");
  return 0;
}
