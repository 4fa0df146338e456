/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Index, manifest, configuration: what is read, and what is refused where. */
#include <config.h>

#include "image-document.h"

#include <errno.h>
#include <stdlib.h>

#include "base-limits.h"
#include "unit.h"

#define HEX_A "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HEX_B "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

#define OCI_MANIFEST "application/vnd.oci.image.manifest.v1+json"
#define OCI_INDEX    "application/vnd.oci.image.index.v1+json"
#define OCI_CONFIG   "application/vnd.oci.image.config.v1+json"
#define OCI_LAYER    "application/vnd.oci.image.layer.v1.tar"

#define DESCRIPTOR(type, hex, size)                                                                          \
  "{\"mediaType\": \"" type "\", \"digest\": \"sha256:" hex "\", \"size\": " size "}"
#define INDEX(manifests)         "{\"schemaVersion\": 2, \"manifests\": [" manifests "]}"
#define MANIFEST(config, layers) "{\"schemaVersion\": 2, \"config\": " config ", \"layers\": [" layers "]}"

static void test_index (void **state)
{
  static const char text[] =
      "{\"schemaVersion\": 2, \"mediaType\": \"" OCI_INDEX "\", \"new\": {\"thing\": [1]}, \"manifests\": ["
      "{\"mediaType\": \"" OCI_MANIFEST "\", \"digest\": \"sha256:" HEX_A "\", \"size\": 42,"
      " \"annotations\": {\"org.opencontainers.image.ref.name\": \"v1\", \"x\": \"y\"},"
      " \"platform\": {\"os\": \"linux\", \"architecture\": \"arm64\", \"variant\": \"v8\"}},"
      "{\"mediaType\": \"other\", \"digest\": \"sha256:" HEX_B "\", \"size\": 0, \"annotations\": null}]}";
  cleanup_error struct error err = { 0 };
  cleanup_image_index struct image_index index = { 0 };

  (void) state;
  CHECK (image_index_parse ("i", OCI_INDEX, text, strlen (text), &index, &err) == 0, "%s", error_text (&err));
  assert_int_equal (index.count, 2);
  assert_string_equal (index.manifests[0].media_type, OCI_MANIFEST);
  assert_string_equal (index.manifests[0].hex, HEX_A);
  assert_int_equal (index.manifests[0].size, 42);
  assert_string_equal (index.manifests[0].tag, "v1");
  assert_string_equal (index.manifests[0].os, "linux");
  assert_string_equal (index.manifests[0].architecture, "arm64");
  assert_string_equal (index.manifests[1].media_type, "other");
  assert_null (index.manifests[1].tag);
  assert_null (index.manifests[1].os);
}

static void test_manifest (void **state)
{
  static const char text[] = MANIFEST (DESCRIPTOR (OCI_CONFIG, HEX_A, "7"),
                                       DESCRIPTOR (OCI_LAYER, HEX_A, "1") ", " DESCRIPTOR (
                                           "application/vnd.docker.image.rootfs.diff.tar.gzip", HEX_B, "2"));
  cleanup_error struct error err = { 0 };
  cleanup_image_manifest struct image_manifest manifest = { 0 };

  (void) state;
  CHECK (image_manifest_parse ("m", OCI_MANIFEST, text, strlen (text), &manifest, &err) == 0, "%s",
         error_text (&err));
  assert_string_equal (manifest.config.hex, HEX_A);
  assert_int_equal (manifest.config.size, 7);
  assert_int_equal (manifest.count, 2);
  assert_string_equal (manifest.layers[1].hex, HEX_B);
  assert_int_equal (manifest.layers[1].size, 2);
}

static void test_config (void **state)
{
  static const char text[] =
      "{\"os\": \"linux\", \"architecture\": \"amd64\", \"config\": {\"User\": \"1:2\", \"WorkingDir\": "
      "\"/w\","
      " \"Env\": [\"A=1\", \"B=2\"], \"Entrypoint\": [\"e\"], \"Cmd\": [\"c\", \"d\"], \"ExposedPorts\": {}},"
      " \"history\": [{\"created_by\": \"x\"}], \"rootfs\": {\"type\": \"layers\", \"diff_ids\": "
      "[\"sha256:" HEX_B "\"]}}";
  static const char bare[] =
      "{\"os\": \"linux\", \"architecture\": \"amd64\", \"config\": {\"User\": null, \"Env\": null},"
      " \"rootfs\": {\"type\": \"layers\", \"diff_ids\": null}}";
  cleanup_error struct error err = { 0 };
  cleanup_image_config struct image_config config = { 0 };

  (void) state;
  CHECK (image_config_parse ("c", text, strlen (text), &config, &err) == 0, "%s", error_text (&err));
  assert_string_equal (config.os, "linux");
  assert_string_equal (config.architecture, "amd64");
  assert_string_equal (config.user, "1:2");
  assert_string_equal (config.working_directory, "/w");
  assert_int_equal (config.environment.count, 2);
  assert_string_equal (config.environment.items[1], "B=2");
  assert_int_equal (config.entrypoint.count, 1);
  assert_string_equal (config.command.items[1], "d");
  assert_int_equal (config.diff_count, 1);
  assert_string_equal (config.diffs[0], HEX_B);

  image_config_clear (&config);
  CHECK (image_config_parse ("c", bare, strlen (bare), &config, &err) == 0, "%s", error_text (&err));
  assert_null (config.user);
  assert_int_equal (config.environment.count, 0);
  assert_int_equal (config.diff_count, 0);
}

enum kind { OF_INDEX, OF_MANIFEST, OF_CONFIG, OF_MARK };

static int parse (enum kind kind, const char *media_type, const char *text, struct error *err)
{
  cleanup_image_index struct image_index index = { 0 };
  cleanup_image_manifest struct image_manifest manifest = { 0 };
  cleanup_image_config struct image_config config = { 0 };

  switch (kind) {
  case OF_INDEX: return image_index_parse ("d", media_type, text, strlen (text), &index, err);
  case OF_MANIFEST: return image_manifest_parse ("d", media_type, text, strlen (text), &manifest, err);
  case OF_CONFIG: return image_config_parse ("d", text, strlen (text), &config, err);
  default: return image_mark_parse ("d", text, strlen (text), err);
  }
}

#define ROOTFS "\"rootfs\": {\"type\": \"layers\", \"diff_ids\": []}"
#define LINUX  "\"os\": \"linux\", \"architecture\": \"amd64\""

static void test_refuses (void **state)
{
  static const struct {
    enum kind kind;
    const char *media_type, *text, *message;
  } rows[] = {
    { OF_INDEX, NULL, "[]", "d:1:1: expected an object, found an array" },
    { OF_INDEX, NULL, "{\"manifests\": []}", "d:1:1: 'schemaVersion' is missing" },
    { OF_INDEX, NULL, "{\"schemaVersion\": 1, \"manifests\": []}", "d:1:19: schemaVersion is 1, expected 2" },
    { OF_INDEX, NULL, "{\"schemaVersion\": \"2\", \"manifests\": []}",
      "d:1:19: schemaVersion: expected a number, found a string" },
    { OF_INDEX, NULL, "{\"schemaVersion\": 2}", "d:1:1: 'manifests' is missing" },
    { OF_INDEX, NULL, "{\"schemaVersion\": 2, \"manifests\": null}", "d:1:1: 'manifests' is missing" },
    { OF_INDEX, NULL, "{\"schemaVersion\": 2, \"manifests\": {}}",
      "d:1:35: manifests: expected an array, found an object" },
    { OF_INDEX, NULL, INDEX ("1"), "d:1:36: manifests[0]: expected an object, found a number" },
    { OF_INDEX, NULL, INDEX ("{\"digest\": \"sha256:" HEX_A "\", \"size\": 1}"),
      "d:1:36: manifests[0]: 'mediaType' is missing" },
    { OF_INDEX, NULL, INDEX ("{\"mediaType\": \"x\", \"size\": 1}"),
      "d:1:36: manifests[0]: 'digest' is missing" },
    { OF_INDEX, NULL, INDEX ("{\"mediaType\": \"x\", \"digest\": \"sha512:" HEX_A HEX_A "\", \"size\": 1}"),
      NULL },
    { OF_INDEX, NULL, INDEX (DESCRIPTOR ("x", "../../../../../../../../../etc/passwd", "1")), NULL },
    { OF_INDEX, NULL,
      INDEX (DESCRIPTOR ("x", "ABCDEF6789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "1")),
      NULL },
    { OF_INDEX, NULL, INDEX (DESCRIPTOR ("x", HEX_A "0", "1")), NULL },
    { OF_INDEX, NULL, INDEX (DESCRIPTOR ("x", HEX_A, "-1")),
      "d:1:148: manifests[0].size: '-1' is not a whole number from 0 to 68719476736" },
    { OF_INDEX, NULL, INDEX (DESCRIPTOR ("x", HEX_A, "1.5")), NULL },
    { OF_INDEX, NULL, INDEX (DESCRIPTOR ("x", HEX_A, "68719476737")), NULL },
    { OF_INDEX, NULL, INDEX (DESCRIPTOR ("x", HEX_A, "\"1\"")), NULL },
    { OF_INDEX, NULL,
      INDEX ("{\"mediaType\": \"x\", \"digest\": \"sha256:" HEX_A
             "\", \"size\": 1, \"platform\": {\"os\": \"linux\"}}"),
      "d:1:163: manifests[0].platform: 'architecture' is missing" },
    { OF_INDEX, NULL, "{\"schemaVersion\": 2, \"mediaType\": \"" OCI_MANIFEST "\", \"manifests\": []}",
      "d:1:35: mediaType '" OCI_MANIFEST "' is not what was expected here" },
    { OF_INDEX, OCI_INDEX,
      "{\"schemaVersion\": 2, \"mediaType\": \"application/vnd.docker.distribution.manifest.list.v2+json\","
      " \"manifests\": []}",
      NULL },
    { OF_INDEX, NULL, "{\"schemaVersion\": 2, \"manifests\": [], \"layers\": []}",
      "d:1:1: has 'layers' as well: it could be read as two different images" },
    { OF_INDEX, NULL, "{\"schemaVersion\": 2, \"schemaVersion\": 2, \"manifests\": []}", NULL },
    { OF_MANIFEST, NULL, "{\"schemaVersion\": 2, \"layers\": []}", "d:1:1: 'config' is missing" },
    { OF_MANIFEST, NULL, "{\"schemaVersion\": 2, \"config\": " DESCRIPTOR (OCI_CONFIG, HEX_A, "1") "}",
      "d:1:1: 'layers' is missing" },
    { OF_MANIFEST, NULL, MANIFEST (DESCRIPTOR ("application/vnd.oci.empty.v1+json", HEX_A, "2"), ""),
      "d:1:32: config: 'application/vnd.oci.empty.v1+json' is not the configuration of a container image" },
    { OF_MANIFEST, NULL,
      MANIFEST (DESCRIPTOR (OCI_CONFIG, HEX_A, "2"), DESCRIPTOR (OCI_LAYER "+xz", HEX_A, "2")),
      "d: layers[0]: '" OCI_LAYER "+xz' is not a kind of layer that we know" },
    { OF_MANIFEST, NULL,
      "{\"schemaVersion\": 2, \"config\": " DESCRIPTOR (OCI_CONFIG, HEX_A,
                                                        "2") ", \"layers\": [], \"manifests\": []}",
      "d:1:1: has 'manifests' as well: it could be read as two different images" },
    { OF_CONFIG, NULL, "{\"architecture\": \"amd64\", " ROOTFS "}", "d:1:1: 'os' is missing" },
    { OF_CONFIG, NULL, "{\"os\": \"linux\", " ROOTFS "}", "d:1:1: 'architecture' is missing" },
    { OF_CONFIG, NULL, "{" LINUX "}", "d:1:1: 'rootfs' is missing" },
    { OF_CONFIG, NULL, "{" LINUX ", \"rootfs\": {\"type\": \"other\"}}",
      "d:1:61: rootfs: type is not 'layers'" },
    { OF_CONFIG, NULL, "{" LINUX ", \"rootfs\": {\"type\": \"layers\", \"diff_ids\": [\"md5:0\"]}}",
      "d:1:84: rootfs.diff_ids[0]: 'md5:0' is not a digest that starts with 'sha256:'" },
    { OF_CONFIG, NULL, "{" LINUX ", " ROOTFS ", \"config\": {\"Env\": \"A=1\"}}", NULL },
    { OF_CONFIG, NULL, "{" LINUX ", " ROOTFS ", \"config\": {\"Env\": [null]}}", NULL },
    { OF_CONFIG, NULL, "{" LINUX ", " ROOTFS ", \"config\": {\"User\": 0}}", NULL },
    { OF_CONFIG, NULL, "{" LINUX ", " ROOTFS ", \"config\": {\"Cmd\": [\"a\\u0000b\"]}}", NULL },
    { OF_MARK, NULL, "{}", "d:1:1: 'imageLayoutVersion' is missing" },
    { OF_MARK, NULL, "{\"imageLayoutVersion\": \"2.0.0\"}",
      "d:1:24: imageLayoutVersion is '2.0.0', expected 1.0.0" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };
    int r = parse (rows[i].kind, rows[i].media_type, rows[i].text, &err);

    CHECK (r == -EINVAL, "row %zu: %d: %s", i, r, rows[i].text);
    CHECK (rows[i].message == NULL || strcmp (error_text (&err), rows[i].message) == 0, "row %zu: %s", i,
           error_text (&err));
  }
}

/* The same documents with nothing wrong. */
static void test_accepts (void **state)
{
  static const struct {
    enum kind kind;
    const char *media_type, *text;
  } rows[] = {
    { OF_INDEX, NULL, INDEX ("") },
    { OF_INDEX, OCI_INDEX, INDEX ("") },
    { OF_INDEX, NULL, INDEX (DESCRIPTOR ("x", HEX_A, "68719476736")) },
    { OF_INDEX, OCI_INDEX, "{\"schemaVersion\": 2, \"mediaType\": \"" OCI_INDEX "\", \"manifests\": []}" },
    { OF_MANIFEST, NULL,
      MANIFEST (DESCRIPTOR (OCI_CONFIG, HEX_A, "2"), DESCRIPTOR (OCI_LAYER "+zstd", HEX_A, "2")) },
    { OF_MANIFEST, NULL,
      MANIFEST (DESCRIPTOR ("application/vnd.docker.container.image.v1+json", HEX_A, "2"), "") },
    { OF_CONFIG, NULL, "{" LINUX ", " ROOTFS "}" },
    { OF_CONFIG, NULL, "{" LINUX ", " ROOTFS ", \"config\": {\"Env\": [\"A=1\"], \"User\": \"0\"}}" },
    { OF_MARK, NULL, "{\"imageLayoutVersion\": \"1.0.0\", \"more\": 1}" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };

    CHECK (parse (rows[i].kind, rows[i].media_type, rows[i].text, &err) == 0, "row %zu: %s", i,
           error_text (&err));
  }
}

static char *repeat (const char *head, const char *item, size_t count, const char *tail)
{
  cleanup_strbuf struct strbuf text = { 0 };

  strbuf_add (&text, head);
  for (size_t i = 0; i < count; i++)
    strbuf_addf (&text, "%s%s", i > 0 ? "," : "", item);
  strbuf_add (&text, tail);
  assert_false (text.failed);
  return strbuf_take (&text);
}

static void test_limits (void **state)
{
  static const struct {
    enum kind kind;
    const char *head, *item, *tail;
    size_t max;
  } rows[] = {
    { OF_INDEX, "{\"schemaVersion\": 2, \"manifests\": [", DESCRIPTOR ("x", HEX_A, "1"), "]}",
      LIMIT_IMAGE_MANIFESTS },
    { OF_MANIFEST,
      "{\"schemaVersion\": 2, \"config\": " DESCRIPTOR (OCI_CONFIG, HEX_A, "1") ", \"layers\": [",
      DESCRIPTOR (OCI_LAYER, HEX_A, "1"), "]}", LIMIT_IMAGE_LAYERS },
    { OF_CONFIG, "{" LINUX ", \"rootfs\": {\"type\": \"layers\", \"diff_ids\": [", "\"sha256:" HEX_A "\"",
      "]}}", LIMIT_IMAGE_LAYERS },
    { OF_CONFIG, "{" LINUX ", " ROOTFS ", \"config\": {\"Cmd\": [", "\"x\"", "]}}", LIMIT_ARGUMENTS },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *most = repeat (rows[i].head, rows[i].item, rows[i].max, rows[i].tail);
    cleanup_free char *more = repeat (rows[i].head, rows[i].item, rows[i].max + 1, rows[i].tail);
    cleanup_error struct error err = { 0 };

    CHECK (parse (rows[i].kind, NULL, most, &err) == 0, "row %zu: %s", i, error_text (&err));
    CHECK (parse (rows[i].kind, NULL, more, &err) == -EINVAL, "row %zu", i);
    CHECK (strstr (error_text (&err), "more than") != NULL, "row %zu: %s", i, error_text (&err));
  }
}

static void test_media_types (void **state)
{
  (void) state;
  assert_int_equal (image_media_kind (OCI_INDEX), IMAGE_KIND_INDEX);
  assert_int_equal (image_media_kind (OCI_MANIFEST), IMAGE_KIND_MANIFEST);
  assert_int_equal (image_media_kind ("application/vnd.docker.distribution.manifest.v2+json"),
                    IMAGE_KIND_MANIFEST);
  assert_int_equal (image_media_kind (OCI_CONFIG), IMAGE_KIND_CONFIG);
  assert_int_equal (image_media_packing (OCI_LAYER), IMAGE_PACKING_NONE);
  assert_int_equal (image_media_packing (OCI_LAYER "+gzip"), IMAGE_PACKING_GZIP);
  assert_int_equal (image_media_packing (OCI_LAYER "+zstd"), IMAGE_PACKING_ZSTD);
  assert_int_equal (image_media_packing ("application/vnd.docker.image.rootfs.diff.tar.gzip"),
                    IMAGE_PACKING_GZIP);
  assert_int_equal (image_media_kind (OCI_LAYER "+gzip"), IMAGE_KIND_LAYER);
  assert_int_equal (image_media_kind (OCI_LAYER "+gzip+encrypted"), IMAGE_KIND_UNKNOWN);
  assert_int_equal (image_media_kind ("application/vnd.docker.image.rootfs.foreign.diff.tar.gzip"),
                    IMAGE_KIND_UNKNOWN);
  assert_int_equal (image_media_kind (""), IMAGE_KIND_UNKNOWN);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_index),       cmocka_unit_test (test_manifest), cmocka_unit_test (test_config),
  cmocka_unit_test (test_refuses),     cmocka_unit_test (test_accepts),  cmocka_unit_test (test_limits),
  cmocka_unit_test (test_media_types),
};

UNIT_MAIN (cases)
