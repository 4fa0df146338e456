/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layouts on disk: what is found in them, and what is refused. */
#include <config.h>

#include "image-layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base-limits.h"
#include "base-str.h"
#include "image-blob.h"
#include "image-case.h"
#include "image-choose.h"
#include "unit.h"

static struct utsname host;

static int open_reference (const char *text, const char *machine, struct image **ret_image, struct error *err)
{
  cleanup_image_reference struct image_reference reference = { 0 };
  int r = image_reference_parse (text, &reference, err);

  return r < 0 ? r : image_open (&reference, machine, ret_image, err);
}

static void assert_opens (const char *text, const char *hex)
{
  cleanup_error struct error err = { 0 };
  cleanup_image struct image *image = NULL;
  int r = open_reference (text, host.machine, &image, &err);

  CHECK (r == 0, "%s: %s", text, error_text (&err));
  CHECK (hex == NULL || strcmp (image->hex, hex) == 0, "%s: %s", text, image->hex);
}

/* The message ends with END. */
static void assert_refused (const char *text, int code, const char *end)
{
  cleanup_error struct error err = { 0 };
  cleanup_image struct image *image = NULL;
  int r = open_reference (text, host.machine, &image, &err);

  CHECK (r == code, "%s: %d, %s", text, r, error_text (&err));
  CHECK (str_has_suffix (error_text (&err), end), "%s", error_text (&err));
  CHECK (str_has_prefix (error_text (&err), "image '"), "%s", error_text (&err));
  assert_null (image);
}

/* An image of one layer with one file in it. */
static struct case_layer small_layer (const char *directory, const char *data)
{
  struct tar tar = { 0 };

  tar_file (&tar, "f", data);
  return case_layer (directory, &tar, IMAGE_PACKING_NONE);
}

static void make_image (const char *directory, char hex[SHA256_HEX])
{
  struct case_layer layer;

  case_layout (directory);
  layer = small_layer (directory, "x");
  case_image (directory, &layer, 1, hex);
}

static char *blob_path (const char *directory, const char *hex)
{
  char *path = str_format ("%s/blobs/sha256/%s", directory, hex);

  assert_non_null (path);
  return path;
}

/* "{manifest for DIGEST with TAG and platform}", any of the last two may be NULL */
static char *entry (const char *type, const char *hex, size_t size, const char *tag, const char *architecture)
{
  cleanup_strbuf struct strbuf text = { 0 };

  strbuf_addf (&text, "{\"mediaType\": \"%s\", \"digest\": \"sha256:%s\", \"size\": %zu", type, hex, size);
  if (tag != NULL)
    strbuf_addf (&text, ", \"annotations\": {\"org.opencontainers.image.ref.name\": \"%s\"}", tag);
  if (architecture != NULL)
    strbuf_addf (&text, ", \"platform\": {\"os\": \"linux\", \"architecture\": \"%s\"}", architecture);
  strbuf_add (&text, "}");
  return strbuf_take (&text);
}

#define MANIFEST_TYPE "application/vnd.oci.image.manifest.v1+json"
#define INDEX_TYPE    "application/vnd.oci.image.index.v1+json"

static char *index_of (const char *first, const char *second)
{
  char *text = str_format ("{\"schemaVersion\": 2, \"manifests\": [%s%s%s]}", first, second ? ", " : "",
                           second ? second : "");

  assert_non_null (text);
  return text;
}

static void test_reads_an_image (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_image struct image *image = NULL;
  char hex[SHA256_HEX];

  (void) state;
  make_image ("l", hex);
  CHECK (open_reference ("oci:l", host.machine, &image, &err) == 0, "%s", error_text (&err));
  assert_string_equal (image->hex, hex);
  assert_string_equal (image->name, "oci:l");
  assert_int_equal (image->manifest.count, 1);
  assert_int_equal (image->config.diff_count, 1);
  assert_string_equal (image->config.user, "app");
  assert_string_equal (image->config.working_directory, "/srv");
  assert_string_equal (image->config.environment.items[1], "A=b c");
  assert_string_equal (image->config.entrypoint.items[0], "/bin/sh");
  assert_int_equal (image->config.command.count, 0);
}

static void test_tags (void **state)
{
  cleanup_free char *first = NULL, *second = NULL, *text = NULL;
  char one[SHA256_HEX], two[SHA256_HEX];
  struct case_layer layer;
  size_t size = 0;

  (void) state;
  case_layout ("l");
  layer = small_layer ("l", "1");
  case_manifest ("l", &layer, 1, one, &size);
  first = entry (MANIFEST_TYPE, one, size, "v1", NULL);
  layer = small_layer ("l", "2");
  case_manifest ("l", &layer, 1, two, &size);
  second = entry (MANIFEST_TYPE, two, size, "v2", NULL);
  text = index_of (first, second);
  case_write_text ("l/index.json", text);
  assert_opens ("oci:l:v1", one);
  assert_opens ("oci:l:v2", two);
  assert_refused ("oci:l", -ENOENT, "there are 2 images: name one by its tag; the tags are: 'v1', 'v2'");
  assert_refused ("oci:l:v3", -ENOENT, "there is no tag 'v3'; the tags are: 'v1', 'v2'");
}

static void test_nested_index (void **state)
{
  const char *architecture = image_architecture (host.machine);
  cleanup_free char *ours = NULL, *other = NULL, *inner = NULL, *outer = NULL, *text = NULL;
  char hex[SHA256_HEX], index[SHA256_HEX];
  struct case_layer layer;
  size_t size = 0;

  (void) state;
  case_layout ("l");
  layer = small_layer ("l", "1");
  case_manifest ("l", &layer, 1, hex, &size);
  ours = entry (MANIFEST_TYPE, hex, size, NULL, architecture);
  /* Not there at all: it must not even be looked for. */
  other = entry (MANIFEST_TYPE, layer.diff, 3, NULL, "mips");
  inner = index_of (other, ours);
  case_blob ("l", inner, strlen (inner), index);
  outer = entry (INDEX_TYPE, index, strlen (inner), "v1", NULL);
  text = index_of (outer, NULL);
  case_write_text ("l/index.json", text);
  assert_opens ("oci:l:v1", hex);
  assert_opens ("oci:l", hex);
  /* Without our own in it. */
  free (inner);
  inner = index_of (other, other);
  free (outer);
  case_blob ("l", inner, strlen (inner), index);
  outer = entry (INDEX_TYPE, index, strlen (inner), "v1", NULL);
  free (text);
  text = index_of (outer, NULL);
  case_write_text ("l/index.json", text);
  assert_refused ("oci:l:v1", -ENOENT, "the platforms are: linux/mips, linux/mips");
}

/* COUNT indexes, each in the next. */
static void nest (unsigned count)
{
  cleanup_free char *text = NULL;
  char hex[SHA256_HEX];
  struct case_layer layer;
  size_t size = 0;
  cleanup_free char *item = NULL;

  layer = small_layer ("l", "1");
  case_manifest ("l", &layer, 1, hex, &size);
  item = entry (MANIFEST_TYPE, hex, size, NULL, NULL);
  for (unsigned i = 0; i < count; i++) {
    free (text);
    text = index_of (item, NULL);
    case_blob ("l", text, strlen (text), hex);
    free (item);
    item = entry (INDEX_TYPE, hex, strlen (text), NULL, NULL);
  }
  free (text);
  text = index_of (item, NULL);
  case_write_text ("l/index.json", text);
}

static void test_nesting_is_bounded (void **state)
{
  (void) state;
  case_layout ("l");
  nest (0);
  assert_opens ("oci:l", NULL);
  nest (LIMIT_IMAGE_NESTING);
  assert_opens ("oci:l", NULL);
  nest (LIMIT_IMAGE_NESTING + 1);
  assert_refused ("oci:l", -ELOOP, "indexes are nested more than 4 deep");
}

static void test_mark (void **state)
{
  char hex[SHA256_HEX];

  (void) state;
  make_image ("l", hex);
  case_write_text ("l/oci-layout", "{\"imageLayoutVersion\": \"1.1.0\"}");
  assert_refused ("oci:l", -EINVAL, "oci-layout:1:24: imageLayoutVersion is '1.1.0', expected 1.0.0");
  assert_int_equal (unlink ("l/oci-layout"), 0);
  assert_refused ("oci:l", -ENOENT, "cannot read 'oci-layout': No such file or directory");
  case_write_text ("l/oci-layout", "{\"imageLayoutVersion\": \"1.0.0\"}");
  assert_opens ("oci:l", hex);
  assert_int_equal (unlink ("l/index.json"), 0);
  assert_refused ("oci:l", -ENOENT, "cannot read 'index.json': No such file or directory");
}

static void test_links_and_fifos (void **state)
{
  char hex[SHA256_HEX];
  cleanup_free char *manifest = NULL;

  (void) state;
  make_image ("l", hex);
  manifest = blob_path ("l", hex);
  assert_int_equal (rename ("l/index.json", "index"), 0);
  assert_int_equal (symlink ("../index", "l/index.json"), 0);
  assert_refused ("oci:l", -ELOOP,
                  "cannot read 'index.json': a symbolic link is on the way, and links are not followed");
  assert_int_equal (unlink ("l/index.json"), 0);
  assert_int_equal (mkfifo ("l/index.json", 0644), 0);
  assert_refused ("oci:l", -EINVAL, "cannot read 'index.json': not a regular file");
  assert_int_equal (unlink ("l/index.json"), 0);
  assert_int_equal (rename ("index", "l/index.json"), 0);
  assert_opens ("oci:l", hex);

  assert_int_equal (rename (manifest, "manifest"), 0);
  assert_int_equal (symlink ("../../../manifest", manifest), 0);
  assert_refused ("oci:l", -ELOOP, "a symbolic link is on the way, and links are not followed");
  assert_int_equal (unlink (manifest), 0);
  assert_refused ("oci:l", -ENOENT, "No such file or directory");
  assert_int_equal (rename ("manifest", manifest), 0);
  assert_opens ("oci:l", hex);

  /* The layout itself may be reached by a link: its name is the user's. */
  assert_int_equal (symlink ("l", "link"), 0);
  assert_opens ("oci:link", hex);
}

static void test_damage (void **state)
{
  static const char junk[4096] = "x";
  cleanup_free char *path = NULL, *text = NULL, *end = NULL;
  char hex[SHA256_HEX];
  struct stat st;

  (void) state;
  make_image ("l", hex);
  path = blob_path ("l", hex);
  assert_int_equal (stat (path, &st), 0);
  /* The same size, another byte. */
  text = calloc (1, (size_t) st.st_size);
  assert_non_null (text);
  case_write (path, text, (size_t) st.st_size);
  assert_refused ("oci:l", -EBADMSG, ": the image is damaged");
  case_write (path, junk, (size_t) st.st_size - 1);
  end = str_format ("its descriptor says %lld", (long long) st.st_size);
  assert_refused ("oci:l", -EBADMSG, end);
  /* A size that is beyond what a document may have is not read at all. */
  assert_int_equal (truncate (path, LIMIT_IMAGE_DOCUMENT_BYTES + 1), 0);
  case_index ("l", hex, LIMIT_IMAGE_DOCUMENT_BYTES + 1, NULL);
  assert_refused ("oci:l", -EFBIG, "is larger than 4194304 bytes");
}

static void test_other_machine (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_image struct image *image = NULL;
  char hex[SHA256_HEX];

  (void) state;
  make_image ("l", hex);
  assert_int_equal (open_reference ("oci:l", "vax", &image, &err), -ENOEXEC);
  CHECK (str_has_suffix (error_text (&err), ", this machine is linux/vax"), "%s", error_text (&err));
  assert_opens ("oci:l", hex);
}

static void test_unknown_kind (void **state)
{
  cleanup_free char *item = NULL, *text = NULL;
  char hex[SHA256_HEX];

  (void) state;
  make_image ("l", hex);
  item = entry ("text/html", hex, 1, NULL, NULL);
  text = index_of (item, NULL);
  case_write_text ("l/index.json", text);
  assert_refused ("oci:l", -EINVAL, "'text/html' is neither a manifest nor an index");
}

/* Two layers in the manifest, one digest in the configuration. */
static void test_diffs_must_fit (void **state)
{
  struct case_layer layers[2];
  cleanup_free char *manifest = NULL, *config = NULL;
  char hex[SHA256_HEX], config_hex[SHA256_HEX];

  (void) state;
  case_layout ("l");
  layers[0] = layers[1] = small_layer ("l", "1");
  config = str_format ("{\"os\": \"linux\", \"architecture\": \"%s\", \"rootfs\": {\"type\": \"layers\", "
                       "\"diff_ids\": [\"sha256:%s\"]}}",
                       image_architecture (host.machine), layers[0].diff);
  assert_non_null (config);
  case_blob ("l", config, strlen (config), config_hex);
  manifest =
      str_format ("{\"schemaVersion\": 2, \"config\": {\"mediaType\": "
                  "\"application/vnd.oci.image.config.v1+json\", \"digest\": \"sha256:%s\", \"size\": %zu}, "
                  "\"layers\": [{\"mediaType\": \"%s\", \"digest\": \"sha256:%s\", \"size\": %zu}, "
                  "{\"mediaType\": \"%s\", \"digest\": \"sha256:%s\", \"size\": %zu}]}",
                  config_hex, strlen (config), layers[0].media_type, layers[0].hex, layers[0].size,
                  layers[1].media_type, layers[1].hex, layers[1].size);
  assert_non_null (manifest);
  case_blob ("l", manifest, strlen (manifest), hex);
  case_index ("l", hex, strlen (manifest), NULL);
  assert_refused ("oci:l", -EINVAL, ": 1 diff_ids for the manifest's 2 layers");
  case_image ("l", layers, 2, hex);
  assert_opens ("oci:l", hex);
}

/* A blob that changes while it is read. */
static void test_blob_that_shrinks (void **state)
{
  struct image_descriptor descriptor = { .size = 100 };
  cleanup_error struct error err = { 0 };
  cleanup_image_blob struct image_blob blob = { .fd = -1 };
  cleanup_free char *path = NULL;
  cleanup_close int layout = -1;
  char bytes[100] = "", part[60];
  size_t len = 0;

  (void) state;
  case_layout ("l");
  layout = open ("l", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  case_blob ("l", bytes, sizeof (bytes), descriptor.hex);
  path = blob_path ("l", descriptor.hex);
  assert_int_equal (image_blob_open (layout, &descriptor, &blob, &err), 0);
  assert_int_equal (image_blob_read (&blob, part, sizeof (part), &len, &err), 0);
  assert_int_equal (len, sizeof (part));
  assert_int_equal (image_blob_finish (&blob, &err), 0);
  image_blob_close (&blob);

  assert_int_equal (image_blob_open (layout, &descriptor, &blob, &err), 0);
  assert_int_equal (image_blob_read (&blob, part, sizeof (part), &len, &err), 0);
  assert_int_equal (truncate (path, 60), 0);
  assert_int_equal (image_blob_finish (&blob, &err), -EBADMSG);
  CHECK (str_has_suffix (error_text (&err), "became shorter while it was read"), "%s", error_text (&err));
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown (test, case_enter, case_leave)

static const struct CMUnitTest cases[] = {
  IN_DIRECTORY (test_reads_an_image),
  IN_DIRECTORY (test_tags),
  IN_DIRECTORY (test_nested_index),
  IN_DIRECTORY (test_nesting_is_bounded),
  IN_DIRECTORY (test_mark),
  IN_DIRECTORY (test_links_and_fifos),
  IN_DIRECTORY (test_damage),
  IN_DIRECTORY (test_other_machine),
  IN_DIRECTORY (test_unknown_kind),
  IN_DIRECTORY (test_diffs_must_fit),
  IN_DIRECTORY (test_blob_that_shrinks),
};

int main (void)
{
  if (uname (&host) < 0)
    return 1;
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (cases, NULL, NULL);
}
