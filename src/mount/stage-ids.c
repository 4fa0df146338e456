/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Running without root: the user namespace comes first, and everything else happens in it.
 *
 * The child makes the namespace and asks; the supervisor, outside, writes the maps: several ranges through
 * newuidmap and newgidmap, which check what this user may have, or a single id directly.
 */
#include <config.h>

#include "mount-stage-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "mount-stage.h"

static int write_file (pid_t pid, const char *name, const char *text)
{
  cleanup_free char *path = str_format ("/proc/%d/%s", (int) pid, name);
  cleanup_close int fd = path ? open (path, O_WRONLY | O_CLOEXEC) : -1;

  if (fd < 0)
    return path ? -errno : -ENOMEM;
  return write (fd, text, strlen (text)) == (ssize_t) strlen (text) ? 0 : -errno;
}

int stage_write_id (pid_t pid, const char *name, uint32_t inside, uint32_t outside)
{
  char text[64];

  snprintf (text, sizeof (text), "%" PRIu32 " %" PRIu32 " 1\n", inside, outside);
  return write_file (pid, name, text);
}

static int run_mapper (const char *program, pid_t pid, const struct plan_id_map *maps, size_t count)
{
  char words[2 + 3 * PLAN_ID_MAPS][16];
  char *argv[3 + 3 * PLAN_ID_MAPS] = { NULL };
  size_t n = 0;
  int status = 0;
  pid_t child;

  snprintf (words[n], sizeof (words[n]), "%s", strrchr (program, '/') + 1);
  n++;
  snprintf (words[n++], sizeof (words[0]), "%d", (int) pid);
  for (size_t i = 0; i < count; i++) {
    snprintf (words[n++], sizeof (words[0]), "%" PRIu32, maps[i].inside);
    snprintf (words[n++], sizeof (words[0]), "%" PRIu32, maps[i].outside);
    snprintf (words[n++], sizeof (words[0]), "%" PRIu32, maps[i].count);
  }
  for (size_t i = 0; i < n; i++)
    argv[i] = words[i];
  child = fork ();
  if (child == 0) {
    execv (program, argv);
    _exit (127);
  }
  if (child < 0 || waitpid (child, &status, 0) != child)
    return -errno;
  if (WIFEXITED (status) && WEXITSTATUS (status) == 127)
    return -ENOENT;
  return WIFEXITED (status) && WEXITSTATUS (status) == 0 ? 0 : -EPERM;
}

int stage_write_maps (const struct launch *launch, pid_t pid, struct error *err)
{
  int r;

  if (launch->uid_map_count > 1 || launch->gid_map_count > 1) {
    r = run_mapper ("/usr/bin/newuidmap", pid, launch->uid_maps, launch->uid_map_count);
    if (r == 0)
      r = run_mapper ("/usr/bin/newgidmap", pid, launch->gid_maps, launch->gid_map_count);
    if (r < 0)
      return error_set_errno (err, -r, "map subordinate ids with newuidmap and newgidmap (package uidmap)");
    return 0;
  }
  r = stage_write_id (pid, "uid_map", launch->uid_maps[0].inside, launch->uid_maps[0].outside);
  /* Required by the kernel: otherwise a process could drop a group that denies it access. */
  if (r == 0)
    r = write_file (pid, "setgroups", "deny");
  if (r == 0)
    r = stage_write_id (pid, "gid_map", launch->gid_maps[0].inside, launch->gid_maps[0].outside);
  return r < 0 ? error_set_errno (err, -r, "map ids") : 0;
}

int stage_ids (const struct launch *launch, int report, struct error *err)
{
  char answer = 0;
  bool groups = true;

  if (unshare (CLONE_NEWUSER) < 0)
    return error_set_errno (err, errno, "make a user namespace");
  if (send (report, STAGE_MAP_ME, sizeof (STAGE_MAP_ME), MSG_NOSIGNAL) < 0
      || recv (report, &answer, 1, 0) != 1)
    return error_set_errno (err, errno ? errno : EPIPE, "get ids mapped by the supervisor");
  /* With a single id mapped the kernel refuses setgroups. */
  if (launch->gid_map_count == 1 && launch->gid_maps[0].count == 1)
    groups = false;
  if ((groups && setgroups (0, NULL) < 0) || setresgid (0, 0, 0) < 0 || setresuid (0, 0, 0) < 0)
    return error_set_errno (err, errno, "become root of the user namespace");
  return 0;
}
