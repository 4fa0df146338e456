/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-blob.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image-tree-internal.h"

#define BLOBS "blobs/sha256/"

/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
static int open_file (int layout, const char *path, uint64_t *ret_size, struct error *err)
{
  cleanup_close int fd = image_beneath_open (layout, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, false);
  struct stat st;

  if (fd == -ELOOP)
    return error_set (err, -ELOOP,
                      "cannot read '%s': a symbolic link is on the way, and links are not followed", path);
  if (fd < 0)
    return error_set_errno (err, -fd, "cannot read '%s'", path);
  if (fstat (fd, &st) < 0)
    return error_set_errno (err, errno, "cannot read '%s'", path);
  if (!S_ISREG (st.st_mode))
    return error_set (err, -EINVAL, "cannot read '%s': not a regular file", path);
  *ret_size = (uint64_t) st.st_size;
  return take_fd (&fd);
}

int image_blob_open (int layout, const struct image_descriptor *descriptor, struct image_blob *ret_blob,
                     struct error *err)
{
  char path[sizeof (BLOBS) + SHA256_HEX];
  uint64_t size = 0;
  int fd;

  snprintf (path, sizeof (path), BLOBS "%s", descriptor->hex);
  fd = open_file (layout, path, &size, err);
  if (fd < 0)
    return fd;
  if (size != descriptor->size) {
    close (fd);
    return error_set (err, -EBADMSG, "blob '%s' has %" PRIu64 " bytes, its descriptor says %" PRIu64, path,
                      size, descriptor->size);
  }
  *ret_blob = (struct image_blob){ .fd = fd, .size = size };
  memcpy (ret_blob->hex, descriptor->hex, SHA256_HEX);
  sha256_init (&ret_blob->hash);
  return 0;
}

int image_blob_read (struct image_blob *blob, void *buffer, size_t size, size_t *ret_len, struct error *err)
{
  uint64_t left = blob->size - blob->done;
  ssize_t n;

  if (size > left)
    size = (size_t) left;
  do
    n = size > 0 ? read (blob->fd, buffer, size) : 0;
  while (n < 0 && errno == EINTR);
  if (n < 0)
    return error_set_errno (err, errno, "cannot read blob '" BLOBS "%s'", blob->hex);
  if (n == 0 && left > 0 && size > 0)
    return error_set (err, -EBADMSG, "blob '" BLOBS "%s' became shorter while it was read", blob->hex);
  sha256_update (&blob->hash, buffer, (size_t) n);
  blob->done += (uint64_t) n;
  *ret_len = (size_t) n;
  return 0;
}

int image_blob_finish (struct image_blob *blob, struct error *err)
{
  char buffer[16384], hex[SHA256_HEX];
  size_t len = 0;
  int r;

  do
    r = image_blob_read (blob, buffer, sizeof (buffer), &len, err);
  while (r == 0 && len > 0);
  if (r < 0)
    return r;
  sha256_final_hex (&blob->hash, hex);
  if (strcmp (hex, blob->hex) != 0)
    return error_set (err, -EBADMSG,
                      "blob '" BLOBS "%s' does not have that digest but %s: the image is damaged", blob->hex,
                      hex);
  return 0;
}

void image_blob_close (struct image_blob *blob)
{
  close_p (&blob->fd);
  blob->fd = -1;
}

int image_blob_read_all (int layout, const struct image_descriptor *descriptor, size_t max, char **ret_text,
                         size_t *ret_len, struct error *err)
{
  cleanup_image_blob struct image_blob blob = { .fd = -1 };
  cleanup_free char *text = NULL;
  size_t len = 0, part = 0;
  int r;

  if (descriptor->size > max)
    return error_set (err, -EFBIG, "blob '" BLOBS "%s' is larger than %zu bytes", descriptor->hex, max);
  r = image_blob_open (layout, descriptor, &blob, err);
  if (r < 0)
    return r;
  text = malloc ((size_t) blob.size + 1);
  if (text == NULL)
    return error_oom (err);
  do {
    r = image_blob_read (&blob, text + len, (size_t) blob.size - len, &part, err);
    len += r == 0 ? part : 0;
  } while (r == 0 && part > 0);
  if (r == 0)
    r = image_blob_finish (&blob, err);
  if (r < 0)
    return r;
  text[len] = '\0';
  *ret_text = take_ptr (text);
  *ret_len = len;
  return 0;
}

int image_file_read_all (int layout, const char *name, size_t max, char **ret_text, size_t *ret_len,
                         struct error *err)
{
  cleanup_close int fd = -1;
  cleanup_free char *text = NULL;
  uint64_t size = 0;
  size_t len = 0;

  fd = open_file (layout, name, &size, err);
  if (fd < 0)
    return fd;
  if (size > max)
    return error_set (err, -EFBIG, "cannot read '%s': larger than %zu bytes", name, max);
  text = malloc ((size_t) size + 1);
  if (text == NULL)
    return error_oom (err);
  while (len < size) {
    ssize_t n = read (fd, text + len, (size_t) size - len);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return error_set_errno (err, errno, "cannot read '%s'", name);
    if (n == 0)
      break;
    len += (size_t) n;
  }
  text[len] = '\0';
  *ret_text = take_ptr (text);
  *ret_len = len;
  return 0;
}
