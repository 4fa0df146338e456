/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "daemon-peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-str.h"

#define STATUS_MAX ((size_t) 64 * 1024)

/* Since Linux 6.5. */
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

bool peer_is_same_user (int connection, pid_t *ret_pid)
{
  struct ucred peer;
  socklen_t size = sizeof (peer);

  if (getsockopt (connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.uid != geteuid ()
      || peer.pid <= 0)
    return false;
  *ret_pid = peer.pid;
  return true;
}

static char *read_text (int proc, const char *name)
{
  struct error ignored = { 0 };
  char *text = NULL;

  if (file_read (proc, name, STATUS_MAX, &text, NULL, &ignored) < 0)
    text = NULL;
  error_clear (&ignored);
  return text;
}

/* The value of the line "NAME: VALUE"; NULL: there is no such line. */
static char *field (const char *status, const char *name)
{
  size_t len = strlen (name);

  for (const char *line = status; line != NULL; line = strchr (line, '\n') ? strchr (line, '\n') + 1 : NULL)
    if (strncmp (line, name, len) == 0 && line[len] == ':') {
      const char *value = line + len + 1 + strspn (line + len + 1, " \t");

      return strndup (value, strcspn (value, "\n"));
    }
  return NULL;
}

static bool same_field (const char *theirs, const char *ours, const char *name)
{
  cleanup_free char *a = field (theirs, name);
  cleanup_free char *b = field (ours, name);

  return a != NULL && b != NULL && strcmp (a, b) == 0;
}

static bool is_zero (const char *status, const char *name)
{
  cleanup_free char *value = field (status, name);

  return str_equal (value, "0");
}

static const char *const places[] = { "ns/mnt", "ns/user", "ns/pid",  "ns/pid_for_children",  "ns/net",
                                      "ns/ipc", "ns/uts",  "ns/time", "ns/time_for_children", "ns/cgroup" };

/* Only this process could change these, and never does: read once. */
static struct self {
  bool known;
  struct stat places[ARRAY_LEN (places)];
  char *status, *label, *login;
} self;

static bool know_self (void)
{
  cleanup_close int proc = -1;

  if (self.known)
    return true;
  proc = open ("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0)
    return false;
  for (size_t i = 0; i < ARRAY_LEN (places); i++)
    if (fstatat (proc, places[i], &self.places[i], 0) < 0)
      return false;
  free (self.status);
  free (self.label);
  free (self.login);
  self.status = read_text (proc, "status");
  /* Not on every kernel. */
  self.label = read_text (proc, "attr/current");
  self.login = read_text (proc, "loginuid");
  self.known = self.status != NULL;
  return self.known;
}

static bool same_place (int theirs, size_t i)
{
  struct stat st;

  return fstatat (theirs, places[i], &st, 0) == 0 && st.st_dev == self.places[i].st_dev
         && st.st_ino == self.places[i].st_ino;
}

static bool has_text (int theirs, const char *name, const char *ours)
{
  cleanup_free char *text = read_text (theirs, name);

  return str_equal (text, ours);
}

/* Read each time: another process in the mount namespace can change the root (pivot_root). */
static bool same_root (int theirs)
{
  struct stat a, b;

  return fstatat (theirs, "root", &a, 0) == 0 && stat ("/proc/self/root", &b) == 0 && a.st_dev == b.st_dev
         && a.st_ino == b.st_ino;
}

/* Read each time: other processes can move this one. */
static bool same_group (int theirs)
{
  cleanup_free char *ours = read_text (AT_FDCWD, "/proc/self/cgroup");

  return has_text (theirs, "cgroup", ours);
}

/* A caller with fewer privileges must not gain any; one with more can do what this process cannot. */
static bool same_status (int theirs_fd)
{
  static const char *const equal[] = { "CapInh", "CapPrm", "CapEff", "CapBnd",
                                       "CapAmb", "Uid",    "Gid",    "Groups" };
  cleanup_free char *theirs = read_text (theirs_fd, "status");

  if (theirs == NULL)
    return false;
  /* Root's supplementary groups grant nothing, and differ between login sessions. */
  for (size_t i = 0; i < ARRAY_LEN (equal) - (geteuid () == 0 ? 1 : 0); i++)
    if (!same_field (theirs, self.status, equal[i]))
      return false;
  /* no_new_privs is also required for most uses of Landlock, whose domains the kernel does not show. */
  return is_zero (theirs, "NoNewPrivs") && is_zero (theirs, "Seccomp");
}

/* If the caller has ended, its process id may have been reused while /proc was read. */
static bool is_still_there (int connection)
{
  cleanup_close int process = -1;
  socklen_t size = sizeof (process);
  struct pollfd gone;

  if (getsockopt (connection, SOL_SOCKET, SO_PEERPIDFD, &process, &size) < 0) {
    process = -1;
    return errno == ENOPROTOOPT; /* before Linux 6.5: rely on the process id */
  }
  gone = (struct pollfd){ process, POLLIN, 0 };
  return poll (&gone, 1, 0) == 0;
}

/* CPU and I/O scheduling, which commands inherit. */
static bool same_schedule (pid_t pid)
{
  const int one_process = 1; /* IOPRIO_WHO_PROCESS */
  struct sched_param ours, theirs;
  int policy = sched_getscheduler (pid);

  return policy >= 0 && policy == sched_getscheduler (0) && sched_getparam (pid, &theirs) == 0
         && sched_getparam (0, &ours) == 0 && theirs.sched_priority == ours.sched_priority
         && syscall (SYS_ioprio_get, one_process, pid) == syscall (SYS_ioprio_get, one_process, 0);
}

bool peer_is_like_us (int connection, pid_t pid)
{
  char path[32];
  cleanup_close int theirs = -1;

  snprintf (path, sizeof (path), "/proc/%d", (int) pid);
  theirs = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (theirs < 0 || !know_self ())
    return false;
  for (size_t i = 0; i < ARRAY_LEN (places); i++)
    if (!same_place (theirs, i))
      return false;
  /* Without root a run's cgroup is below that of its supervisor. */
  return same_root (theirs) && same_status (theirs) && has_text (theirs, "attr/current", self.label)
         && has_text (theirs, "loginuid", self.login) && (geteuid () == 0 || same_group (theirs))
         && same_schedule (pid) && is_still_there (connection);
}
