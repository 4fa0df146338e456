/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "mount-stage-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"

/* Kernels before 5.6, and filters that do not know the call: one component at a time, none of them a link. */
static int open_by_steps (int directory, const char *path)
{
  cleanup_close int fd = fcntl (directory, F_DUPFD_CLOEXEC, 0);

  for (const char *p = path; fd >= 0 && *p != '\0';) {
    size_t len = strcspn (p, "/");
    cleanup_free char *name = strndup (p, len);
    int next = name ? openat (fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
    char link[2];

    if (next < 0)
      return name ? -errno : -ENOMEM;
    if (readlinkat (next, "", link, sizeof (link)) >= 0) {
      close (next);
      return -ELOOP;
    }
    close (fd);
    fd = next;
    p += len + (p[len] == '/');
  }
  return fd < 0 ? -errno : take_fd (&fd);
}

int mount_open_beneath (int directory, const char *path)
{
  struct open_how how = { .flags = O_PATH | O_CLOEXEC,
                          .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH };
  int fd = (int) syscall (SYS_openat2, directory, path, &how, sizeof (how));

  if (fd >= 0)
    return fd;
  return errno == ENOSYS ? open_by_steps (directory, path) : -errno;
}

int mount_open_source (const char *path, struct error *err)
{
  cleanup_close int root = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  int fd = root < 0 ? -errno : mount_open_beneath (root, path[1] != '\0' ? path + 1 : ".");

  if (fd == -ELOOP)
    return error_set (err, fd, "open '%s': a link has appeared on the way since it was looked at", path);
  return fd < 0 ? error_set_errno (err, -fd, "open '%s'", path) : fd;
}

static int set_attributes (int tree, const char *target, uint64_t more, int idmap_fd, struct error *err)
{
  /* Of a tree that goes straight from the host's namespace into a container's nothing may be passed on. */
  struct mount_attr attr = { .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | more,
                             .propagation = MS_PRIVATE };

  if (idmap_fd >= 0) {
    attr.attr_set |= MOUNT_ATTR_IDMAP;
    attr.userns_fd = (uint64_t) idmap_fd;
  }
  if (syscall (SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof (attr)) == 0)
    return 0;
  if (errno == ENOSYS && idmap_fd < 0)
    return -ENOSYS;
  return error_set_errno (err, errno, idmap_fd >= 0 ? "map the ids of '%s'" : "set the flags of '%s'",
                          target);
}

int mount_descriptor (int fd, const char *target, uint64_t more, int idmap_fd, struct error *err)
{
  cleanup_close int tree = (int) syscall (SYS_open_tree, fd, "",
                                          OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
  int r;

  if (tree < 0 && (errno != ENOSYS || idmap_fd >= 0))
    return error_set_errno (err, errno, idmap_fd >= 0 ? "map the ids of '%s'" : "take a mount for '%s'",
                            target);
  r = tree < 0 ? -ENOSYS : set_attributes (tree, target, more, idmap_fd, err);
  if (r == -ENOSYS && !error_is_set (err))
    return mount_by_bind (fd, target, more, err);
  if (r < 0)
    return r;
  if (syscall (SYS_move_mount, tree, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) < 0)
    return error_set_errno (err, errno, "mount on '%s'", target);
  return 0;
}

int mount_take (int fd, const char *target, uint64_t more, int idmap_fd, struct error *err)
{
  cleanup_close int tree = (int) syscall (SYS_open_tree, fd, "",
                                          OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
  int r;

  if (tree < 0)
    return error_set_errno (err, errno, "take a mount for '%s'", target);
  r = set_attributes (tree, target, more, idmap_fd, err);
  if (r < 0)
    return error_is_set (err) ? r : error_set_errno (err, -r, "set the flags of '%s'", target);
  return take_fd (&tree);
}

int mount_filesystem (const struct launch *launch, const char *type, const char *target, const char *options,
                      struct error *err)
{
  cleanup_free char *name = str_format ("tyrum-oci-%s", launch->run_id);

  if (name == NULL)
    return error_oom (err);
  if (mount (name, target, type, MS_NOSUID | MS_NODEV, options) < 0)
    return error_set_errno (err, errno, "mount %s on '%s'", type, target);
  return 0;
}

static int write_map (pid_t pid, const char *name, uint32_t from, uint32_t to)
{
  cleanup_free char *path = str_format ("/proc/%d/%s", (int) pid, name);
  cleanup_close int fd = path ? open (path, O_WRONLY | O_CLOEXEC) : -1;
  char map[64];
  int len = snprintf (map, sizeof (map), "%" PRIu32 " %" PRIu32 " 1\n", from, to);

  if (fd < 0)
    return path ? -errno : -ENOMEM;
  return write (fd, map, (size_t) len) == len ? 0 : -errno;
}

/* A namespace lives as long as somebody is in it or holds it open: a child waits until we do. */
static void __attribute__ ((noreturn)) be_in_namespace (pid_t parent, int ready)
{
  /* Whoever waits for nobody would hold the run's lock for ever. */
  bool made = prctl (PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid () == parent && unshare (CLONE_NEWUSER) == 0
              && prctl (PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid () == parent;

  if (made && write (ready, "", 1) == 1)
    pause ();
  _exit (1);
}

int id_maker_start (struct id_maker *ret_maker, struct error *err)
{
  pid_t parent = getpid ();
  int ready[2];

  if (pipe2 (ready, O_CLOEXEC) < 0)
    return error_set_errno (err, errno, "make a pipe");
  *ret_maker = (struct id_maker){ fork (), ready[0] };
  if (ret_maker->pid == 0)
    be_in_namespace (parent, ready[1]);
  close (ready[1]);
  if (ret_maker->pid > 0)
    return 0;
  error_set_errno (err, errno, "make a user namespace to map ids by");
  close (ready[0]);
  *ret_maker = ID_MAKER_NONE;
  return err->code;
}

int id_maker_take (const struct id_maker *maker, uint32_t from_uid, uint32_t to_uid, uint32_t from_gid,
                   uint32_t to_gid, int *ret_fd, struct error *err)
{
  cleanup_free char *path = str_format ("/proc/%d/ns/user", (int) maker->pid);
  int r = path ? 0 : -ENOMEM, fd = -1;
  char byte;

  if (r == 0 && read (maker->ready, &byte, 1) != 1)
    r = -EPERM;
  if (r == 0)
    r = write_map (maker->pid, "uid_map", from_uid, to_uid);
  if (r == 0)
    r = write_map (maker->pid, "gid_map", from_gid, to_gid);
  if (r == 0) {
    fd = open (path, O_RDONLY | O_CLOEXEC);
    r = fd < 0 ? -errno : 0;
  }
  /* That it ends takes a while; id_maker_clear waits for it. */
  kill (maker->pid, SIGKILL);
  if (r < 0)
    return error_set_errno (err, -r, "make a user namespace to map ids by");
  *ret_fd = fd;
  return 0;
}

void id_maker_clear (struct id_maker *maker)
{
  if (maker->pid <= 0)
    return;
  close (maker->ready);
  kill (maker->pid, SIGKILL);
  waitpid (maker->pid, NULL, 0);
  *maker = ID_MAKER_NONE;
}

int mount_id_namespace (uint32_t from_uid, uint32_t to_uid, uint32_t from_gid, uint32_t to_gid, int *ret_fd,
                        struct error *err)
{
  cleanup (id_maker_clear) struct id_maker maker = ID_MAKER_NONE;
  int r = id_maker_start (&maker, err);

  return r < 0 ? r : id_maker_take (&maker, from_uid, to_uid, from_gid, to_gid, ret_fd, err);
}
