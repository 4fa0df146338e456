#include <config.h>

#include "libcrun-helper-remount.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base-cleanup.h"

#define WANTED (ST_NOSUID | ST_NODEV)

static int open_of (pid_t pid, const char *name, int flags)
{
  char path[64];

  snprintf (path, sizeof (path), "/proc/%d/%s", (int) pid, name);
  return open (path, flags | O_CLOEXEC);
}

bool helper_root_wants_remount (pid_t pid)
{
  cleanup_close int root = open_of (pid, "root", O_PATH | O_DIRECTORY);
  struct statvfs st;

  return root >= 0 && fstatvfs (root, &st) == 0 && (st.f_flag & WANTED) != WANTED;
}

/* What the mount has already must be said again, or it goes. */
static unsigned long flags_of (const struct statvfs *st)
{
  static const struct {
    unsigned long seen, flag;
  } known[] = {
    { ST_RDONLY, MS_RDONLY },     { ST_NOEXEC, MS_NOEXEC },         { ST_NOATIME, MS_NOATIME },
    { ST_RELATIME, MS_RELATIME }, { ST_NODIRATIME, MS_NODIRATIME },
  };
  unsigned long flags = MS_NOSUID | MS_NODEV;

  for (size_t i = 0; i < sizeof (known) / sizeof (*known); i++)
    if ((st->f_flag & known[i].seen) != 0)
      flags |= known[i].flag;
  return flags & (MS_NOATIME | MS_RELATIME) ? flags : flags | MS_STRICTATIME;
}

static bool is_namespace_of (pid_t pid, int ns)
{
  cleanup_close int theirs = open_of (pid, "ns/mnt", O_RDONLY);
  struct stat a, b;

  /* What cannot be compared is left alone. */
  return theirs < 0 || fstat (theirs, &a) < 0 || fstat (ns, &b) < 0
         || (a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

int helper_remount_root (pid_t pid, pid_t supervisor)
{
  cleanup_close int ns = open_of (pid, "ns/mnt", O_RDONLY);
  struct statvfs st;

  /* If the process were gone, its number could be another's: that of the host is not touched. */
  if (ns >= 0 && (is_namespace_of (supervisor, ns) || is_namespace_of (getpid (), ns)))
    return -ESTALE;
  if (ns < 0 || setns (ns, CLONE_NEWNS) < 0 || statvfs ("/", &st) < 0
      || mount (NULL, "/", NULL, MS_REMOUNT | MS_BIND | flags_of (&st), NULL) < 0)
    return -errno;
  return 0;
}
