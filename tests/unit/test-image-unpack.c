/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layers over layers: what a good image becomes. */
#include <config.h>

#include "image-unpack.h"

#include <errno.h>
#include <locale.h>
#include <sys/xattr.h>

#include "image-unpack-case.h"

static const struct image_unpack_options plain = { 0 };

static void test_two_layers (void **state)
{
  struct case_layer layers[2];
  struct tar tar = { 0 };
  struct image_report report;

  (void) state;
  case_layout ("l");
  tar_directory (&tar, "./", 0711);
  tar_directory (&tar, "etc/", 0755);
  tar_file (&tar, "etc/kept", "1");
  tar_file (&tar, "etc/changed", "old");
  tar_file (&tar, "etc/gone", "1");
  tar_directory (&tar, "opaque", 0755);
  tar_file (&tar, "opaque/below", "1");
  tar_directory (&tar, "opaque/sub", 0755);
  tar_file (&tar, "opaque/sub/below", "1");
  tar_directory (&tar, "tree", 0755);
  tar_file (&tar, "tree/a/b/c", "1");
  layers[0] = case_layer ("l", &tar, IMAGE_PACKING_GZIP);
  tar_file (&tar, "etc/changed", "new");
  tar_file (&tar, "etc/.wh.gone", "");
  tar_file (&tar, "etc/.wh.never-was", "");
  tar_file (&tar, "nowhere/.wh.x", "");
  tar_file (&tar, ".wh.tree", "");
  tar_directory (&tar, "opaque", 0700);
  tar_file (&tar, "opaque/.wh..wh..opq", "");
  tar_file (&tar, "opaque/above", "2");
  layers[1] = case_layer ("l", &tar, IMAGE_PACKING_ZSTD);
  case_image ("l", layers, 2, NULL);
  report = case_unpacks (plain);
  LOOKS ("root", "d 0711");
  LOOKS ("root/etc", "d 0755");
  LOOKS ("root/etc/kept", "f 0644 1");
  LOOKS ("root/etc/changed", "f 0644 new");
  LOOKS ("root/etc/gone", "-");
  LOOKS ("root/etc/.wh.gone", "-");
  LOOKS ("root/opaque", "d 0700");
  LOOKS ("root/opaque/above", "f 0644 2");
  LOOKS ("root/opaque/below", "-");
  LOOKS ("root/opaque/sub", "-");
  LOOKS ("root/opaque/.wh..wh..opq", "-");
  LOOKS ("root/tree", "-");
  LOOKS ("root/nowhere", "-");
  assert_int_equal (report.entries, 19);
  assert_int_equal (report.whiteouts, 5);
  assert_int_equal (report.bytes, 12);
  assert_int_equal (report.setid_dropped, 0);
}

/* A whiteout means the layers below, wherever it stands among the entries of its own. */
static void test_whiteouts_spare_their_own_layer (void **state)
{
  struct case_layer layers[2];
  struct tar tar = { 0 };

  (void) state;
  case_layout ("l");
  tar_file (&tar, "opaque/below", "1");
  tar_file (&tar, "opaque/sub/below", "1");
  tar_file (&tar, "opaque/sub/sub/below", "1");
  tar_file (&tar, "merged/below", "1");
  tar_file (&tar, "file", "1");
  tar_link (&tar, '2', "link", "file");
  layers[0] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  tar_file (&tar, "opaque/above", "2");
  tar_file (&tar, "opaque/sub/sub/above", "2");
  tar_file (&tar, "opaque/.wh..wh..opq", "");
  tar_file (&tar, "merged/above", "2");
  tar_file (&tar, ".wh.merged", "");
  tar_file (&tar, "file", "2");
  tar_file (&tar, ".wh.file", "");
  tar_file (&tar, ".wh.link", "");
  layers[1] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", layers, 2, NULL);
  case_unpacks (plain);
  LOOKS ("root/opaque/above", "f 0644 2");
  LOOKS ("root/opaque/below", "-");
  LOOKS ("root/opaque/sub/below", "-");
  LOOKS ("root/opaque/sub/sub/above", "f 0644 2");
  LOOKS ("root/opaque/sub/sub/below", "-");
  LOOKS ("root/merged/above", "f 0644 2");
  LOOKS ("root/merged/below", "-");
  LOOKS ("root/file", "f 0644 2");
  LOOKS ("root/link", "-");
}

static void test_opaque_root (void **state)
{
  struct case_layer layers[2];
  struct tar tar = { 0 };

  (void) state;
  case_layout ("l");
  tar_file (&tar, "a/b", "1");
  tar_file (&tar, "c", "1");
  layers[0] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  tar_file (&tar, ".wh..wh..opq", "");
  tar_file (&tar, "d", "2");
  layers[1] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", layers, 2, NULL);
  case_unpacks (plain);
  LOOKS ("root/a", "-");
  LOOKS ("root/c", "-");
  LOOKS ("root/d", "f 0644 2");
}

/* Modes that would keep us out are set when all is in place; what a whiteout took leaves nothing behind. */
static void test_directory_modes (void **state)
{
  struct case_layer layers[2];
  struct tar tar = { 0 };

  (void) state;
  case_layout ("l");
  tar_directory (&tar, "closed", 0500);
  tar_file (&tar, "closed/a", "1");
  tar_directory (&tar, "closed/inner", 0100);
  tar_directory (&tar, "twice", 0700);
  tar_directory (&tar, "remade", 0700);
  tar_directory (&tar, "remade/sub", 0711);
  layers[0] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  tar_file (&tar, "closed/b", "2");
  tar_file (&tar, "closed/inner/c", "2");
  tar_directory (&tar, "twice", 0750);
  tar_file (&tar, ".wh.remade", "");
  tar_file (&tar, "remade/sub/d", "2");
  layers[1] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", layers, 2, NULL);
  case_unpacks (plain);
  LOOKS ("root", "d 0755");
  LOOKS ("root/closed", "d 0500");
  LOOKS ("root/closed/inner", "d 0100");
  LOOKS ("root/closed/inner/c", "f 0644 2");
  LOOKS ("root/twice", "d 0750");
  LOOKS ("root/remade", "d 0755");
  LOOKS ("root/remade/sub", "d 0755");
}

static void assert_time (const char *path, time_t expected)
{
  struct stat st;

  assert_int_equal (lstat (path, &st), 0);
  CHECK (st.st_mtime == expected, "%s: %lld", path, (long long) st.st_mtime);
}

static void test_times (void **state)
{
  struct case_layer layers[2];
  struct tar tar = { 0 };
  struct stat st;

  (void) state;
  case_layout ("l");
  tar_put (&tar, (struct tar_entry){ .type = '5', .name = "d", .mtime = 1000 });
  tar_put (&tar, (struct tar_entry){ .type = '0', .name = "d/f", .data = "1", .mtime = 2000 });
  tar_put (&tar, (struct tar_entry){ .type = '2', .name = "d/l", .target = "f", .mtime = 3000 });
  tar_pax (&tar, "mtime", "-5.25");
  tar_put (&tar, (struct tar_entry){ .type = '0', .name = "d/old", .data = "1", .mtime = 9 });
  layers[0] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  /* A file more does not make the directory newer. */
  tar_put (&tar, (struct tar_entry){ .type = '0', .name = "d/g", .data = "2", .mtime = 4000 });
  layers[1] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", layers, 2, NULL);
  case_unpacks (plain);
  assert_time ("root/d", 1000);
  assert_time ("root", 0);
  assert_time ("root/d/f", 2000);
  assert_time ("root/d/l", 3000);
  assert_time ("root/d/g", 4000);
  /* Before 1970; how the fraction is rounded is the library's business. */
  assert_int_equal (lstat ("root/d/old", &st), 0);
  assert_in_range (st.st_mtime + 10, 3, 6);
}

/* One layer made of TAR, unpacked. */
static struct image_report one_layer (struct tar *tar, struct image_unpack_options options)
{
  struct case_layer layer;

  case_layout ("l");
  layer = case_layer ("l", tar, IMAGE_PACKING_NONE);
  case_image ("l", &layer, 1, NULL);
  return case_unpacks (options);
}

static void put_modes (struct tar *tar)
{
  tar_put (tar, (struct tar_entry){ .type = '0', .name = "suid", .mode = 04755 });
  tar_put (tar, (struct tar_entry){ .type = '0', .name = "sgid", .mode = 02755 });
  tar_put (tar, (struct tar_entry){ .type = '0', .name = "sticky", .mode = 01644 });
  tar_directory (tar, "tmp", 01777);
  tar_directory (tar, "mail", 02775);
  tar_directory (tar, "none", 07000);
}

static void test_setid_bits_are_dropped (void **state)
{
  struct tar tar = { 0 };
  struct image_report report;

  (void) state;
  put_modes (&tar);
  report = one_layer (&tar, plain);
  LOOKS ("root/suid", "f 0755 ");
  LOOKS ("root/sgid", "f 0755 ");
  LOOKS ("root/sticky", "f 0644 ");
  LOOKS ("root/tmp", "d 1777");
  LOOKS ("root/mail", "d 0775");
  LOOKS ("root/none", "d 1000");
  assert_int_equal (report.setid_dropped, 4);
}

static void test_setid_bits_are_kept_when_asked (void **state)
{
  struct tar tar = { 0 };
  struct image_report report;

  (void) state;
  put_modes (&tar);
  report = one_layer (&tar, (struct image_unpack_options){ .keep_setid = true });
  LOOKS ("root/suid", "f 4755 ");
  LOOKS ("root/sgid", "f 2755 ");
  LOOKS ("root/sticky", "f 0644 ");
  LOOKS ("root/tmp", "d 1777");
  LOOKS ("root/mail", "d 2775");
  assert_int_equal (report.setid_dropped, 0);
}

static void put_owned (struct tar *tar)
{
  tar_put (tar, (struct tar_entry){ .type = '0', .name = "f", .mode = 04755, .uid = 1234, .gid = 5678 });
  tar_put (tar, (struct tar_entry){ .type = '5', .name = "d", .uid = 1, .gid = 2 });
  tar_put (tar, (struct tar_entry){ .type = '2', .name = "l", .target = "f", .uid = 3, .gid = 4 });
}

static void assert_owner (const char *path, uid_t uid, gid_t gid)
{
  struct stat st;

  assert_int_equal (lstat (path, &st), 0);
  CHECK (st.st_uid == uid && st.st_gid == gid, "%s: %u:%u", path, st.st_uid, st.st_gid);
}

static void test_owners_are_ours (void **state)
{
  struct tar tar = { 0 };

  (void) state;
  put_owned (&tar);
  one_layer (&tar, plain);
  assert_owner ("root/f", geteuid (), getegid ());
  assert_owner ("root/d", geteuid (), getegid ());
  assert_owner ("root/l", geteuid (), getegid ());
}

/* Only root can. */
static void test_owners_are_kept (void **state)
{
  struct tar tar = { 0 };

  (void) state;
  put_owned (&tar);
  one_layer (&tar, (struct image_unpack_options){ .keep_owner = true, .keep_setid = true });
  assert_owner ("root/f", 1234, 5678);
  assert_owner ("root/d", 1, 2);
  assert_owner ("root/l", 3, 4);
  LOOKS ("root/f", "f 4755 ");
}

static void test_attributes (void **state)
{
  struct tar tar = { 0 };
  struct image_report report;
  char value[32] = "";

  (void) state;
  tar_pax (&tar, "SCHILY.xattr.user.test", "yes");
  tar_put (&tar, (struct tar_entry){ .type = '0', .name = "user", .mode = 0444 });
  tar_pax (&tar, "SCHILY.xattr.user.overlay.opaque", "y");
  tar_directory (&tar, "overlay", 0755);
  tar_pax (&tar, "SCHILY.xattr.user.containers.override_stat", "0:0:4755");
  tar_file (&tar, "containers", "");
  tar_pax (&tar, "SCHILY.xattr.trusted.overlay.opaque", "y");
  tar_directory (&tar, "trusted", 0755);
  tar_pax (&tar, "SCHILY.xattr.security.capability", "xx");
  tar_file (&tar, "capable", "");
  tar_pax (&tar, "SCHILY.xattr.user.test", "yes");
  tar_link (&tar, '2', "link", "user");
  report = one_layer (&tar, plain);
  assert_int_equal (report.capabilities_dropped, 1);
  assert_true (getxattr ("root/overlay", "user.overlay.opaque", value, sizeof (value)) < 0);
  assert_true (getxattr ("root/containers", "user.containers.override_stat", value, sizeof (value)) < 0);
  assert_true (getxattr ("root/trusted", "trusted.overlay.opaque", value, sizeof (value)) < 0);
  assert_true (getxattr ("root/capable", "security.capability", value, sizeof (value)) < 0);
  /* A file system without attributes for users drops that one as well. */
  if (setxattr ("root/containers", "user.try", "1", 1, 0) == 0) {
    assert_int_equal (report.attributes_dropped, 4);
    assert_int_equal (getxattr ("root/user", "user.test", value, sizeof (value)), 3);
    assert_string_equal (value, "yes");
  } else
    assert_int_equal (report.attributes_dropped, 5);
}

static void test_links (void **state)
{
  struct stat first, second;
  struct tar tar = { 0 };

  (void) state;
  tar_file (&tar, "d/f", "1");
  tar_link (&tar, '1', "hard", "d/f");
  tar_link (&tar, '1', "d/hard", "./d/f");
  tar_link (&tar, '1', "d/f", "d/f");
  tar_link (&tar, '2', "absolute", "/etc/passwd");
  tar_link (&tar, '2', "up", "../../outside");
  tar_link (&tar, '2', "loop", "loop");
  one_layer (&tar, plain);
  assert_int_equal (stat ("root/d/f", &first), 0);
  assert_int_equal (stat ("root/hard", &second), 0);
  assert_int_equal (first.st_ino, second.st_ino);
  assert_int_equal (first.st_nlink, 3);
  LOOKS ("root/d/hard", "f 0644 1");
  LOOKS ("root/absolute", "l /etc/passwd");
  LOOKS ("root/up", "l ../../outside");
  LOOKS ("root/loop", "l loop");
}

/* The same name again, as another thing: the later one stands, and nothing is written through the earlier. */
static void test_replacing (void **state)
{
  struct case_layer layers[2];
  struct tar tar = { 0 };

  (void) state;
  case_layout ("l");
  assert_int_equal (mkdir ("outside", 0755), 0);
  case_write_text ("outside/f", "safe");
  tar_file (&tar, "file-file", "1");
  tar_file (&tar, "file-file", "2");
  tar_file (&tar, "file-directory", "1");
  tar_file (&tar, "directory-file/a/b", "1");
  tar_link (&tar, '2', "link-file", "../outside/f");
  tar_link (&tar, '2', "link-directory", "../outside");
  tar_link (&tar, '2', "link-link", "../outside");
  tar_file (&tar, "hard", "1");
  tar_link (&tar, '1', "hard-too", "hard");
  layers[0] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  tar_directory (&tar, "file-directory", 0755);
  tar_file (&tar, "file-directory/x", "2");
  tar_file (&tar, "directory-file", "2");
  tar_file (&tar, "link-file", "2");
  tar_directory (&tar, "link-directory", 0700);
  tar_file (&tar, "link-directory/f", "2");
  tar_link (&tar, '2', "link-link", "elsewhere");
  tar_file (&tar, "hard", "2");
  layers[1] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", layers, 2, NULL);
  case_unpacks (plain);
  LOOKS ("root/file-file", "f 0644 2");
  LOOKS ("root/file-directory/x", "f 0644 2");
  LOOKS ("root/directory-file", "f 0644 2");
  LOOKS ("root/link-file", "f 0644 2");
  LOOKS ("root/link-directory", "d 0700");
  LOOKS ("root/link-directory/f", "f 0644 2");
  LOOKS ("root/link-link", "l elsewhere");
  LOOKS ("root/hard", "f 0644 2");
  LOOKS ("root/hard-too", "f 0644 1");
  LOOKS ("outside/f", "f 0644 safe");
  LOOKS ("outside", "d 0755");
}

/* Bytes as they are, in any locale: composed and decomposed letters are two names, and some bytes are no
 * letters. */
static void test_names_keep_their_bytes (void **state)
{
  struct tar tar = { 0 };
  const char *before = setlocale (LC_ALL, NULL);

  (void) state;
  assert_non_null (before);
  assert_non_null (setlocale (LC_ALL, "C.UTF-8"));
  tar_pax (&tar, "path", "e\xcc\x81");
  tar_file (&tar, "x", "decomposed");
  tar_pax (&tar, "path", "\xc3\xa9");
  tar_file (&tar, "x", "composed");
  tar_file (&tar, "latin-\xe9", "latin");
  tar_pax (&tar, "path", "bad-\xff\xfe");
  tar_file (&tar, "x", "bad");
  tar_pax (&tar, "linkpath", "to-e\xcc\x81");
  tar_link (&tar, '2', "link", "x");
  tar_file (&tar, "a\nb\t\x1b", "control");
  one_layer (&tar, plain);
  setlocale (LC_ALL, "C");
  LOOKS ("root/e\xcc\x81", "f 0644 decomposed");
  LOOKS ("root/\xc3\xa9", "f 0644 composed");
  LOOKS ("root/latin-\xe9", "f 0644 latin");
  LOOKS ("root/bad-\xff\xfe", "f 0644 bad");
  LOOKS ("root/link", "l to-e\xcc\x81");
  LOOKS ("root/a\nb\t\x1b", "f 0644 control");
}

static void test_names_are_made_normal (void **state)
{
  struct tar tar = { 0 };

  (void) state;
  tar_file (&tar, "/absolute/f", "1");
  tar_file (&tar, "./here/./f", "1");
  tar_file (&tar, "many///slashes//f", "1");
  one_layer (&tar, plain);
  LOOKS ("root/absolute/f", "f 0644 1");
  LOOKS ("root/here/f", "f 0644 1");
  LOOKS ("root/many/slashes/f", "f 0644 1");
}

static void test_empty_images (void **state)
{
  struct case_layer layer;
  struct tar tar = { 0 };

  (void) state;
  case_layout ("l");
  case_image ("l", NULL, 0, NULL);
  assert_int_equal (case_unpacks (plain).entries, 0);
  LOOKS ("root", "d 0755");
  assert_int_equal (rmdir ("root"), 0);
  layer = case_layer ("l", &tar, IMAGE_PACKING_GZIP);
  case_image ("l", &layer, 1, NULL);
  assert_int_equal (case_unpacks (plain).entries, 0);
}

struct told {
  unsigned calls;
  int stop_at; /* the call that is answered with an error; 0 for none */
  struct image_progress last;
  bool backwards;
};

static int note (void *data, const struct image_progress *progress)
{
  struct told *told = data;

  told->backwards |= progress->bytes < told->last.bytes || progress->layer < told->last.layer;
  told->last = *progress;
  return (int) ++told->calls == told->stop_at ? -ECANCELED : 0;
}

static void test_progress (void **state)
{
  static char data[3 * 1024 * 1024];
  struct told told = { 0 };
  struct case_layer layers[2];
  struct tar tar = { 0 };

  (void) state;
  case_layout ("l");
  tar_put (&tar, (struct tar_entry){ .type = '0', .name = "big", .data = data, .data_len = sizeof (data) });
  layers[0] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  tar_file (&tar, "small", "1");
  layers[1] = case_layer ("l", &tar, IMAGE_PACKING_GZIP);
  case_image ("l", layers, 2, NULL);
  case_unpacks ((struct image_unpack_options){ .tell = note, .tell_data = &told });
  assert_in_range (told.calls, 6, 8);
  assert_false (told.backwards);
  assert_int_equal (told.last.stage, IMAGE_STAGE_UNPACK);
  assert_int_equal (told.last.layer, 2);
  assert_int_equal (told.last.layers, 2);
  assert_int_equal (told.last.bytes, layers[0].size + layers[1].size);
  assert_int_equal (told.last.total, told.last.bytes);
}

static void test_progress_can_stop (void **state)
{
  cleanup_error struct error err = { 0 };
  struct told told = { .stop_at = 2 };
  struct image_report report;
  struct case_layer layers[2];
  struct tar tar = { 0 };

  (void) state;
  case_layout ("l");
  tar_file (&tar, "a", "1");
  layers[0] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  tar_file (&tar, "b", "1");
  layers[1] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", layers, 2, NULL);
  assert_int_equal (
      case_unpack ((struct image_unpack_options){ .tell = note, .tell_data = &told }, &report, &err),
      -ECANCELED);
  assert_string_equal (error_text (&err),
                       "cannot unpack image 'oci:l': layer 1 of 2: stopped before the image was unpacked");
  LOOKS ("root/b", "-");
}

/* Docker's names for the same things, and bytes behind the end of the archive, which the digests cover. */
static void test_docker_types_and_trailing_bytes (void **state)
{
  static const char zeros[20 * 512];
  struct case_layer layer;
  struct tar tar = { 0 };

  (void) state;
  case_layout ("l");
  tar_file (&tar, "a", "1");
  tar_bytes (&tar, zeros, sizeof (zeros));
  layer = case_layer ("l", &tar, IMAGE_PACKING_GZIP);
  layer.media_type = "application/vnd.docker.image.rootfs.diff.tar.gzip";
  case_image ("l", &layer, 1, NULL);
  case_unpacks (plain);
  LOOKS ("root/a", "f 0644 1");
}

/* Where there is no libarchive, this is all. */
static void test_refused_without_libarchive (void **state)
{
  cleanup_error struct error err = { 0 };
  struct image_report report;
  struct case_layer layer;
  struct tar tar = { 0 };

  (void) state;
  case_layout ("l");
  tar_file (&tar, "a", "1");
  layer = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", &layer, 1, NULL);
  assert_int_equal (case_unpack (plain, &report, &err), -ENOTSUP);
  assert_string_equal (error_text (&err),
                       "cannot unpack image 'oci:l': layer 1 of 1: this program was built without "
                       "libarchive and cannot unpack images; give a directory instead");
}

/* As Docker wrote layers when it used AUFS: files with several names are links into a directory that is not
 * part of the image. */
static void test_aufs (void **state)
{
  cleanup_tar struct tar tar = { 0 };
  struct case_layer layers[2];
  struct stat first, second;

  (void) state;
  case_layout ("l");
  tar_file (&tar, "old", "1");
  tar_file (&tar, "stays", "1");
  layers[0] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  tar_file (&tar, ".wh..wh.aufs", "");
  tar_directory (&tar, ".wh..wh.orph", 0700);
  tar_file (&tar, ".wh..wh.orph/x", "no");
  tar_directory (&tar, ".wh..wh.plnk", 0700);
  tar_file (&tar, ".wh..wh.plnk/12.34", "linked");
  tar_file (&tar, ".wh..wh.plnk/56.78", "unused");
  tar_link (&tar, '2', ".wh..wh.plnk/link", "/etc");
  tar_file (&tar, ".wh.old", "");
  tar_link (&tar, '1', "a", ".wh..wh.plnk/12.34");
  tar_link (&tar, '1', "d/b", "./.wh..wh.plnk/12.34");
  layers[1] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", layers, 2, NULL);
  case_unpacks ((struct image_unpack_options){ 0 });
  LOOKS ("root/a", "f 0644 linked");
  LOOKS ("root/d/b", "f 0644 linked");
  LOOKS ("root/old", "-");
  LOOKS ("root/stays", "f 0644 1");
  LOOKS ("root/.wh..wh.aufs", "-");
  LOOKS ("root/.wh..wh.orph", "-");
  LOOKS ("root/.wh..wh.plnk", "-");
  assert_int_equal (stat ("root/a", &first), 0);
  assert_int_equal (stat ("root/d/b", &second), 0);
  assert_int_equal (first.st_ino, second.st_ino);
  assert_int_equal (first.st_nlink, 2);
}

/* A layer's links are gone with it, and an opaque root keeps its own. */
static void test_aufs_layers (void **state)
{
  cleanup_tar struct tar tar = { 0 };
  struct case_layer layers[2];

  (void) state;
  case_layout ("l");
  tar_file (&tar, "gone", "1");
  layers[0] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  tar_file (&tar, ".wh..wh.plnk/1.1", "linked");
  tar_file (&tar, ".wh..wh..opq", "");
  tar_link (&tar, '1', "a", ".wh..wh.plnk/1.1");
  layers[1] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", layers, 2, NULL);
  case_unpacks ((struct image_unpack_options){ 0 });
  LOOKS ("root/a", "f 0644 linked");
  LOOKS ("root/gone", "-");
  case_remove_root ();
  tar_file (&tar, ".wh..wh.plnk/1.1", "linked");
  layers[0] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  tar_link (&tar, '1', "a", ".wh..wh.plnk/1.1");
  layers[1] = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", layers, 2, NULL);
  case_unpack_fails ((struct image_unpack_options){ 0 }, -EINVAL,
                     "'.wh..wh.plnk/1.1', which is not a regular file of the image");
}

static const struct CMUnitTest cases[] = {
  BOTH_WAYS (test_two_layers),
  BOTH_WAYS (test_whiteouts_spare_their_own_layer),
  BOTH_WAYS (test_opaque_root),
  BOTH_WAYS (test_aufs),
  BOTH_WAYS (test_aufs_layers),
  BOTH_WAYS (test_directory_modes),
  BOTH_WAYS (test_times),
  BOTH_WAYS (test_setid_bits_are_dropped),
  BOTH_WAYS (test_setid_bits_are_kept_when_asked),
  BOTH_WAYS (test_owners_are_ours),
  BOTH_WAYS (test_attributes),
  BOTH_WAYS (test_links),
  BOTH_WAYS (test_replacing),
  BOTH_WAYS (test_names_keep_their_bytes),
  BOTH_WAYS (test_names_are_made_normal),
  BOTH_WAYS (test_empty_images),
  BOTH_WAYS (test_progress),
  BOTH_WAYS (test_progress_can_stop),
  BOTH_WAYS (test_docker_types_and_trailing_bytes),
};

int main (void)
{
  /* With root's rights also what only root can do; still one group, as there is one plan in TAP. */
  struct CMUnitTest as_root[ARRAY_LEN (cases) + 2] = { BOTH_WAYS (test_owners_are_kept) };

  const struct CMUnitTest without[] = { BOTH_WAYS (test_refused_without_libarchive) };

  cmocka_set_message_output (CM_OUTPUT_TAP);
  if (!HAVE_LIBARCHIVE)
    return cmocka_run_group_tests (without, NULL, NULL);
  if (geteuid () != 0)
    return cmocka_run_group_tests (cases, NULL, NULL);
  memcpy (as_root + 2, cases, sizeof (cases));
  return cmocka_run_group_tests (as_root, NULL, NULL);
}
