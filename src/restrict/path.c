/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths as engines write them: mostly normal, sometimes with a slash or a dot too many. */
#include <config.h>

#include "restrict-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"

void spec_points_clear (struct spec_points *points)
{
  for (size_t i = 0; i < points->count; i++) {
    free (points->items[i].written);
    free (points->items[i].real);
  }
  free (points->items);
  *points = (struct spec_points){ 0 };
}

const char *spec_point_real (const struct spec_points *points, const char *written)
{
  for (size_t i = 0; points != NULL && i < points->count; i++)
    if (strcmp (points->items[i].written, written) == 0)
      return points->items[i].real;
  return written;
}

int spec_normal_path (const char *path, char **ret_path)
{
  cleanup_strbuf struct strbuf buf = { 0 };

  if (path[0] != '/' || strlen (path) > LIMIT_PATH_BYTES)
    return -EINVAL;
  for (const char *p = path; *p != '\0';) {
    size_t len = strcspn (p, "/");

    if (len == 2 && p[0] == '.' && p[1] == '.')
      return -EINVAL;
    if (len > 0 && !(len == 1 && p[0] == '.')) {
      strbuf_add (&buf, "/");
      strbuf_add_bytes (&buf, p, len);
    }
    p += len + (p[len] == '/');
  }
  if (buf.len == 0)
    strbuf_add (&buf, "/");
  *ret_path = strbuf_take (&buf);
  return *ret_path ? 0 : -ENOMEM;
}
