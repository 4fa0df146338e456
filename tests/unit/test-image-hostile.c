/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hostile and damaged layers: each is refused, changes nothing outside the root, and has a twin that is not.
 */
#include <config.h>

#include "image-unpack.h"

#include <errno.h>

#include "base-limits.h"
#include "image-unpack-case.h"

#define F(name_, data_)                                                                                      \
  {                                                                                                          \
    .type = '0', .name = (name_), .data = (data_)                                                            \
  }
#define D(name_)                                                                                             \
  {                                                                                                          \
    .type = '5', .name = (name_)                                                                             \
  }
#define L(name_, target_)                                                                                    \
  {                                                                                                          \
    .type = '2', .name = (name_), .target = (target_)                                                        \
  }
#define H(name_, target_)                                                                                    \
  {                                                                                                          \
    .type = '1', .name = (name_), .target = (target_)                                                        \
  }
#define X(type_, name_)                                                                                      \
  {                                                                                                          \
    .type = (type_), .name = (name_)                                                                         \
  }

static const struct hostile {
  const char *what;
  struct tar_entry bad[CASE_ENTRIES];
  int code;
  const char *message; /* the end of it */
  struct tar_entry good[CASE_ENTRIES];
  const char *path, *looks; /* in the good one */
} hostile[] = {
  { "a way up",
    { F ("../outside/new", "x") },
    -EINVAL,
    "'../outside/new' has a '..' in it, which could lead out of the root",
    { F ("outside/new", "x") },
    "root/outside/new",
    "f 0644 x" },
  { "a way up in the middle",
    { D ("a"), F ("a/../../outside/new", "x") },
    -EINVAL,
    "which could lead out of the root",
    { D ("a"), F ("a/..outside/new", "x") },
    "root/a/..outside/new",
    "f 0644 x" },
  { "a way up that stays inside",
    { F ("a/../b", "x") },
    -EINVAL,
    "which could lead out of the root",
    { F ("a/b", "x") },
    "root/a/b",
    "f 0644 x" },
  { "the directory above",
    { D ("..") },
    -EINVAL,
    "which could lead out of the root",
    { D (".") },
    "root",
    "d 0755" },
  { "a file through a link",
    { L ("d", "../outside"), F ("d/new", "x") },
    -EINVAL,
    "'d/new' has a symbolic link or a file as one of its parent directories",
    { D ("d"), F ("d/new", "x") },
    "root/d/new",
    "f 0644 x" },
  { "a file through a link that stays inside",
    { D ("real"), L ("d", "real"), F ("d/new", "x") },
    -EINVAL,
    "as one of its parent directories",
    { D ("real"), L ("d", "real"), F ("real/new", "x") },
    "root/real/new",
    "f 0644 x" },
  { "a file far behind a link",
    { D ("a"), L ("a/b", "../../outside"), F ("a/b/c/d", "x") },
    -EINVAL,
    "as one of its parent directories",
    { D ("a"), D ("a/b"), F ("a/b/c/d", "x") },
    "root/a/b/c/d",
    "f 0644 x" },
  { "a file in a directory behind a link",
    { D ("a"), L ("a/b", "../../outside"), F ("a/b/sub/new", "x") },
    -EINVAL,
    "as one of its parent directories",
    { D ("a"), D ("a/b"), F ("a/b/sub/new", "x") },
    "root/a/b/sub/new",
    "f 0644 x" },
  { "a file through a link to the root of the host",
    { L ("d", "/"), F ("d/tmp/tyrum-oci-no-such-directory/x", "x") },
    -EINVAL,
    "as one of its parent directories",
    { L ("d", "/"), F ("e/tmp/x", "x") },
    "root/d",
    "l /" },
  { "a file through a link to itself through a process",
    { L ("d", "/proc/self/cwd/outside"), F ("d/new", "x") },
    -EINVAL,
    "as one of its parent directories",
    { L ("d", "/proc/self/cwd/outside"), F ("e/new", "x") },
    "root/e/new",
    "f 0644 x" },
  { "a directory through a link",
    { L ("d", "../outside"), D ("d/new") },
    -EINVAL,
    "as one of its parent directories",
    { D ("d"), D ("d/new") },
    "root/d/new",
    "d 0755" },
  { "a link through a link",
    { L ("d", "../outside"), L ("d/new", "x") },
    -EINVAL,
    "as one of its parent directories",
    { D ("d"), L ("d/new", "x") },
    "root/d/new",
    "l x" },
  { "a file in a file",
    { F ("f", "1"), F ("f/new", "x") },
    -EINVAL,
    "as one of its parent directories",
    { F ("f", "1"), F ("g/new", "x") },
    "root/g/new",
    "f 0644 x" },
  { "a whiteout through a link",
    { L ("d", "../outside"), F ("d/.wh.secret", "") },
    -EINVAL,
    "as one of its parent directories",
    { D ("d"), F ("d/.wh.secret", "") },
    "root/d",
    "d 0755" },
  { "an opaque directory through a link",
    { L ("d", "../outside"), F ("d/.wh..wh..opq", "") },
    -EINVAL,
    "as one of its parent directories",
    { D ("d"), F ("d/.wh..wh..opq", "") },
    "root/d",
    "d 0755" },
  { "a hard link to a file outside",
    { H ("h", "../outside/secret") },
    -EINVAL,
    "'h' is a hard link: '../outside/secret' has a '..' in it, which could lead out of the root",
    { F ("f", "x"), H ("h", "f") },
    "root/h",
    "f 0644 x" },
  { "a hard link with an absolute target",
    { F ("f", "x"), H ("h", "/f") },
    -EINVAL,
    "'h' is a hard link with an absolute target",
    { F ("f", "x"), H ("h", "./f") },
    "root/h",
    "f 0644 x" },
  { "a hard link through a link",
    { L ("d", "../outside"), H ("h", "d/secret") },
    -EINVAL,
    "'h' is a hard link to 'd/secret', which is not a regular file of the image",
    { F ("d/secret", "x"), H ("h", "d/secret") },
    "root/h",
    "f 0644 x" },
  { "a hard link to a link",
    { L ("l", "../outside/secret"), H ("h", "l") },
    -EINVAL,
    "which is not a regular file of the image",
    { F ("l", "x"), H ("h", "l") },
    "root/h",
    "f 0644 x" },
  { "a hard link to a directory",
    { D ("d"), H ("h", "d") },
    -EINVAL,
    "which is not a regular file of the image",
    { D ("d"), L ("h", "d") },
    "root/h",
    "l d" },
  { "a hard link to the root",
    { H ("h", ".") },
    -EINVAL,
    "which is not a regular file of the image",
    { F ("f", ""), H ("h", "f") },
    "root/h",
    "f 0644 " },
  { "a hard link to what is not there yet",
    { H ("h", "f"), F ("f", "x") },
    -EINVAL,
    "which is not a regular file of the image",
    { F ("f", "x"), H ("h", "f") },
    "root/h",
    "f 0644 x" },
  { "a hard link over the directory that its target is in",
    { F ("d/f", "x"), H ("d", "d/f") },
    -EINVAL,
    "which is not a regular file of the image",
    { F ("d/f", "x"), H ("e", "d/f") },
    "root/e",
    "f 0644 x" },
  { "a character device",
    { X ('3', "null") },
    -EPERM,
    "'null' is a device; images may hold files, directories and links",
    { F ("null", "") },
    "root/null",
    "f 0644 " },
  { "a block device",
    { X ('4', "sda") },
    -EPERM,
    "'sda' is a device; images may hold files, directories and links",
    { F ("sda", "") },
    "root/sda",
    "f 0644 " },
  { "a FIFO",
    { X ('6', "pipe") },
    -EPERM,
    "'pipe' is a FIFO; images may hold files, directories and links",
    { F ("pipe", "") },
    "root/pipe",
    "f 0644 " },
  { "a whiteout that is a device",
    { X ('3', ".wh.x") },
    -EPERM,
    "is a device; images may hold files, directories and links",
    { F (".wh.x", "") },
    "root/.wh.x",
    "-" },
  { "a whiteout that is a link",
    { L (".wh.x", "y") },
    -EINVAL,
    "'.wh.x' is a whiteout that is not a regular file",
    { L ("x", "y") },
    "root/x",
    "l y" },
  { "a whiteout that is a directory",
    { D (".wh.x") },
    -EINVAL,
    "is a whiteout that is not a regular file",
    { D ("x") },
    "root/x",
    "d 0755" },
  { "a whiteout of the directory above",
    { F ("d/.wh...", "") },
    -EINVAL,
    "'d/.wh...' is a whiteout that names no file",
    { F ("d/.wh...x", "") },
    "root/d",
    "-" },
  { "a whiteout of nothing",
    { F (".wh.", "") },
    -EINVAL,
    "is a whiteout that names no file",
    { F (".wh", "") },
    "root/.wh",
    "f 0644 " },
  { "a file in a whiteout",
    { F (".wh.d/f", "") },
    -EINVAL,
    "'.wh.d/f' is in a directory that is named like a whiteout",
    { F ("wh.d/f", "") },
    "root/wh.d/f",
    "f 0644 " },
  { "the root as a file",
    { F ("./.", "") },
    -EINVAL,
    "an entry for the root itself is not a directory",
    { { .type = '5', .name = "./", .mode = 0711 } },
    "root",
    "d 0711" },
  { "the root as a link",
    { L (".", "outside") },
    -EINVAL,
    "an entry for the root itself is not a directory",
    { D (".") },
    "root",
    "d 0755" },
  { "a name that speaks to the terminal",
    { X ('3', "a\n\x1b[2Jb") },
    -EPERM,
    "'a\\x0a\\x1b[2Jb' is a device; images may hold files, directories and links",
    { F ("a\n\x1b[2Jb", "") },
    "root/a\n\x1b[2Jb",
    "f 0644 " },
};

static void test_hostile (void **state)
{
  const struct image_unpack_options plain = { 0 };

  (void) state;
  case_layout ("l");
  assert_int_equal (mkdir ("outside", 0755), 0);
  assert_int_equal (mkdir ("outside/sub", 0755), 0);
  case_write_text ("outside/secret", "safe");
  for (size_t i = 0; i < ARRAY_LEN (hostile); i++) {
    const struct hostile *row = &hostile[i];
    struct stat st;

    print_message ("# %s\n", row->what);
    case_build (row->bad);
    case_unpack_fails (plain, row->code, row->message);
    LOOKS ("outside/secret", "f 0644 safe");
    LOOKS ("outside/new", "-");
    LOOKS ("outside/sub/new", "-");
    assert_int_equal (stat ("outside/secret", &st), 0);
    assert_int_equal (st.st_nlink, 1);
    case_remove_root ();
    case_build (row->good);
    case_unpacks (plain);
    LOOKS (row->path, row->looks);
    case_remove_root ();
  }
}

/* A directory that became a link in a later layer is not followed either. */
static void test_link_from_another_layer (void **state)
{
  const struct image_unpack_options plain = { 0 };
  struct case_layer layers[3];
  struct tar tar = { 0 };

  (void) state;
  case_layout ("l");
  assert_int_equal (mkdir ("outside", 0755), 0);
  tar_file (&tar, "d/f", "1");
  layers[0] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  tar_link (&tar, '2', "d", "../outside");
  layers[1] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  tar_file (&tar, "d/new", "x");
  layers[2] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", layers, 3, NULL);
  case_unpack_fails (plain, -EINVAL,
                     "layer 3 of 3: 'd/new' has a symbolic link or a file as one of its parent directories");
  LOOKS ("outside/new", "-");
  case_remove_root ();
  case_image ("l", layers, 2, NULL);
  case_unpacks (plain);
  LOOKS ("root/d", "l ../outside");
}

static const struct CMUnitTest cases[] = {
  BOTH_WAYS (test_hostile),
  BOTH_WAYS (test_link_from_another_layer),
};

int main (void)
{
  if (!HAVE_LIBARCHIVE)
    return 77;
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (cases, NULL, NULL);
}
