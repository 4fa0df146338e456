/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layers that are too large or damaged: each is refused, and has a twin that is not. */
#include <config.h>

#include "image-unpack.h"

#include <errno.h>

#include "base-limits.h"
#include "image-unpack-case.h"

static void test_ids (void **state)
{
  const struct image_unpack_options plain = { 0 };
  static const struct {
    const char *uid;
    bool good;
  } rows[] = { { "4294967294", true }, { "4294967295", false }, { "4294967296", false }, { "-1", false } };

  (void) state;
  case_layout ("l");
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    struct case_layer layer;
    struct tar tar = { 0 };

    tar_pax (&tar, "uid", rows[i].uid);
    tar_file (&tar, "f", "x");
    layer = case_layer ("l", &tar, IMAGE_PACKING_NONE);
    case_image ("l", &layer, 1, NULL);
    if (rows[i].good)
      case_unpacks (plain);
    else
      case_unpack_fails (plain, -EINVAL, ":0, which are not valid ids");
    case_remove_root ();
  }
}

static void test_depth (void **state)
{
  const struct image_unpack_options plain = { 0 };
  char name[2 * LIMIT_IMAGE_DEPTH + 2];
  struct case_layer layer;
  struct tar tar = { 0 };

  (void) state;
  case_layout ("l");
  for (size_t i = 0; i < sizeof (name); i++)
    name[i] = i % 2 ? '/' : 'd';
  name[2 * LIMIT_IMAGE_DEPTH + 1] = '\0';
  tar_file (&tar, name, "x");
  layer = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", &layer, 1, NULL);
  case_unpack_fails (plain, -ENAMETOOLONG, "is more than 128 directories deep");
  case_remove_root ();
  name[2 * LIMIT_IMAGE_DEPTH - 1] = '\0';
  tar_directory (&tar, name, 0700);
  layer = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", &layer, 1, NULL);
  case_unpacks (plain);
}

static void test_entries (void **state)
{
  (void) state;
  case_layout ("l");
  case_build ((struct tar_entry[CASE_ENTRIES]){
      { .type = '0', .name = "a" }, { .type = '0', .name = "b" }, { .type = '0', .name = "b" } });
  case_unpack_fails ((struct image_unpack_options){ .entries_max = 2 }, -EFBIG,
                     "'b' is past the limit of 2 entries");
  case_remove_root ();
  case_unpacks ((struct image_unpack_options){ .entries_max = 3 });
}

static void test_bytes (void **state)
{
  static char data[10000];

  (void) state;
  case_layout ("l");
  /* Two headers, two times 10000 bytes in whole blocks, two blocks at the end: 22528 bytes unpacked. */
  case_build ((struct tar_entry[CASE_ENTRIES]){
      { .type = '0', .name = "a", .data = data, .data_len = sizeof (data) },
      { .type = '0', .name = "b", .data = data, .data_len = sizeof (data) } });
  case_unpack_fails ((struct image_unpack_options){ .bytes_max = 22527 }, -EFBIG,
                     "the archive is larger than 22527 bytes when unpacked");
  case_remove_root ();
  assert_int_equal (case_unpacks ((struct image_unpack_options){ .bytes_max = 22528 }).bytes, 20000);
}

/* A megabyte of zeros packs well. */
static void test_bomb (void **state)
{
  static char zeros[1024 * 1024];
  struct case_layer layer;
  struct tar tar = { 0 };

  (void) state;
  case_layout ("l");
  tar_file (&tar, "f", "x");
  tar_bytes (&tar, zeros, 1024);
  tar_bytes (&tar, zeros, sizeof (zeros));
  layer = case_layer ("l", &tar, IMAGE_PACKING_ZSTD);
  assert_in_range (layer.size, 1, 200 * 1024);
  case_image ("l", &layer, 1, NULL);
  case_unpack_fails ((struct image_unpack_options){ .bytes_max = 500000 }, -EFBIG,
                     "the archive is larger than 500000 bytes when unpacked");
  case_remove_root ();
  case_unpacks ((struct image_unpack_options){ .bytes_max = 2000000 });
  LOOKS ("root/f", "f 0644 x");
}

/* GNU's sparse header: 512 bytes of data at the start, and a size of the file's own choice. */
static void put_sparse (struct tar *tar, const char *name, const char *size)
{
  static char data[512] = "data";
  size_t start = tar->len;
  unsigned char *header;
  unsigned sum = 0;

  tar_put (tar, (struct tar_entry){ .type = 'S', .name = name, .data = data, .data_len = sizeof (data) });
  header = (unsigned char *) tar->bytes + start;
  memcpy (header + 386, "00000000000", 12);
  memcpy (header + 398, "00000001000", 12);
  memcpy (header + 483, size, 12);
  memset (header + 148, ' ', 8);
  for (size_t i = 0; i < 512; i++)
    sum += header[i];
  snprintf ((char *) header + 148, 8, "%06o", sum);
}

static void test_holes_count (void **state)
{
  struct case_layer layer;
  struct tar tar = { 0 };
  struct stat st;

  (void) state;
  case_layout ("l");
  put_sparse (&tar, "f", "00100000000"); /* 16 MiB */
  layer = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", &layer, 1, NULL);
  case_unpack_fails ((struct image_unpack_options){ .bytes_max = 16777215 }, -EFBIG,
                     "'f' makes the files larger than 16777215 bytes");
  case_remove_root ();
  assert_int_equal (case_unpacks ((struct image_unpack_options){ .bytes_max = 16777216 }).bytes, 16777216);
  assert_int_equal (stat ("root/f", &st), 0);
  assert_int_equal (st.st_size, 16777216);
  assert_in_range (st.st_blocks, 1, 64);
  LOOKS ("root/f", "f 0644 data");
}

static void test_sum_of_files_is_bounded (void **state)
{
  struct case_layer layer;
  struct tar tar = { 0 };

  (void) state;
  case_layout ("l");
  put_sparse (&tar, "f", "00100000000");
  put_sparse (&tar, "g", "00100000000");
  layer = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", &layer, 1, NULL);
  case_unpack_fails ((struct image_unpack_options){ .bytes_max = 20000000 }, -EFBIG,
                     "'g' makes the files larger than 20000000 bytes");
  case_remove_root ();
  case_unpacks ((struct image_unpack_options){ .bytes_max = 40000000 });
}

static void test_cut_off_tar (void **state)
{
  const struct image_unpack_options plain = { 0 };

  (void) state;
  case_layout ("l");
  case_build (
      (struct tar_entry[CASE_ENTRIES]){ { .type = '0', .name = "f", .data = "x", .size_says = 100000 } });
  case_unpack_fails (plain, -EBADMSG, "Truncated tar archive");
  case_remove_root ();
  case_build ((struct tar_entry[CASE_ENTRIES]){ { .type = '0', .name = "f", .data = "x", .size_says = 1 } });
  case_unpacks (plain);
}

/* Puts BYTES down as the layer, with right digests of what they are, and the promised digest DIFF. */
static void build_raw (const void *bytes, size_t len, const char *type, const char *diff)
{
  struct case_layer layer = { .media_type = type, .size = len };

  case_blob ("l", bytes, len, layer.hex);
  memcpy (layer.diff, diff, SHA256_HEX);
  case_image ("l", &layer, 1, NULL);
}

#define GZIP "application/vnd.oci.image.layer.v1.tar+gzip"
#define ZSTD "application/vnd.oci.image.layer.v1.tar+zstd"
#define TAR  "application/vnd.oci.image.layer.v1.tar"

static void test_packing (void **state)
{
  static const char zeros[1024];
  const struct image_unpack_options plain = { 0 };
  cleanup_tar struct tar tar = { 0 }, gzip = { 0 }, zstd = { 0 }, twice = { 0 };
  char diff[SHA256_HEX];
  /* Each is what its type says only where CODE is 0. */
  const struct {
    const struct tar *bytes;
    size_t cut;
    const char *type, *end;
    int code;
  } rows[] = {
    { &tar, 0, TAR, "", 0 },
    { &gzip, 0, GZIP, "", 0 },
    { &zstd, 0, ZSTD, "", 0 },
    { &gzip, 20, GZIP, "truncated gzip input", -EBADMSG },
    { &zstd, 20, ZSTD, "Truncated zstd input", -EBADMSG },
    { &tar, 0, GZIP, "the layer is not packed with gzip as its media type says", -EBADMSG },
    { &zstd, 0, GZIP, "the layer is not packed with gzip as its media type says", -EBADMSG },
    { &gzip, 0, ZSTD, "the layer is not packed with zstd as its media type says", -EBADMSG },
    { &twice, 0, GZIP, "the layer is not packed with gzip as its media type says", -EBADMSG },
    { &gzip, 0, TAR, "Unrecognized archive format", -EBADMSG },
  };

  (void) state;
  case_layout ("l");
  tar_file (&tar, "f", "x");
  tar_bytes (&tar, zeros, sizeof (zeros));
  sha256_hex (tar.bytes, tar.len, diff);
  case_pack (tar.bytes, tar.len, IMAGE_PACKING_GZIP, &gzip);
  case_pack (tar.bytes, tar.len, IMAGE_PACKING_ZSTD, &zstd);
  case_pack (gzip.bytes, gzip.len, IMAGE_PACKING_GZIP, &twice);
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    print_message ("# row %zu\n", i);
    build_raw (rows[i].bytes->bytes, rows[i].bytes->len - rows[i].cut, rows[i].type, diff);
    if (rows[i].code < 0)
      case_unpack_fails (plain, rows[i].code, rows[i].end);
    else
      case_unpacks (plain);
    case_remove_root ();
  }
}

/* A tar whose last block is short, or that has no final blocks of zeros, is complete if its files are. */
static void test_short_end (void **state)
{
  static const struct {
    const char *data;
    size_t cut; /* of the end of the last entry */
    const char *end;
  } rows[] = {
    { "12345", 0, NULL },
    { "12345", 1, NULL },
    { "12345", 506, NULL },
    { "12345", 507, NULL },
    { "12345", 508, "cut off" },
    { "12345", 511, "cut off" },
    { "12345", 512, "Truncated tar archive" },
    { "12345", 600, "archive" },
    { "", 0, NULL },
  };
  static const enum image_packing packings[] = { IMAGE_PACKING_NONE, IMAGE_PACKING_GZIP };
  const struct image_unpack_options plain = { 0 };

  (void) state;
  case_layout ("l");
  for (size_t i = 0; i < ARRAY_LEN (rows) * ARRAY_LEN (packings); i++) {
    cleanup_tar struct tar tar = { 0 }, packed = { 0 };
    enum image_packing packing = packings[i % ARRAY_LEN (packings)];
    size_t row = i / ARRAY_LEN (packings);
    char diff[SHA256_HEX];

    print_message ("# row %zu\n", row);
    tar_file (&tar, "first", "x");
    tar_file (&tar, "f", rows[row].data);
    tar.len -= rows[row].cut;
    sha256_hex (tar.bytes, tar.len, diff);
    if (packing == IMAGE_PACKING_GZIP)
      case_pack (tar.bytes, tar.len, packing, &packed);
    else
      tar_bytes (&packed, tar.bytes, tar.len);
    build_raw (packed.bytes, packed.len, packing == IMAGE_PACKING_GZIP ? GZIP : TAR, diff);
    if (rows[row].end != NULL)
      case_unpack_fails (plain, -EBADMSG, rows[row].end);
    else {
      case_unpacks (plain);
      assert_string_equal (case_look ("root/f"), rows[row].data[0] ? "f 0644 12345" : "f 0644 ");
    }
    case_remove_root ();
  }
}

static void test_digests (void **state)
{
  const struct image_unpack_options plain = { 0 };
  cleanup_free char *path = NULL;
  struct case_layer layer;
  struct tar tar = { 0 };
  FILE *f;

  (void) state;
  case_layout ("l");
  tar_file (&tar, "f", "x");
  layer = case_layer ("l", &tar, IMAGE_PACKING_NONE);
  case_image ("l", &layer, 1, NULL);
  case_unpacks (plain);
  case_remove_root ();

  /* One byte of the contents, at the same size. */
  path = str_format ("l/blobs/sha256/%s", layer.hex);
  f = fopen (path, "r+");
  assert_non_null (f);
  assert_int_equal (fseek (f, 512, SEEK_SET), 0);
  assert_int_equal (fputc ('y', f), 'y');
  assert_int_equal (fclose (f), 0);
  case_unpack_fails (plain, -EBADMSG, ": the image is damaged");
  case_remove_root ();

  /* One byte more. */
  f = fopen (path, "a");
  assert_non_null (f);
  assert_int_equal (fputc ('y', f), 'y');
  assert_int_equal (fclose (f), 0);
  case_unpack_fails (plain, -EBADMSG, "bytes, its descriptor says 2048");
  case_remove_root ();
  assert_int_equal (unlink (path), 0);
  case_unpack_fails (plain, -ENOENT, "No such file or directory");
  case_remove_root ();

  /* Packed as promised, but unpacked it is something else. */
  tar_file (&tar, "f", "x");
  layer = case_layer ("l", &tar, IMAGE_PACKING_GZIP);
  memset (layer.diff, '0', SHA256_HEX - 1);
  case_image ("l", &layer, 1, NULL);
  case_unpack_fails (
      plain, -EBADMSG,
      "the configuration says 0000000000000000000000000000000000000000000000000000000000000000");
}

static const struct CMUnitTest cases[] = {
  BOTH_WAYS (test_ids),
  BOTH_WAYS (test_depth),
  BOTH_WAYS (test_entries),
  BOTH_WAYS (test_bytes),
  BOTH_WAYS (test_bomb),
  BOTH_WAYS (test_holes_count),
  BOTH_WAYS (test_sum_of_files_is_bounded),
  BOTH_WAYS (test_cut_off_tar),
  BOTH_WAYS (test_short_end),
  BOTH_WAYS (test_packing),
  BOTH_WAYS (test_digests),
};

int main (void)
{
  if (!HAVE_LIBARCHIVE)
    return 77;
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (cases, NULL, NULL);
}
