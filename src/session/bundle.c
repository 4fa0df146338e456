/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "session-bundle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-file.h"
#include "base-path.h"

#define CONFIG "config.json"
#define ROOTFS "rootfs"

/* The ids of a user namespace must be able to reach the root; only the owner may read the document, which
 * contains the environment. */
#define DIRECTORY_MODE 0755
#define CONFIG_MODE    0600

/* What has been made so far: removed again after a failure. */
struct bundle {
  const char *directory;
  const struct plan *plan;
  int fd;         /* the bundle's directory */
  int root;       /* its rootfs, -1 while there is none */
  bool made;      /* the directory did not exist before */
  size_t entries; /* how many of the plan's entries have been made */
};

/* MODE does not depend on the umask. */
static int make_directory (int at, const char *name, mode_t mode, int *ret_fd)
{
  cleanup_close int fd = -1;

  if (mkdirat (at, name, 0700) < 0)
    return -errno;
  fd = openat (at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || fchmod (fd, mode) < 0) {
    int saved = errno;

    unlinkat (at, name, AT_REMOVEDIR);
    return -saved;
  }
  *ret_fd = take_fd (&fd);
  return 0;
}

static int make_file (int at, const char *name, const char *text, mode_t mode)
{
  cleanup_close int fd = openat (at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  size_t len = strlen (text);

  if (fd < 0)
    return -errno;
  for (size_t done = 0; done < len;) {
    ssize_t n = write (fd, text + done, len - done);

    if (n < 0 && errno != EINTR) {
      int saved = errno;

      unlinkat (at, name, 0);
      return -saved;
    }
    done += n > 0 ? (size_t) n : 0;
  }
  if (fchmod (fd, mode) < 0) {
    int saved = errno;

    unlinkat (at, name, 0);
    return -saved;
  }
  return 0;
}

/* Opens the directory that holds PATH (absolute, inside) beneath ROOT; *RET_NAME is PATH's last part. */
static int open_parent (int root, const char *path, int *ret_fd, const char **ret_name)
{
  cleanup_close int fd = fcntl (root, F_DUPFD_CLOEXEC, 3);
  const char *part = path + 1;

  if (fd < 0)
    return -errno;
  if (!path_is_normal (path) || path[1] == '\0')
    return -EINVAL;
  for (const char *slash; (slash = strchr (part, '/')) != NULL; part = slash + 1) {
    cleanup_free char *name = strndup (part, (size_t) (slash - part));
    int next;

    if (name == NULL)
      return -ENOMEM;
    next = openat (fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0)
      return -errno;
    close (fd);
    fd = next;
  }
  *ret_fd = take_fd (&fd);
  *ret_name = part;
  return 0;
}

static int make_entry (int root, const struct plan_entry *entry)
{
  cleanup_close int parent = -1;
  cleanup_close int made = -1;
  const char *name = NULL;
  int r = open_parent (root, entry->path, &parent, &name);

  if (r < 0)
    return r;
  switch (entry->kind) {
  case ENTRY_DIRECTORY: return make_directory (parent, name, entry->mode, &made);
  case ENTRY_FILE: return make_file (parent, name, entry->text ? entry->text : "", entry->mode);
  case ENTRY_SYMLINK: return symlinkat (entry->text, parent, name) < 0 ? -errno : 0;
  }
  return -EINVAL;
}

/* The plan names parents before children, so the reverse order finds every directory empty. */
static void remove_made (struct bundle *bundle)
{
  while (bundle->entries > 0) {
    const struct plan_entry *entry = &bundle->plan->entries[--bundle->entries];
    cleanup_close int parent = -1;
    const char *name = NULL;

    if (open_parent (bundle->root, entry->path, &parent, &name) == 0)
      unlinkat (parent, name, entry->kind == ENTRY_DIRECTORY ? AT_REMOVEDIR : 0);
  }
  if (bundle->root >= 0)
    unlinkat (bundle->fd, ROOTFS, AT_REMOVEDIR);
  if (bundle->made)
    rmdir (bundle->directory);
}

static int check_empty (const struct bundle *bundle, struct error *err)
{
  int fd = openat (bundle->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd < 0 ? NULL : fdopendir (fd);
  const struct dirent *entry;
  int r = 0;

  if (dir == NULL) {
    r = error_set_errno (err, errno, "--bundle: cannot read directory '%s'", bundle->directory);
    if (fd >= 0)
      close (fd);
    return r;
  }
  while (r == 0 && (entry = readdir (dir)) != NULL)
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      r = error_set (err, -ENOTEMPTY, "--bundle: directory '%s' is not empty; name a new one",
                     bundle->directory);
  closedir (dir);
  return r;
}

static int open_directory (struct bundle *bundle, struct error *err)
{
  int r = make_directory (AT_FDCWD, bundle->directory, DIRECTORY_MODE, &bundle->fd);

  bundle->made = r == 0;
  if (r == 0)
    return 0;
  if (r != -EEXIST)
    return error_set_errno (err, -r, "--bundle: cannot make directory '%s'", bundle->directory);
  bundle->fd = open (bundle->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (bundle->fd < 0)
    return error_set_errno (err, errno, "--bundle: cannot open directory '%s'", bundle->directory);
  return check_empty (bundle, err);
}

static int make_root (struct bundle *bundle, struct error *err)
{
  const struct plan *plan = bundle->plan;
  int r = make_directory (bundle->fd, ROOTFS, DIRECTORY_MODE, &bundle->root);

  if (r < 0)
    return error_set_errno (err, -r, "--bundle: cannot make directory '%s/%s'", bundle->directory, ROOTFS);
  for (size_t i = 0; i < plan->entry_count; i++) {
    r = make_entry (bundle->root, &plan->entries[i]);
    if (r < 0)
      return error_set_errno (err, -r, "--bundle: cannot make '%s/%s%s'", bundle->directory, ROOTFS,
                              plan->entries[i].path);
    bundle->entries++;
  }
  return 0;
}

int bundle_write (const char *directory, const struct plan *plan, const char *document, struct error *err)
{
  struct bundle bundle = { .directory = directory, .plan = plan, .fd = -1, .root = -1 };
  int r;

  if (plan->root == ROOT_FROM_IMAGE)
    return error_set (
        err, -EOPNOTSUPP,
        "--bundle: image '%s' would have to be unpacked; unpack it and name its directory with --rootfs",
        plan->root_path);
  r = open_directory (&bundle, err);
  if (r == 0 && plan->root == ROOT_FROM_HOST)
    r = make_root (&bundle, err);
  if (r == 0) {
    r = file_write_atomic (bundle.fd, CONFIG, document, strlen (document), CONFIG_MODE, err);
    if (r < 0)
      error_prefix (err, "--bundle: directory '%s'", directory);
  }
  if (r < 0)
    remove_made (&bundle);
  close_p (&bundle.root);
  close_p (&bundle.fd);
  return r;
}
