/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of unpacking share: an image of a few tars, unpacked into the directory "root" beside a
 * directory "outside" that nothing may change, once with openat2 and once without.
 */
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-error.h"
#include "base-str.h"
#include "image-case.h"
#include "image-unpack.h"
#include "unit.h"

static bool case_walk;

static inline int case_enter_kernel (void **state)
{
  case_walk = false;
  return case_enter (state);
}

static inline int case_enter_walk (void **state)
{
  case_walk = true;
  return case_enter (state);
}

#define BOTH_WAYS(test)                                                                                      \
  { #test, test, case_enter_kernel, case_leave, NULL },                                                      \
  {                                                                                                          \
#test " without openat2", test, case_enter_walk, case_leave, NULL                                        \
  }

static inline int case_open (const char *text, struct image **ret_image, struct error *err)
{
  cleanup_image_reference struct image_reference reference = { 0 };
  struct utsname host;
  int r = image_reference_parse (text, &reference, err);

  assert_int_equal (uname (&host), 0);
  return r < 0 ? r : image_open (&reference, host.machine, ret_image, err);
}

/* Unpacks "oci:l" into a new directory "root". */
static inline int case_unpack (struct image_unpack_options options, struct image_report *ret_report,
                               struct error *err)
{
  cleanup_image struct image *image = NULL;
  cleanup_close int root = -1;
  int r = case_open ("oci:l", &image, err);

  if (r < 0)
    return r;
  assert_int_equal (mkdir ("root", 0700), 0);
  root = open ("root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_true (root >= 0);
  options.walk = case_walk;
  return image_unpack (image, root, &options, ret_report, err);
}

static inline struct image_report case_unpacks (struct image_unpack_options options)
{
  cleanup_error struct error err = { 0 };
  struct image_report report = { 0 };

  CHECK (case_unpack (options, &report, &err) == 0, "%s", error_text (&err));
  return report;
}

#define LOOKS(path, expected)                                                                                \
  do {                                                                                                       \
    const char *looks_ = case_look (path);                                                                   \
    CHECK (strcmp (looks_, expected) == 0, "%s is '%s', not '%s'", path, looks_, expected);                  \
  } while (0)

/* Unpacking fails with CODE and a message that ends with END, and reports nothing. */
static inline void case_unpack_fails (struct image_unpack_options options, int code, const char *end)
{
  cleanup_error struct error err = { 0 };
  struct image_report report = { .entries = 4711 };
  int r = case_unpack (options, &report, &err);

  CHECK (r == code, "%d, %s", r, error_text (&err));
  CHECK (str_has_suffix (error_text (&err), end), "%s", error_text (&err));
  CHECK (str_has_prefix (error_text (&err), "cannot unpack image 'oci:l': "), "%s", error_text (&err));
  assert_int_equal (report.entries, 4711);
}

static inline void case_remove_root (void)
{
  assert_int_equal (system ("chmod -R u+rwx root && rm -rf root"), 0);
}

#define CASE_ENTRIES 5

/* Makes "oci:l", in a layout that is there, an image of one layer with these entries, up to the first without
 * a name. */
static inline void case_build (const struct tar_entry *entries)
{
  struct case_layer layer;
  struct tar tar = { 0 };

  for (size_t i = 0; i < CASE_ENTRIES && entries[i].name != NULL; i++)
    tar_put (&tar, entries[i]);
  layer = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", &layer, 1, NULL);
}
