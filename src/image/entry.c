/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-unpack-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "image-name-internal.h"

int image_entry_fail (const char *path, int r, struct error *err)
{
  char shown[IMAGE_SHOWN];

  image_show (path, shown);
  if (r == -ENOMEM)
    return error_oom (err);
  if (r == -ELOOP || r == -ENOTDIR)
    return error_set (err, -EINVAL, "'%s' has a symbolic link or a file as one of its parent directories",
                      shown);
  return error_set_errno (err, -r, "cannot make '%s'", shown);
}

/* The mode bits that a file or directory gets. A directory keeps the sticky bit, which protects files in
 * /tmp. */
static mode_t kept_mode (struct image_unpacker *unpacker, const struct image_entry *entry)
{
  mode_t kept = entry->kind == IMAGE_ENTRY_DIRECTORY ? 01777 : 0777;

  if (unpacker->options.keep_setid)
    kept |= S_ISUID | S_ISGID;
  else if ((entry->mode & (S_ISUID | S_ISGID)) != 0)
    unpacker->report.setid_dropped++;
  return entry->mode & kept;
}

/* Keeps user attributes, except those that overlay file systems interpret. */
static bool keeps_attribute (const char *name)
{
  return str_has_prefix (name, "user.") && !str_has_prefix (name, "user.overlay.")
         && !str_has_prefix (name, "user.fuseoverlayfs.") && !str_has_prefix (name, "user.containers.");
}

/* FD below 0 stands for a symbolic link, which cannot have attributes: all are dropped. */
static int put_attributes (struct image_unpacker *unpacker, int fd)
{
  const char *name = NULL;
  const void *value = NULL;
  size_t len = 0;

  while (image_archive_attribute (unpacker->archive, &name, &value, &len)) {
    if (fd >= 0 && keeps_attribute (name)) {
      if (fsetxattr (fd, name, value, len, 0) == 0)
        continue;
      /* The file system has no attributes, or no room for this one. */
      if (errno != EOPNOTSUPP && errno != ENOSPC && errno != EDQUOT && errno != E2BIG && errno != ERANGE)
        return -errno;
    }
    if (strcmp (name, "security.capability") == 0)
      unpacker->report.capabilities_dropped++;
    else
      unpacker->report.attributes_dropped++;
  }
  return 0;
}

static int put_owner (const struct image_unpacker *unpacker, const struct image_entry *entry, int directory,
                      const char *name)
{
  if (!unpacker->options.keep_owner)
    return 0;
  return fchownat (directory, name, (uid_t) entry->uid, (gid_t) entry->gid,
                   AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)
                 < 0
             ? -errno
             : 0;
}

static int put_bytes (int fd, const char *bytes, size_t len, uint64_t offset)
{
  while (len > 0) {
    ssize_t n = pwrite (fd, bytes, len, (off_t) offset);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -errno;
    bytes += n;
    len -= (size_t) n;
    offset += (uint64_t) n;
  }
  return 0;
}

/* The entry's size was counted already, so no offset goes past the limit. */
static int put_contents (struct image_unpacker *unpacker, const struct image_entry *entry, const char *path,
                         int fd, struct error *err)
{
  char shown[IMAGE_SHOWN];
  const void *bytes = NULL;
  uint64_t offset = 0;
  size_t len = 0;
  int r;

  while ((r = image_archive_data (unpacker->archive, &bytes, &len, &offset, err)) > 0) {
    if (offset > entry->size || len > entry->size - offset)
      return error_set (err, -EBADMSG, "'%s' has more data than its header says", image_show (path, shown));
    r = put_bytes (fd, bytes, len, offset);
    if (r < 0)
      return image_entry_fail (path, r, err);
  }
  if (r < 0)
    return r;
  /* A hole at the end has no data block. */
  return ftruncate (fd, (off_t) entry->size) < 0 ? image_entry_fail (path, -errno, err) : 0;
}

static int put_file (struct image_unpacker *unpacker, const struct image_entry *entry, const char *path,
                     int directory, const char *name, struct error *err)
{
  const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, entry->time };
  struct image_report *report = &unpacker->report;
  cleanup_close int fd = -1;
  char shown[IMAGE_SHOWN];
  int r;

  if (entry->size > unpacker->options.bytes_max - report->bytes)
    return error_set (err, -EFBIG, "'%s' makes the files larger than %" PRIu64 " bytes",
                      image_show (path, shown), unpacker->options.bytes_max);
  report->bytes += entry->size;
  fd = openat (directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0)
    return image_entry_fail (path, -errno, err);
  r = put_contents (unpacker, entry, path, fd, err);
  if (r < 0)
    return r;
  /* Attributes need a writable file, and a change of owner clears the set-id bits: so the mode comes last. */
  r = put_owner (unpacker, entry, fd, "");
  if (r == 0)
    r = put_attributes (unpacker, fd);
  if (r == 0 && (fchmod (fd, kept_mode (unpacker, entry)) < 0 || futimens (fd, times) < 0))
    r = -errno;
  return r < 0 ? image_entry_fail (path, r, err) : 0;
}

static int put_directory (struct image_unpacker *unpacker, const struct image_entry *entry, const char *path,
                          int directory, const char *name, bool exists)
{
  cleanup_close int fd = -1;
  int r;

  if (!exists && mkdirat (directory, name, 0700) < 0)
    return -errno;
  fd = openat (directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return -errno;
  r = put_owner (unpacker, entry, fd, "");
  if (r == 0)
    r = put_attributes (unpacker, fd);
  if (r == 0)
    r = image_directories_made (&unpacker->tree.directories, path, kept_mode (unpacker, entry), entry->time);
  return r;
}

static int put_symlink (struct image_unpacker *unpacker, const struct image_entry *entry, int directory,
                        const char *name)
{
  const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, entry->time };
  int r;

  if (symlinkat (entry->target, directory, name) < 0)
    return -errno;
  r = put_owner (unpacker, entry, directory, name);
  if (r == 0)
    r = put_attributes (unpacker, -1);
  if (r == 0 && utimensat (directory, name, times, AT_SYMLINK_NOFOLLOW) < 0)
    r = -errno;
  return r;
}

/* The target must be a regular file of the tree, and no link is followed on the way to it. */
static int put_hardlink (struct image_unpacker *unpacker, const char *target, const char *path, int directory,
                         const char *name, struct error *err)
{
  cleanup_close int target_directory = -1;
  const char *target_name = NULL;
  char shown[IMAGE_SHOWN], shown_target[IMAGE_SHOWN];
  struct stat st;
  int r = target[0] == '\0'
              ? -EISDIR
              : image_tree_parent (&unpacker->tree, target, false, &target_directory, &target_name);

  if (r == 0 && fstatat (target_directory, target_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
    r = -errno;
  if (r < 0 || !S_ISREG (st.st_mode))
    return error_set (err, -EINVAL, "'%s' is a hard link to '%s', which is not a regular file of the image",
                      image_show (path, shown), image_show (target, shown_target));
  if (linkat (target_directory, target_name, directory, name, 0) < 0)
    return image_entry_fail (path, -errno, err);
  return 0;
}

/* Gives the normal form of a hard link's target. */
static int read_target (const struct image_unpacker *unpacker, const struct image_entry *entry,
                        const char *path, char target[IMAGE_NAME_SIZE], struct error *err)
{
  char shown[IMAGE_SHOWN];
  int r;

  if (entry->target[0] == '/')
    return error_set (err, -EINVAL, "'%s' is a hard link with an absolute target", image_show (path, shown));
  r = image_name_normal (entry->target, unpacker->options.depth_max, target, err);
  if (r < 0)
    error_prefix (err, "'%s' is a hard link", image_show (path, shown));
  return r;
}

/* Removes what is at NAME, unless both are directories. */
static int make_room (struct image_unpacker *unpacker, const struct image_entry *entry, const char *path,
                      int directory, const char *name, bool *ret_exists)
{
  struct stat st;

  *ret_exists = false;
  if (fstatat (directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
    return errno == ENOENT ? 0 : -errno;
  if (S_ISDIR (st.st_mode) && entry->kind == IMAGE_ENTRY_DIRECTORY) {
    *ret_exists = true;
    return 0;
  }
  return image_tree_remove (&unpacker->tree, directory, name, path);
}

static int put_root (struct image_unpacker *unpacker, const struct image_entry *entry, struct error *err)
{
  int r;

  if (entry->kind != IMAGE_ENTRY_DIRECTORY)
    return error_set (err, -EINVAL, "an entry for the root itself is not a directory");
  r = put_directory (unpacker, entry, "", unpacker->tree.root, ".", true);
  return r < 0 ? image_entry_fail ("/", r, err) : 0;
}

int image_entry_put (struct image_unpacker *unpacker, const struct image_entry *entry, const char *path,
                     struct error *err)
{
  char target[IMAGE_NAME_SIZE] = "";
  cleanup_close int directory = -1;
  const char *name = NULL;
  bool exists = false;
  int r = 0;

  if (path[0] == '\0')
    return put_root (unpacker, entry, err);
  if (entry->kind == IMAGE_ENTRY_HARDLINK) {
    r = read_target (unpacker, entry, path, target, err);
    if (r < 0 || strcmp (target, path) == 0)
      return r;
  }
  r = image_tree_parent (&unpacker->tree, path, true, &directory, &name);
  if (r == 0)
    r = make_room (unpacker, entry, path, directory, name, &exists);
  if (r < 0)
    return image_entry_fail (path, r, err);
  switch (entry->kind) {
  case IMAGE_ENTRY_FILE: return put_file (unpacker, entry, path, directory, name, err);
  case IMAGE_ENTRY_HARDLINK: return put_hardlink (unpacker, target, path, directory, name, err);
  case IMAGE_ENTRY_DIRECTORY: r = put_directory (unpacker, entry, path, directory, name, exists); break;
  case IMAGE_ENTRY_SYMLINK: r = put_symlink (unpacker, entry, directory, name); break;
  default: r = -EPERM; break;
  }
  return r < 0 ? image_entry_fail (path, r, err) : 0;
}
