/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-path.h"

#include <stddef.h>
#include <string.h>

/* Whether every component is a name: not empty, ".", or "..". */
static bool components_are_names (const char *p)
{
  for (;;) {
    size_t len = strcspn (p, "/");

    if (len == 0 || (len == 1 && p[0] == '.') || (len == 2 && p[0] == '.' && p[1] == '.'))
      return false;
    p += len;
    if (*p == '\0')
      return true;
    p++;
  }
}

bool path_is_normal (const char *path)
{
  if (path[0] != '/')
    return false;
  return path[1] == '\0' || components_are_names (path + 1);
}

bool path_is_beneath (const char *path)
{
  return path[0] != '/' && components_are_names (path);
}

bool path_is_within (const char *path, const char *dir)
{
  size_t len = 0;

  if (strcmp (dir, "/") == 0)
    return true;
  while (dir[len] != '\0' && dir[len] == path[len]) /* most differ early */
    len++;
  return dir[len] == '\0' && (path[len] == '\0' || path[len] == '/');
}
