/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "mount-stage-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"

/* Before Linux 5.6, or under a seccomp filter without openat2: opens one component at a time and refuses
 * links. */
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
    return error_set (err, fd, "open '%s': a symbolic link has appeared in it since the run was planned",
                      path);
  return fd < 0 ? error_set_errno (err, -fd, "open '%s'", path) : fd;
}

static int set_attributes (int tree, const char *target, uint64_t more, int idmap_fd, struct error *err)
{
  /* The tree may go straight from the host's namespace into a container's, so it must not propagate. */
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
    return error_set_errno (err, errno, idmap_fd >= 0 ? "map the ids of '%s'" : "clone a mount for '%s'",
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
    return error_set_errno (err, errno, "clone a mount for '%s'", target);
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

/* A namespace lives as long as a process is in it or holds it open: the helper waits until we do. */
static int be_in_namespace (void *data)
{
  const pid_t *parent = data;

  /* The new namespace clears the signal of the parent's death. */
  if (unshare (CLONE_NEWUSER) == 0 && helper_follow (*parent) && send (HELPER_FD, "", 1, MSG_NOSIGNAL) == 1)
    pause ();
  return EXIT_FAILURE;
}

int id_maker_start (struct helper *ret_maker, struct error *err)
{
  pid_t parent = getpid ();
  const struct helper_call call = { .socket = true, .main = be_in_namespace, .data = &parent };
  int r = helper_fork (&call, ret_maker, err);

  return r < 0 ? error_prefix (err, "make a user namespace to map ids by") : 0;
}

int id_maker_take (const struct helper *maker, uint32_t from_uid, uint32_t to_uid, uint32_t from_gid,
                   uint32_t to_gid, int *ret_fd, struct error *err)
{
  cleanup_free char *path = str_format ("/proc/%d/ns/user", (int) maker->pid);
  int r = path ? 0 : -ENOMEM, fd = -1;
  char byte;

  if (r == 0 && recv (maker->socket, &byte, 1, 0) != 1)
    r = -EPERM;
  if (r == 0)
    r = stage_write_id (maker->pid, "uid_map", from_uid, to_uid);
  if (r == 0)
    r = stage_write_id (maker->pid, "gid_map", from_gid, to_gid);
  if (r == 0) {
    fd = open (path, O_RDONLY | O_CLOEXEC);
    r = fd < 0 ? -errno : 0;
  }
  helper_kill (maker);
  if (r < 0)
    return error_set_errno (err, -r, "make a user namespace to map ids");
  *ret_fd = fd;
  return 0;
}

int mount_id_namespace (uint32_t from_uid, uint32_t to_uid, uint32_t from_gid, uint32_t to_gid, int *ret_fd,
                        struct error *err)
{
  cleanup (helper_clear) struct helper maker = HELPER_NONE;
  int r = id_maker_start (&maker, err);

  return r < 0 ? r : id_maker_take (&maker, from_uid, to_uid, from_gid, to_gid, ret_fd, err);
}
