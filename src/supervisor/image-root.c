/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A root from an image: the layout is read and checked, its tree found in the cache or unpacked into it, and
 * the launch gets the tree as the directory that its root is. The cache keeps the tree as long as the part
 * has it open. */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image-cache.h"

/* From here on the image is a directory like any other, with an identity that the stage compares. */
static int use_tree (struct launch *launch, const struct image_root *root, struct error *err)
{
  struct stat st;
  char *path = strdup (root->path);

  if (path == NULL)
    return error_oom (err);
  if (fstat (root->fd, &st) < 0) {
    free (path);
    return error_set_errno (err, errno, "look at '%s'", root->path);
  }
  free (launch->root_path);
  launch->root_path = path;
  launch->root = ROOT_FROM_DIRECTORY;
  launch->root_device = st.st_dev;
  launch->root_inode = st.st_ino;
  return 0;
}

static int find_image (struct run *run, struct image_root *ret_root, struct error *err)
{
  const struct plan *plan = run->options->plan;
  cleanup_image_reference struct image_reference reference = { 0 };
  cleanup_image_cache struct image_cache opened = { .fd = -1 };
  cleanup_image struct image *image = NULL;
  /* A setuid program gives nothing where no_new_privileges holds, so the bit has no business there. */
  const struct image_unpack_options options = { .keep_setid =
                                                    !plan->settings.values[SETTING_NO_NEW_PRIVILEGES].flag,
                                                .tell = run->options->tell,
                                                .tell_data = run->options->tell_data };
  int r;

  if (!image_reference_is (plan->root_path))
    return error_set (err, -EINVAL, "--image: '%s' is not oci:DIR or oci:DIR:TAG, which %s needs",
                      plan->root_path, plan->backend->name);
  r = image_reference_parse (plan->root_path, &reference, err);
  if (r == 0)
    r = image_open (&reference, run->options->host->machine, &image, err);
  if (r == 0)
    r = image_cache_open (run->options->cache, &opened, err);
  if (r == 0)
    r = image_cache_get (&opened, image, &options, ret_root, err);
  if (options.tell != NULL)
    options.tell (options.tell_data, &(const struct image_progress){ .stage = IMAGE_STAGE_DONE });
  if (r < 0)
    return error_prefix (err, "--image");
  return use_tree (&run->launch, ret_root, err);
}

static void init (struct run *run, void *state)
{
  struct image_root *root = state;

  (void) run;
  root->fd = root->lock = -1;
}

static int prepare (struct run *run, void *state, struct error *err)
{
  return run->options->plan->root == ROOT_FROM_IMAGE ? find_image (run, state, err) : 0;
}

static void undo (struct run *run, void *state, struct error *err)
{
  (void) run;
  (void) err;
  image_root_release (state);
}

const struct run_part image_root_part = {
  .name = "image root", .size = sizeof (struct image_root), .init = init, .prepare = prepare, .undo = undo
};
