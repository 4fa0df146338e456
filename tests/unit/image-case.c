/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-case.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "image-choose.h"
#include "unit.h"

#define BLOCK 512

void tar_bytes (struct tar *tar, const void *bytes, size_t len)
{
  tar->bytes = realloc (tar->bytes, tar->len + len + 1);
  assert_non_null (tar->bytes);
  if (len > 0)
    memcpy (tar->bytes + tar->len, bytes, len);
  tar->len += len;
}

static void pad (struct tar *tar)
{
  static const char zeros[BLOCK];

  tar_bytes (tar, zeros, (BLOCK - tar->len % BLOCK) % BLOCK);
}

static void octal (char *field, size_t size, uint64_t value)
{
  field[--size] = '\0';
  while (size > 0) {
    field[--size] = (char) ('0' + (value & 7));
    value >>= 3;
  }
}

/* GNU's way to say what does not fit: a whole entry before, with the name as its data. */
static void long_name (struct tar *tar, char type, const char *name)
{
  struct tar_entry entry = {
    .type = type, .name = "././@LongLink", .data = name, .data_len = strlen (name) + 1
  };

  tar_put (tar, entry);
}

void tar_put (struct tar *tar, struct tar_entry entry)
{
  struct {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, target[100], magic[8],
        user[32], group[32], major[8], minor[8], prefix[155], rest[12];
  } header = { .magic = "ustar  " };
  size_t len = entry.data_len > 0 ? entry.data_len : entry.data ? strlen (entry.data) : 0;
  unsigned sum = 0;

  _Static_assert(sizeof (header) == BLOCK, "a header is one block");
  if (strlen (entry.name) > sizeof (header.name))
    long_name (tar, 'L', entry.name);
  if (entry.target != NULL && strlen (entry.target) > sizeof (header.target))
    long_name (tar, 'K', entry.target);
  memcpy (header.name, entry.name, strnlen (entry.name, sizeof (header.name)));
  if (entry.target != NULL)
    memcpy (header.target, entry.target, strnlen (entry.target, sizeof (header.target)));
  octal (header.mode, sizeof (header.mode), entry.mode ? entry.mode : entry.type == '5' ? 0755 : 0644);
  octal (header.uid, sizeof (header.uid), entry.uid);
  octal (header.gid, sizeof (header.gid), entry.gid);
  octal (header.size, sizeof (header.size), entry.size_says ? entry.size_says : len);
  octal (header.mtime, sizeof (header.mtime), entry.mtime);
  header.type = entry.type;
  memset (header.checksum, ' ', sizeof (header.checksum));
  for (size_t i = 0; i < BLOCK; i++)
    sum += ((const unsigned char *) &header)[i];
  octal (header.checksum, 7, sum);
  tar_bytes (tar, &header, BLOCK);
  tar_bytes (tar, entry.data, len);
  pad (tar);
}

void tar_file (struct tar *tar, const char *name, const char *data)
{
  tar_put (tar, (struct tar_entry){ .type = '0', .name = name, .data = data });
}

void tar_directory (struct tar *tar, const char *name, unsigned mode)
{
  tar_put (tar, (struct tar_entry){ .type = '5', .name = name, .mode = mode });
}

void tar_link (struct tar *tar, char type, const char *name, const char *target)
{
  tar_put (tar, (struct tar_entry){ .type = type, .name = name, .target = target });
}

/* A record's length counts its own digits. */
void tar_pax (struct tar *tar, const char *key, const char *value)
{
  size_t rest = strlen (key) + strlen (value) + 3, len = rest + 1;
  cleanup_free char *record = NULL;

  while (len != rest + (size_t) snprintf (NULL, 0, "%zu", len))
    len = rest + (size_t) snprintf (NULL, 0, "%zu", len);
  record = str_format ("%zu %s=%s\n", len, key, value);
  assert_non_null (record);
  tar_put (tar, (struct tar_entry){ .type = 'x', .name = "pax", .data = record });
}

void tar_clear (struct tar *tar)
{
  free (tar->bytes);
  *tar = (struct tar){ 0 };
}

void case_write (const char *path, const void *bytes, size_t len)
{
  FILE *f = fopen (path, "w");

  CHECK (f != NULL, "cannot write '%s': %s", path, strerror (errno));
  assert_int_equal (fwrite (bytes, 1, len, f), len);
  assert_int_equal (fclose (f), 0);
}

void case_write_text (const char *path, const char *text)
{
  case_write (path, text, strlen (text));
}

static char *in_directory (const char *directory, const char *name)
{
  char *path = str_format ("%s/%s", directory, name);

  assert_non_null (path);
  return path;
}

void case_layout (const char *directory)
{
  cleanup_free char *blobs = in_directory (directory, "blobs"),
                    *sha256 = in_directory (directory, "blobs/sha256");
  cleanup_free char *mark = in_directory (directory, "oci-layout");

  assert_int_equal (mkdir (directory, 0755), 0);
  assert_int_equal (mkdir (blobs, 0755), 0);
  assert_int_equal (mkdir (sha256, 0755), 0);
  case_write_text (mark, "{\"imageLayoutVersion\": \"1.0.0\"}");
}

void case_blob (const char *directory, const void *bytes, size_t len, char hex[SHA256_HEX])
{
  cleanup_free char *path = NULL;

  sha256_hex (bytes, len, hex);
  path = str_format ("%s/blobs/sha256/%s", directory, hex);
  assert_non_null (path);
  case_write (path, bytes, len);
}

static void little_endian (struct tar *into, uint64_t value, size_t bytes)
{
  for (; bytes > 0; bytes--, value >>= 8)
    tar_bytes (into, &(unsigned char){ (unsigned char) value }, 1);
}

static uint32_t crc32 (const unsigned char *bytes, size_t len)
{
  uint32_t crc = UINT32_MAX;

  for (size_t i = 0; i < len; i++) {
    crc ^= bytes[i];
    for (unsigned bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

/* RFC 1952 around blocks that RFC 1951 calls stored. */
static void pack_gzip (const char *bytes, size_t len, struct tar *into)
{
  size_t left = len;

  tar_bytes (into, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  do {
    size_t part = left < 65535 ? left : 65535;

    little_endian (into, part == left, 1);
    little_endian (into, part, 2);
    little_endian (into, ~part, 2);
    tar_bytes (into, bytes + (len - left), part);
    left -= part;
  } while (left > 0);
  little_endian (into, crc32 ((const unsigned char *) bytes, len), 4);
  little_endian (into, len, 4);
}

/* RFC 8878: one segment of raw blocks, and of blocks that repeat one byte where the data does. */
static void pack_zstd (const char *bytes, size_t len, struct tar *into)
{
  size_t left = len;

  little_endian (into, 0xfd2fb528, 4);
  little_endian (into, 2 << 6 | 1 << 5, 1);
  little_endian (into, len, 4);
  do {
    const char *start = bytes + (len - left);
    size_t part = left < 128 * 1024 ? left : 128 * 1024;
    bool repeats = part > 1 && memcmp (start, start + 1, part - 1) == 0;

    little_endian (into, (part == left) | (repeats ? 1 : 0) << 1 | part << 3, 3);
    tar_bytes (into, start, repeats ? 1 : part);
    left -= part;
  } while (left > 0);
}

void case_pack (const void *bytes, size_t len, enum image_packing packing, struct tar *into)
{
  if (packing == IMAGE_PACKING_GZIP)
    pack_gzip (bytes, len, into);
  else
    pack_zstd (bytes, len, into);
}

struct case_layer case_layer (const char *directory, struct tar *tar, enum image_packing packing)
{
  static const char *const types[] = {
    [IMAGE_PACKING_NONE] = "application/vnd.oci.image.layer.v1.tar",
    [IMAGE_PACKING_GZIP] = "application/vnd.oci.image.layer.v1.tar+gzip",
    [IMAGE_PACKING_ZSTD] = "application/vnd.oci.image.layer.v1.tar+zstd",
  };
  static const char end[2 * BLOCK];
  struct case_layer layer = { .media_type = types[packing] };
  cleanup_tar struct tar packed = { 0 };

  tar_bytes (tar, end, sizeof (end));
  sha256_hex (tar->bytes, tar->len, layer.diff);
  if (packing == IMAGE_PACKING_NONE)
    tar_bytes (&packed, tar->bytes, tar->len);
  else
    case_pack (tar->bytes, tar->len, packing, &packed);
  case_blob (directory, packed.bytes, packed.len, layer.hex);
  layer.size = packed.len;
  tar_clear (tar);
  return layer;
}

static char *config_text (const struct case_layer *layers, size_t count)
{
  cleanup_strbuf struct strbuf text = { 0 };
  struct utsname host;

  assert_int_equal (uname (&host), 0);
  strbuf_addf (
      &text,
      "{\"os\": \"linux\", \"architecture\": \"%s\", \"rootfs\": {\"type\": \"layers\", \"diff_ids\": [",
      image_architecture (host.machine));
  for (size_t i = 0; i < count; i++)
    strbuf_addf (&text, "%s\"sha256:%s\"", i > 0 ? ", " : "", layers[i].diff);
  strbuf_add (
      &text,
      "]}, \"config\": {\"User\": \"app\", \"WorkingDir\": \"/srv\", \"Env\": [\"PATH=/bin\", \"A=b c\"],"
      " \"Entrypoint\": [\"/bin/sh\", \"-c\"], \"Cmd\": null}}");
  return strbuf_take (&text);
}

void case_manifest (const char *directory, const struct case_layer *layers, size_t count,
                    char hex[SHA256_HEX], size_t *ret_size)
{
  cleanup_strbuf struct strbuf text = { 0 };
  cleanup_free char *config = config_text (layers, count);
  char config_hex[SHA256_HEX];

  assert_non_null (config);
  case_blob (directory, config, strlen (config), config_hex);
  strbuf_addf (
      &text,
      "{\"schemaVersion\": 2, \"mediaType\": \"application/vnd.oci.image.manifest.v1+json\", \"config\": "
      "{\"mediaType\": \"application/vnd.oci.image.config.v1+json\", \"digest\": \"sha256:%s\", \"size\": "
      "%zu}, "
      "\"layers\": [",
      config_hex, strlen (config));
  for (size_t i = 0; i < count; i++)
    strbuf_addf (&text, "%s{\"mediaType\": \"%s\", \"digest\": \"sha256:%s\", \"size\": %zu}",
                 i > 0 ? ", " : "", layers[i].media_type, layers[i].hex, layers[i].size);
  strbuf_add (&text, "]}");
  assert_false (text.failed);
  case_blob (directory, text.text, text.len, hex);
  *ret_size = text.len;
}

void case_index (const char *directory, const char *hex, size_t size, const char *tag)
{
  cleanup_free char *path = in_directory (directory, "index.json");
  cleanup_free char *annotations =
      tag ? str_format (", \"annotations\": {\"org.opencontainers.image.ref.name\": \"%s\"}", tag)
          : strdup ("");
  cleanup_free char *text = str_format (
      "{\"schemaVersion\": 2, \"manifests\": [{\"mediaType\": "
      "\"application/vnd.oci.image.manifest.v1+json\", \"digest\": \"sha256:%s\", \"size\": %zu%s}]}",
      hex, size, annotations);

  assert_non_null (text);
  case_write_text (path, text);
}

void case_image (const char *directory, const struct case_layer *layers, size_t count, char hex[SHA256_HEX])
{
  char manifest[SHA256_HEX];
  size_t size = 0;

  case_manifest (directory, layers, count, manifest, &size);
  case_index (directory, manifest, size, NULL);
  if (hex != NULL)
    memcpy (hex, manifest, SHA256_HEX);
}

int case_enter (void **state)
{
  char *directory = strdup ("/tmp/tyrum-oci-test-image-XXXXXX");

  umask (022);
  if (directory == NULL || mkdtemp (directory) == NULL || chdir (directory) < 0)
    return -1;
  *state = directory;
  return 0;
}

/* Directories inside may have any mode; those that are entered are made ours first. */
static int open_up (const char *path, const struct stat *st, int type, struct FTW *ftw)
{
  (void) ftw;
  return S_ISDIR (st->st_mode) && type != FTW_SL ? chmod (path, 0700) : 0;
}

static int remove_entry (const char *path, const struct stat *st, int type, struct FTW *ftw)
{
  (void) st;
  (void) type;
  (void) ftw;
  return remove (path);
}

int case_leave (void **state)
{
  int r = chdir ("/");

  if (r == 0)
    r = nftw (*state, open_up, 64, FTW_PHYS);
  if (r == 0)
    r = nftw (*state, remove_entry, 64, FTW_DEPTH | FTW_PHYS);
  free (*state);
  return r;
}

const char *case_look (const char *path)
{
  static char text[1024];
  char data[512] = "";
  struct stat st;

  if (lstat (path, &st) < 0)
    snprintf (text, sizeof (text), "-");
  else if (S_ISDIR (st.st_mode))
    snprintf (text, sizeof (text), "d %04o", st.st_mode & 07777);
  else if (S_ISLNK (st.st_mode)) {
    assert_true (readlink (path, data, sizeof (data) - 1) >= 0);
    snprintf (text, sizeof (text), "l %s", data);
  } else if (S_ISREG (st.st_mode)) {
    FILE *f = fopen (path, "r");

    assert_non_null (f);
    data[fread (data, 1, sizeof (data) - 1, f)] = '\0';
    fclose (f);
    snprintf (text, sizeof (text), "f %04o %s", st.st_mode & 07777, data);
  } else
    snprintf (text, sizeof (text), "? %o", st.st_mode);
  return text;
}
