/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-image-links.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "base-path.h"
#include "base-str.h"

/* As many as the kernel follows. */
#define LINKS_MAX 40u

/* Removes the last component of BUF. */
static void go_up (struct strbuf *buf)
{
  while (buf->len > 0 && buf->text[--buf->len] != '/')
    continue;
  if (buf->text != NULL)
    buf->text[buf->len] = '\0';
}

/* The link at PATH below ROOT, or NULL when it is not one. */
static char *read_link (int root, const char *path)
{
  char target[LIMIT_PATH_BYTES + 1];
  ssize_t n = readlinkat (root, path + 1, target, sizeof (target) - 1);

  if (n < 0)
    return NULL;
  target[n] = '\0';
  return strdup (target);
}

/* PATH without links, as it is found by a process with the root ROOT; what does not exist stays as written.
 */
static int follow (int root, const char *path, char **ret_real)
{
  cleanup_strbuf struct strbuf real = { 0 };
  cleanup_free char *rest = strdup (path);
  unsigned links = 0;

  while (rest != NULL && rest[strspn (rest, "/")] != '\0') {
    cleanup_free char *target = NULL, *before = rest, *after = NULL;
    const char *name = before + strspn (before, "/");
    size_t len = strcspn (name, "/");

    rest = strdup (name + len);
    if (len == 2 && strncmp (name, "..", 2) == 0) {
      go_up (&real);
      continue;
    }
    if (len == 1 && name[0] == '.')
      continue;
    strbuf_add (&real, "/");
    strbuf_add_bytes (&real, name, len);
    target = real.failed ? NULL : read_link (root, real.text);
    if (target == NULL || rest == NULL)
      continue;
    if (++links > LINKS_MAX || strlen (target) + strlen (rest) > LIMIT_PATH_BYTES)
      return -ELOOP;
    go_up (&real);
    if (target[0] == '/')
      real.len = 0;
    after = rest;
    rest = str_format ("%s/%s", target, after);
  }
  if (rest == NULL)
    return -ENOMEM;
  if (real.len == 0)
    strbuf_add (&real, "/");
  *ret_real = strbuf_take (&real);
  return *ret_real ? 0 : -ENOMEM;
}

static bool is_kernels (const char *dest)
{
  return path_is_within (dest, "/dev") || path_is_within (dest, "/proc") || path_is_within (dest, "/sys");
}

/* The innermost mount so far on which DEST lies. */
static const struct spec_point *find_above (const struct spec_points *points, const char *dest)
{
  const struct spec_point *found = NULL;

  for (size_t i = 0; i < points->count; i++)
    if (path_is_within (dest, points->items[i].written) && strcmp (dest, points->items[i].written) != 0
        && (found == NULL || strlen (points->items[i].written) > strlen (found->written)))
      found = &points->items[i];
  return found;
}

static int add_point (int root, const char *dest, struct spec_points *points)
{
  const struct spec_point *above = find_above (points, dest);
  struct spec_point *items = realloc (points->items, (points->count + 1) * sizeof (*items));
  struct spec_point *point;
  int r = 0;

  if (items == NULL)
    return -ENOMEM;
  if (above != NULL)
    above = items + (above - points->items);
  points->items = items;
  point = &items[points->count++];
  *point = (struct spec_point){ .written = strdup (dest) };
  if (above != NULL)
    point->real = str_format ("%s%s", above->real, dest + strlen (above->written));
  else if (is_kernels (dest))
    point->real = strdup (dest);
  else
    r = follow (root, dest, &point->real);
  if (r < 0)
    return r;
  return point->written != NULL && point->real != NULL ? 0 : -ENOMEM;
}

/* Mount points that are added to the document later. */
static int add_own (int root, struct spec_points *points)
{
  static const char *const own[] = { "/tmp" };
  int r = 0;

  for (size_t i = 0; r == 0 && i < ARRAY_LEN (own); i++) {
    bool there = false;

    for (size_t k = 0; k < points->count; k++)
      there = there || strcmp (points->items[k].written, own[i]) == 0;
    r = there ? 0 : add_point (root, own[i], points);
  }
  return r;
}

static int report (int r, const char *point, struct error *err)
{
  return r == -ELOOP
             ? error_set (err, r, "the mount point '%s' leads through too many links of the image", point)
             : error_oom (err);
}

int image_links_follow (const char *root, const struct json_node *config, struct spec_points *ret_points,
                        struct error *err)
{
  const struct json_node *mounts = json_get (config, "mounts");
  cleanup_spec_points struct spec_points points = { 0 };
  cleanup_close int fd = open (root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  int r;

  /* A root that cannot be opened is an error of its own, later. */
  for (size_t i = 0; fd >= 0 && mounts != NULL && mounts->type == JSON_ARRAY && i < mounts->count; i++) {
    const struct json_node *dest = json_get (mounts->items[i], "destination");
    cleanup_free char *normal = NULL;

    r = dest && dest->type == JSON_STRING ? spec_normal_path (dest->text, &normal) : -EINVAL;

    if (r == -EINVAL)
      continue; /* refused when the mount is restricted */
    if (r == 0)
      r = add_point (fd, normal, &points);
    if (r < 0)
      return report (r, normal, err);
  }
  if (fd >= 0 && (r = add_own (fd, &points)) < 0)
    return report (r, "/tmp", err);
  *ret_points = points;
  points = (struct spec_points){ 0 };
  return 0;
}
