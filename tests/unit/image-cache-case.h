/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of the cache share: an image "oci:l" and a cache in "state". */
#pragma once

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

#include "image-cache.h"
#include "image-unpack-case.h"

static const struct image_unpack_options plain = { 0 };

/* "oci:l": two layers, "f" with TEXT in the upper one. */
static inline void cache_make_image (const char *text, char hex[SHA256_HEX])
{
  struct case_layer layers[2];
  struct tar tar = { 0 };

  if (access ("l", F_OK) < 0)
    case_layout ("l");
  tar_put (&tar, (struct tar_entry){ .type = '0', .name = "suid", .mode = 04755 });
  tar_directory (&tar, "closed", 0500);
  tar_file (&tar, "closed/f", "1");
  layers[0] = case_layer ("l", &tar, IMAGE_PACKING_GZIP);
  tar_file (&tar, "f", text);
  layers[1] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", layers, 2, hex);
}

/* Gets the tree of "oci:l" from the cache in "state". */
static inline int cache_get (const struct image_unpack_options *options, struct image_root *ret_root,
                             struct error *err)
{
  cleanup_image_cache struct image_cache cache = { .fd = -1 };
  cleanup_image struct image *image = NULL;
  int r = case_open ("oci:l", &image, err);

  if (r == 0)
    r = image_cache_open ("state", &cache, err);
  return r < 0 ? r : image_cache_get (&cache, image, options, ret_root, err);
}

static inline void cache_gets (bool fresh)
{
  cleanup_error struct error err = { 0 };
  cleanup_image_root struct image_root root = { .fd = -1, .lock = -1 };
  int r = cache_get (&plain, &root, &err);

  CHECK (r == 0, "%s", error_text (&err));
  CHECK (root.fresh == fresh, "fresh: %d", root.fresh);
  assert_int_equal (root.report.entries, 4);
  assert_int_equal (root.report.setid_dropped, 1);
  assert_int_equal (faccessat (root.fd, "f", F_OK, 0), 0);
}

static inline size_t cache_collect (uint64_t unused)
{
  cleanup_error struct error err = { 0 };
  cleanup_image_cache struct image_cache cache = { .fd = -1 };
  size_t removed = 4711;
  int r = image_cache_open ("state", &cache, &err);

  if (r == 0)
    r = image_cache_gc (&cache, unused, &removed, &err);
  CHECK (r == 0, "%s", error_text (&err));
  return removed;
}

/* How many names in the cache begin with PREFIX. */
static inline size_t cache_count (const char *prefix)
{
  DIR *dir = opendir ("state/images");
  size_t found = 0;

  assert_non_null (dir);
  for (const struct dirent *e = readdir (dir); e != NULL; e = readdir (dir))
    found +=
        strcmp (e->d_name, ".") != 0 && strcmp (e->d_name, "..") != 0 && str_has_prefix (e->d_name, prefix);
  closedir (dir);
  return found;
}

/* A path in the tree of HEX; in a buffer of its own. */
static const char *cache_in_tree (const char *hex, const char *name)
{
  static char path[256];

  snprintf (path, sizeof (path), "state/images/sha256-%s%s%s", hex, name[0] ? "/" : "", name);
  return path;
}

/* Waits for CHILD; its exit code, or minus the signal that ended it. */
static inline int cache_reap (pid_t child)
{
  int status = 0;

  assert_int_equal (waitpid (child, &status, 0), child);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -WTERMSIG (status);
}

/* Ends this process in the middle of the second layer. */
static inline int cache_die_in_second (void *data, const struct image_progress *progress)
{
  (void) data;
  if (progress->stage == IMAGE_STAGE_UNPACK && progress->layer == 2)
    raise (SIGKILL);
  return 0;
}

static inline void cache_kill_unpacker (void)
{
  pid_t child = fork ();

  assert_true (child >= 0);
  if (child == 0) {
    const struct image_unpack_options options = { .tell = cache_die_in_second };
    struct error err = { 0 };
    struct image_root root = { .fd = -1, .lock = -1 };

    cache_get (&options, &root, &err);
    _exit (0);
  }
  assert_int_equal (cache_reap (child), -SIGKILL);
}
