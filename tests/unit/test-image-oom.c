/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every allocation of the image code fails once.
 *
 * Each row is a job that leaves nothing behind. It is run with its first allocation failing, then its second,
 * and so on until it gets through; then the same with all later ones failing too. Each time it must say
 * -ENOMEM, or the refusal that it was to give anyway, and every block must be free again. What libarchive
 * allocates for itself is not failed.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>

#include "image-cache.h"
#include "image-unpack-case.h"
#include "oom.h"

static const struct image_unpack_options plain = { 0 };

static void *directory;

/* Two layers in which every kind of entry and whiteout happens, in a directory that all rows share. */
static int make_inputs (void **state)
{
  struct case_layer layers[2];
  struct tar tar = { 0 };

  /* A state of the group's would hide those of the rows. */
  (void) state;
  if (case_enter_kernel (&directory) < 0)
    return -1;
  case_layout ("l");
  tar_directory (&tar, "a", 0711);
  tar_file (&tar, "a/b/c", "1");
  tar_file (&tar, "gone/f", "1");
  tar_file (&tar, "opaque/f", "1");
  layers[0] = case_layer ("l", &tar, IMAGE_PACKING_GZIP);
  tar_file (&tar, ".wh.gone", "");
  tar_file (&tar, "opaque/g", "2");
  tar_file (&tar, "opaque/.wh..wh..opq", "");
  tar_file (&tar, "a/b", "2");
  tar_link (&tar, '2', "link", "a");
  tar_link (&tar, '1', "hard", "opaque/g");
  layers[1] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", layers, 2, NULL);
  return 0;
}

static int remove_inputs (void **state)
{
  (void) state;
  return case_leave (&directory);
}

static int run_open (struct error *err)
{
  cleanup_image struct image *image = NULL;

  return case_open ("oci:l", &image, err);
}

static int run_wrong_tag (struct error *err)
{
  cleanup_image struct image *image = NULL;

  return case_open ("oci:l:none", &image, err);
}

static int run_unpack (struct error *err)
{
  struct image_report report;
  cleanup_image struct image *image = NULL;
  cleanup_close int root = -1;
  int r = case_open ("oci:l", &image, err);

  if (r < 0)
    return r;
  assert_int_equal (mkdir ("root", 0700), 0);
  root = open ("root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  r = image_unpack (image, root, &plain, &report, err);
  case_remove_root ();
  return r;
}

static int run_refused (struct error *err)
{
  const struct image_unpack_options narrow = { .entries_max = 6 };
  struct image_report report;
  int r = case_unpack (narrow, &report, err);

  if (access ("root", F_OK) == 0)
    case_remove_root ();
  return r;
}

/* Makes a tree, finds it again, and removes it. */
static int run_cache (struct error *err)
{
  cleanup_image struct image *image = NULL;
  cleanup_image_cache struct image_cache cache = { .fd = -1 };
  int r = case_open ("oci:l", &image, err);
  size_t removed = 0;

  if (r == 0)
    r = image_cache_open ("state", &cache, err);
  for (unsigned i = 0; r == 0 && i < 2; i++) {
    cleanup_image_root struct image_root root = { .fd = -1, .lock = -1 };

    r = image_cache_get (&cache, image, &plain, &root, err);
  }
  if (r == 0)
    r = image_cache_gc (&cache, 0, &removed, err);
  return r;
}

static struct row {
  const char *name;
  int (*run) (struct error *err);
  int answer;
} rows[] = {
  { "open an image", run_open, 0 },
  { "open a tag that is not there", run_wrong_tag, -ENOENT },
  { "unpack an image", run_unpack, 0 },
  { "unpack an image that is refused", run_refused, -EFBIG },
  { "get a tree from the cache", run_cache, 0 },
};

/* Answers whether an allocation has failed. */
static bool run_failing_at (const struct row *row, unsigned long nth, bool and_after)
{
  struct error err = { 0 };
  long before = oom_live (), after;
  bool struck;
  int r;

  oom_fail_at (nth, and_after);
  r = row->run (&err);
  struck = oom_stop ();
  /* A refusal stays one where only its words could not be made. */
  CHECK (struck ? r == -ENOMEM || (row->answer < 0 && r == row->answer) : r == row->answer,
         "%s, allocation %lu: %d, %s", row->name, nth, r, error_text (&err));
  error_clear (&err);
  after = oom_live ();
  CHECK (after == before, "%s, allocation %lu: %ld blocks are left", row->name, nth, after - before);
  return struck;
}

static void test_row (void **state)
{
  const struct row *row = *state;
  unsigned long count = 1;

  while (run_failing_at (row, count, false))
    CHECK (++count < 100000, "there is no end to it");
  for (unsigned long nth = 1; nth < count; nth++)
    CHECK (run_failing_at (row, nth, true), "allocation %lu did not happen again", nth);
  print_message ("# %s: %lu allocations\n", row->name, count - 1);
  assert_true (count > 1);
}

int main (void)
{
  struct CMUnitTest cases[ARRAY_LEN (rows)];

  if (!HAVE_LIBARCHIVE)
    return 77;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++)
    cases[i] = (struct CMUnitTest){ .name = rows[i].name, .test_func = test_row, .initial_state = &rows[i] };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (cases, make_inputs, remove_inputs);
}
