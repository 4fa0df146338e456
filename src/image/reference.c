/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-reference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base-limits.h"
#include "base-str.h"
#include "image-name-internal.h"

static const char scheme[] = "oci:";

bool image_reference_is (const char *text)
{
  return str_has_prefix (text, scheme);
}

static bool is_directory (const char *path)
{
  struct stat st;

  return stat (path, &st) == 0 && S_ISDIR (st.st_mode);
}

/* The image spec's alphabet for org.opencontainers.image.ref.name. */
static bool is_tag (const char *tag)
{
  size_t len = strlen (tag);

  return len > 0 && len <= LIMIT_IMAGE_TAG_BYTES
         && strspn (tag, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:@/+") == len;
}

/* The longest prefix of TEXT that ends at a colon or at its end and is a directory; NULL with errno. */
static char *longest_directory (const char *text)
{
  size_t len = strlen (text);

  while (len > 0) {
    cleanup_free char *directory = strndup (text, len);
    const char *colon;

    if (directory == NULL || is_directory (directory))
      return take_ptr (directory);
    colon = memrchr (text, ':', len);
    len = colon ? (size_t) (colon - text) : 0;
  }
  errno = ENOENT;
  return NULL;
}

int image_reference_parse (const char *text, struct image_reference *ret_reference, struct error *err)
{
  cleanup_image_reference struct image_reference reference = { 0 };
  const char *rest = text + strlen (scheme);
  char shown[IMAGE_SHOWN];
  size_t len;

  image_show (text, shown);
  if (!image_reference_is (text) || rest[0] == '\0')
    return error_set (err, -EINVAL, "image '%s': expected oci:DIR or oci:DIR:TAG, an image layout on disk",
                      shown);
  if (strlen (rest) > LIMIT_PATH_BYTES + LIMIT_IMAGE_TAG_BYTES)
    return error_set (err, -EINVAL, "image '%s': longer than %zu bytes", shown,
                      LIMIT_PATH_BYTES + LIMIT_IMAGE_TAG_BYTES);
  reference.directory = longest_directory (rest);
  if (reference.directory == NULL && errno == ENOENT)
    return error_set (err, -ENOENT,
                      "image '%s': there is no such directory; it must hold an OCI image layout", shown);
  if (reference.directory == NULL)
    return error_oom (err);
  len = strlen (reference.directory);
  if (rest[len] == ':') {
    if (!is_tag (rest + len + 1))
      return error_set (err, -EINVAL, "image '%s': what follows the directory is not a tag", shown);
    reference.tag = strdup (rest + len + 1);
    if (reference.tag == NULL)
      return error_oom (err);
  }
  *ret_reference = reference;
  reference = (struct image_reference){ 0 };
  return 0;
}

void image_reference_clear (struct image_reference *reference)
{
  free (reference->directory);
  free (reference->tag);
  *reference = (struct image_reference){ 0 };
}
