#include <config.h>

#include "image-folders-internal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"

struct image_folder {
  char *path;
  size_t turn; /* place in the log, from 1 */
  bool removed;
  mode_t mode;
  struct timespec time;
};

static int add (struct image_folders *folders, struct image_folder folder, const char *path)
{
  if (folders->count == folders->capacity) {
    size_t capacity = folders->capacity ? folders->capacity * 2 : 64;
    struct image_folder *log = NULL;

    if (capacity <= SIZE_MAX / sizeof (*log))
      log = realloc (folders->log, capacity * sizeof (*log));
    if (log == NULL)
      return -ENOMEM;
    folders->log = log;
    folders->capacity = capacity;
  }
  folder.path = strdup (path);
  if (folder.path == NULL)
    return -ENOMEM;
  folder.turn = folders->count + 1;
  folders->log[folders->count++] = folder;
  return 0;
}

int image_folders_made (struct image_folders *folders, const char *path, mode_t mode, struct timespec time)
{
  return add (folders, (struct image_folder){ .mode = mode, .time = time }, path);
}

int image_folders_implied (struct image_folders *folders, const char *path)
{
  return image_folders_made (folders, path, 0755, (struct timespec){ 0 });
}

int image_folders_removed (struct image_folders *folders, const char *path)
{
  return add (folders, (struct image_folder){ .removed = true }, path);
}

/* The slash comes before every other byte, so that a folder is followed by all that is in it. */
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
  const struct image_folder *a = left, *b = right;
  int order = compare_paths (a->path, b->path);

  return order != 0 ? order : (a->turn > b->turn) - (a->turn < b->turn);
}

static bool is_around (const char *folder, const char *path)
{
  size_t len = strlen (folder);

  return len == 0 || (strncmp (path, folder, len) == 0 && path[len] == '/');
}

/* The folders around the current one, the outermost first, each with the last turn at which it or one around
 * it was removed. */
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

/* Moves what is valid to the front of the sorted log, one entry for a path, and returns how many there are.
 */
static size_t keep_valid (struct image_folders *folders)
{
  struct around around = { .depth = 0 };
  struct image_folder *log = folders->log;
  size_t kept = 0;

  for (size_t first = 0, next; first < folders->count; first = next) {
    size_t removed = leave (&around, log[first].path);
    const struct image_folder *last = NULL;

    for (next = first; next < folders->count && strcmp (log[next].path, log[first].path) == 0; next++) {
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
      struct image_folder valid = *last;

      /* Swapped, so that each path is still owned once. */
      log[last - log] = log[kept];
      log[kept++] = valid;
    }
  }
  return kept;
}

int image_folders_settle (struct image_folders *folders, image_folder_setter *set, void *data,
                          struct error *err)
{
  size_t kept;
  int r = 0;

  if (folders->count > 0)
    qsort (folders->log, folders->count, sizeof (*folders->log), compare);
  kept = keep_valid (folders);
  while (r == 0 && kept-- > 0)
    r = set (data, folders->log[kept].path, folders->log[kept].mode, folders->log[kept].time, err);
  image_folders_clear (folders);
  return r;
}

void image_folders_clear (struct image_folders *folders)
{
  for (size_t i = 0; i < folders->count; i++)
    free (folders->log[i].path);
  free (folders->log);
  *folders = (struct image_folders){ 0 };
}
