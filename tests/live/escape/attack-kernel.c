/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attacks on the kernel's own paths: settings below /proc and /sys, and devices. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "attack.h"

#define ARRAY_LEN(array) (sizeof (array) / sizeof ((array)[0]))
#define PROC_MAGIC       0x9fa0

static int shows_something (const char *path)
{
  struct dirent *entry = NULL;
  struct stat st;
  char byte;
  DIR *directory;
  int fd;

  if (stat (path, &st) < 0)
    return 0;
  if (S_ISDIR (st.st_mode)) {
    directory = opendir (path);
    while (directory != NULL && (entry = readdir (directory)) != NULL && entry->d_name[0] == '.')
      ;
    return entry != NULL;
  }
  fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  return fd >= 0 && read (fd, &byte, 1) > 0;
}

void attack_masked_paths (void)
{
  static const char *const masked[] = {
    "/proc/kcore",  "/proc/keys",          "/proc/timer_list",  "/proc/sched_debug",
    "/proc/scsi",   "/proc/latency_stats", "/proc/timer_stats", "/proc/acpi",
    "/proc/asound", "/proc/interrupts",    "/sys/firmware",     "/sys/devices/virtual/powercap"
  };
  size_t i;

  for (i = 0; i < ARRAY_LEN (masked); i++)
    if (shows_something (masked[i]))
      escaped ("'%s' shows something", masked[i]);
  held ("open");
}

/* CVE-2025-31133: a masked path is a bind of /dev/null. Where that is something else, so is the mask. */
void attack_null (void)
{
  struct stat st;

  if (lstat ("/dev/null", &st) < 0)
    held ("/dev/null");
  if (!S_ISCHR (st.st_mode) || st.st_rdev != makedev (1, 3))
    escaped ("/dev/null is not the null device but %o", st.st_mode);
  if (reads_secret (AT_FDCWD, "/proc/kcore") || reads_secret (AT_FDCWD, "/dev/null"))
    escaped ("a masked path shows another file");
  errno = 0;
  held ("/dev/null");
}

/* CVE-2025-52565: what is bound to /dev/console is a terminal, or nothing. */
void attack_console (void)
{
  static const char *const names[] = { "/dev/console", "/dev/pts/0", "/dev/tty", "/dev/ptmx" };
  struct stat st;
  size_t i;

  for (i = 0; i < ARRAY_LEN (names); i++) {
    if (reads_secret (AT_FDCWD, names[i]))
      escaped ("'%s' shows another file", names[i]);
    if (stat (names[i], &st) == 0
        && (!S_ISCHR (st.st_mode) || (major (st.st_rdev) != 5 && major (st.st_rdev) != 136)))
      escaped ("'%s' is no terminal but %o", names[i], st.st_mode);
  }
  errno = 0;
  held ("/dev/console");
}

static int status_is (const char *line)
{
  char text[4096] = "";
  int fd = open ("/proc/self/status", O_RDONLY | O_CLOEXEC);
  ssize_t got = fd >= 0 ? read (fd, text, sizeof (text) - 1) : -1;

  return got > 0 && strstr (text, line) != NULL;
}

/* CVE-2025-52881: what a runtime wrote to /proc went somewhere else, and so did not happen. */
void attack_proc (void)
{
  static const char *const files[] = { "/proc", "/proc/self/attr/current", "/proc/sys/kernel/core_pattern",
                                       "/proc/self/status" };
  struct statfs fs;
  size_t i;

  for (i = 0; i < ARRAY_LEN (files); i++)
    if (statfs (files[i], &fs) == 0 && fs.f_type != PROC_MAGIC)
      escaped ("'%s' is not the kernel's", files[i]);
  if (!status_is ("\nSeccomp:\t2\n"))
    escaped ("there is no filter");
  if (!status_is ("\nNoNewPrivs:\t1\n"))
    escaped ("no_new_privileges is not set");
  errno = 0;
  held ("/proc");
}

/* That the file belongs to somebody else is not enough to hold it: the mount must be read-only as well. */
static void look_for_writable_mount (const char *path)
{
  struct statvfs fs;

  if (statvfs (path, &fs) == 0 && (fs.f_flag & ST_RDONLY) == 0)
    escaped ("only its owner holds '%s'", path);
}

/* Writes back what is there: nothing changes, whoever wins. */
void attack_core_pattern (void)
{
  const char *path = "/proc/sys/kernel/core_pattern";
  char text[256];
  int in = open (path, O_RDONLY | O_CLOEXEC), out = open (path, O_WRONLY | O_CLOEXEC);
  ssize_t got = in >= 0 ? read (in, text, sizeof (text)) : -1;

  if (out >= 0 && got > 0 && write (out, text, (size_t) got) == got)
    escaped ("the host's core_pattern can be written");
  look_for_writable_mount (path);
  held (path);
}

/* The first file below TOP that can be opened for writing. Nothing is written. Links are not followed. */
static void sweep (const char *top, int depth, long *left)
{
  char path[PATH_MAX];
  struct dirent *entry;
  struct stat st;
  DIR *directory = opendir (top);
  int fd;

  while (directory != NULL && (entry = readdir (directory)) != NULL && --*left > 0) {
    if (strcmp (entry->d_name, ".") == 0 || strcmp (entry->d_name, "..") == 0)
      continue;
    snprintf (path, sizeof (path), "%s/%s", top, entry->d_name);
    if (entry->d_type == DT_DIR && depth > 0)
      sweep (path, depth - 1, left);
    if (entry->d_type != DT_REG)
      continue;
    fd = open (path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    /* A masked file is the null device. */
    if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode))
      escaped ("'%s' can be opened for writing", path);
    if (fd >= 0)
      close (fd);
  }
  if (directory != NULL)
    closedir (directory);
}

void attack_proc_writes (void)
{
  static const char *const files[] = { "/proc/sysrq-trigger", "/proc/sys/kernel/modprobe",
                                       "/proc/sys/vm/drop_caches", "/proc/mtrr" };
  long left = 20000;
  size_t i;

  for (i = 0; i < ARRAY_LEN (files); i++)
    if (open (files[i], O_WRONLY | O_CLOEXEC) >= 0)
      escaped ("'%s' can be opened for writing", files[i]);
  sweep ("/proc/sys", 5, &left);
  sweep ("/proc/irq", 3, &left);
  sweep ("/proc/bus", 3, &left);
  sweep ("/proc/fs", 3, &left);
  look_for_writable_mount ("/proc/sys");
  look_for_writable_mount ("/proc/irq");
  held ("open");
}

void attack_sys_writes (void)
{
  long left = 40000;

  sweep ("/sys", 7, &left);
  look_for_writable_mount ("/sys/kernel");
  held ("open");
}

/* The kernel's log, read only: a device that harms nobody and belongs to the host. */
void attack_device_nodes (void)
{
  static const char *const directories[] = { "/workspace", "/tmp", "/dev", "/dev/shm", "/run", "/" };
  char path[64];
  int made, fd;
  size_t i;

  for (i = 0; i < ARRAY_LEN (directories); i++) {
    snprintf (path, sizeof (path), "%s/tyrum-escape-node", directories[i]);
    made = mknod (path, S_IFCHR | 0666, makedev (1, 11));
    fd = made == 0 ? open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (made == 0)
      unlink (path);
    if (fd >= 0)
      escaped ("a device node was made in '%s' and opened", directories[i]);
    if (made == 0)
      escaped ("a device node was made in '%s'", directories[i]);
  }
  held ("mknod");
}

/* What is there already, and opens. */
void attack_devices (void)
{
  static const char *const names[] = { "/dev/mem",    "/dev/kmem",  "/dev/port",    "/dev/kmsg",
                                       "/dev/vda",    "/dev/sda",   "/dev/nvme0n1", "/dev/loop-control",
                                       "/dev/kvm",    "/dev/vsock", "/dev/uinput",  "/dev/fuse",
                                       "/dev/net/tun" };
  size_t i;

  for (i = 0; i < ARRAY_LEN (names); i++)
    if (open (names[i], O_RDONLY | O_NONBLOCK | O_CLOEXEC) >= 0)
      escaped ("'%s' can be opened", names[i]);
  held ("open");
}
