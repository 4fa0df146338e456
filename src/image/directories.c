/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-directories-internal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"

struct image_directory {
  char *path;
  size_t turn; /* position in the log, from 1 */
  bool removed;
  mode_t mode;
  struct timespec time;
};

static int add (struct image_directories *directories, struct image_directory directory, const char *path)
{
  if (directories->count == directories->capacity) {
    size_t capacity = directories->capacity ? directories->capacity * 2 : 64;
    struct image_directory *log = NULL;

    if (capacity <= SIZE_MAX / sizeof (*log))
      log = realloc (directories->log, capacity * sizeof (*log));
    if (log == NULL)
      return -ENOMEM;
    directories->log = log;
    directories->capacity = capacity;
  }
  directory.path = strdup (path);
  if (directory.path == NULL)
    return -ENOMEM;
  directory.turn = directories->count + 1;
  directories->log[directories->count++] = directory;
  return 0;
}

int image_directories_made (struct image_directories *directories, const char *path, mode_t mode,
                            struct timespec time)
{
  return add (directories, (struct image_directory){ .mode = mode, .time = time }, path);
}

int image_directories_implied (struct image_directories *directories, const char *path)
{
  return image_directories_made (directories, path, 0755, (struct timespec){ 0 });
}

int image_directories_removed (struct image_directories *directories, const char *path)
{
  return add (directories, (struct image_directory){ .removed = true }, path);
}

/* The slash sorts before every other byte, so that a directory is followed by everything in it. */
static int rank (char c)
{
  return c == '\0' ? 0 : c == '/' ? 1 : (unsigned char) c + 2;
}

static int compare_paths (const char *a, const char *b)
{
  while (*a != '\0' && *a == *b) {
    a++;
    b++;
  }
  return rank (*a) - rank (*b);
}

static int compare (const void *left, const void *right)
{
  const struct image_directory *a = left, *b = right;
  int order = compare_paths (a->path, b->path);

  return order != 0 ? order : (a->turn > b->turn) - (a->turn < b->turn);
}

static bool is_around (const char *directory, const char *path)
{
  size_t len = strlen (directory);

  return len == 0 || (strncmp (path, directory, len) == 0 && path[len] == '/');
}

/* The directories that contain the current one, outermost first, each with the position in the log at which
 * it or a parent was last removed. */
struct around {
  struct {
    const char *path;
    size_t removed;
  } items[LIMIT_IMAGE_DEPTH + 1];
  unsigned depth;
};

static size_t leave (struct around *around, const char *path)
{
  while (around->depth > 0 && !is_around (around->items[around->depth - 1].path, path))
    around->depth--;
  return around->depth > 0 ? around->items[around->depth - 1].removed : 0;
}

/* Moves the valid entries to the front of the sorted log, one for each path, and returns their number. */
static size_t keep_valid (struct image_directories *directories)
{
  struct around around = { .depth = 0 };
  struct image_directory *log = directories->log;
  size_t kept = 0;

  for (size_t first = 0, next; first < directories->count; first = next) {
    size_t removed = leave (&around, log[first].path);
    const struct image_directory *last = NULL;

    for (next = first; next < directories->count && strcmp (log[next].path, log[first].path) == 0; next++) {
      if (log[next].removed && log[next].turn > removed)
        removed = log[next].turn;
      else if (!log[next].removed)
        last = &log[next];
    }
    if (around.depth <= LIMIT_IMAGE_DEPTH) {
      around.items[around.depth].path = log[first].path;
      around.items[around.depth++].removed = removed;
    }
    if (last != NULL && last->turn > removed) {
      struct image_directory valid = *last;

      /* Swapped, so that each path still has one owner. */
      log[last - log] = log[kept];
      log[kept++] = valid;
    }
  }
  return kept;
}

int image_directories_settle (struct image_directories *directories, image_directory_setter *set, void *data,
                              struct error *err)
{
  size_t kept;
  int r = 0;

  if (directories->count > 0)
    qsort (directories->log, directories->count, sizeof (*directories->log), compare);
  kept = keep_valid (directories);
  while (r == 0 && kept-- > 0)
    r = set (data, directories->log[kept].path, directories->log[kept].mode, directories->log[kept].time,
             err);
  image_directories_clear (directories);
  return r;
}

void image_directories_clear (struct image_directories *directories)
{
  for (size_t i = 0; i < directories->count; i++)
    free (directories->log[i].path);
  free (directories->log);
  *directories = (struct image_directories){ 0 };
}
