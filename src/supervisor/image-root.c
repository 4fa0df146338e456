/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "supervisor-image-root.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

int run_image (const struct plan *plan, const char *machine, const char *cache, image_progress_teller *tell,
               void *tell_data, struct launch *launch, struct image_root *ret_root, struct error *err)
{
  cleanup_image_reference struct image_reference reference = { 0 };
  cleanup_image_cache struct image_cache opened = { .fd = -1 };
  cleanup_image struct image *image = NULL;
  /* A setuid program gives nothing where no_new_privileges holds, so the bit has no business there. */
  const struct image_unpack_options options = {
    .keep_setid = !plan->settings.values[SETTING_NO_NEW_PRIVILEGES].flag, .tell = tell, .tell_data = tell_data
  };
  int r;

  if (plan->root != ROOT_FROM_IMAGE)
    return 0;
  if (!image_reference_is (plan->root_path))
    return error_set (err, -EINVAL, "--image: '%s' is not oci:DIR or oci:DIR:TAG, which %s needs",
                      plan->root_path, plan->backend->name);
  r = image_reference_parse (plan->root_path, &reference, err);
  if (r == 0)
    r = image_open (&reference, machine, &image, err);
  if (r == 0)
    r = image_cache_open (cache, &opened, err);
  if (r == 0)
    r = image_cache_get (&opened, image, &options, ret_root, err);
  if (tell != NULL)
    tell (tell_data, &(const struct image_progress){ .stage = IMAGE_STAGE_DONE });
  if (r < 0)
    return error_prefix (err, "--image");
  return use_tree (launch, ret_root, err);
}
