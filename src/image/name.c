/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-name-internal.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base-str.h"

static const char mark_prefix[] = ".wh.";
static const char opaque_mark[] = ".wh..wh..opq";
static const char aufs_prefix[] = ".wh..wh.";

static bool is_name (const char *text, size_t len, const char *name)
{
  return len == strlen (name) && memcmp (text, name, len) == 0;
}

int image_name_normal (const char *name, unsigned depth_max, char normal[IMAGE_NAME_SIZE], struct error *err)
{
  char shown[IMAGE_SHOWN];
  unsigned depth = 0;
  size_t used = 0;

  for (const char *p = name + strspn (name, "/"); *p != '\0'; p += strspn (p, "/")) {
    size_t len = strcspn (p, "/");

    if (is_name (p, len, ".."))
      return error_set (err, -EINVAL, "'%s' has a '..' in it, which could lead out of the root",
                        image_show (name, shown));
    if (!is_name (p, len, ".")) {
      if (++depth > depth_max)
        return error_set (err, -ENAMETOOLONG, "'%s' is more than %u directories deep",
                          image_show (name, shown), depth_max);
      if (used + (used > 0) + len >= IMAGE_NAME_SIZE)
        return error_set (err, -ENAMETOOLONG, "'%s' is longer than %zu bytes", image_show (name, shown),
                          LIMIT_PATH_BYTES);
      if (used > 0)
        normal[used++] = '/';
      memcpy (normal + used, p, len);
      used += len;
    }
    p += len;
  }
  normal[used] = '\0';
  return 0;
}

/* Files of AUFS are at the root of a layer. */
static enum image_mark aufs_mark (const char *normal)
{
  if (!str_has_prefix (normal, aufs_prefix) || normal[strlen (aufs_prefix)] == '\0'
      || str_has_prefix (normal, opaque_mark))
    return IMAGE_MARK_NONE;
  if (!str_has_prefix (normal, IMAGE_AUFS_LINKS))
    return IMAGE_MARK_AUFS;
  normal += strlen (IMAGE_AUFS_LINKS);
  return normal[0] == '/' && strchr (normal + 1, '/') == NULL ? IMAGE_MARK_LINKED : IMAGE_MARK_AUFS;
}

/* Whether a component before LEAF begins like a whiteout. */
static bool directory_has_mark (const char *normal, const char *leaf)
{
  for (const char *p = normal; p < leaf; p = strchr (p, '/') + 1)
    if (str_has_prefix (p, mark_prefix))
      return true;
  return false;
}

int image_name_mark (char normal[IMAGE_NAME_SIZE], enum image_mark *ret_mark, struct error *err)
{
  char *slash = strrchr (normal, '/');
  char *leaf = slash ? slash + 1 : normal;
  char *hidden = leaf + strlen (mark_prefix);
  char shown[IMAGE_SHOWN];

  *ret_mark = aufs_mark (normal);
  if (*ret_mark != IMAGE_MARK_NONE)
    return 0;
  if (directory_has_mark (normal, leaf))
    return error_set (err, -EINVAL, "'%s' is in a directory that is named like a whiteout",
                      image_show (normal, shown));
  if (!str_has_prefix (leaf, mark_prefix))
    return 0;
  if (strcmp (leaf, opaque_mark) == 0) {
    *(slash ? slash : leaf) = '\0';
    *ret_mark = IMAGE_MARK_OPAQUE;
    return 0;
  }
  if (hidden[0] == '\0' || strcmp (hidden, ".") == 0 || strcmp (hidden, "..") == 0
      || str_has_prefix (hidden, mark_prefix))
    return error_set (err, -EINVAL, "'%s' is a whiteout that names no file", image_show (normal, shown));
  memmove (leaf, hidden, strlen (hidden) + 1);
  *ret_mark = IMAGE_MARK_DELETE;
  return 0;
}

static const char cut_off[] = "...";

const char *image_show (const char *text, char shown[IMAGE_SHOWN])
{
  static const char digits[] = "0123456789abcdef";
  const size_t room = IMAGE_SHOWN - sizeof (cut_off);
  size_t len = 0;

  for (const char *p = text ? text : ""; *p != '\0'; p++) {
    unsigned char c = (unsigned char) *p;
    size_t need = c < 0x20 || c > 0x7e || c == '\\' ? 4 : 1;

    if (len + need > room) {
      memcpy (shown + len, cut_off, sizeof (cut_off));
      return shown;
    }
    if (need == 1)
      shown[len++] = *p;
    else {
      shown[len++] = '\\';
      shown[len++] = 'x';
      shown[len++] = digits[c >> 4];
      shown[len++] = digits[c & 15];
    }
  }
  shown[len] = '\0';
  return shown;
}
