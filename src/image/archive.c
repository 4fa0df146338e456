/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-archive-internal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if HAVE_LIBARCHIVE

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <locale.h>
#include <sys/stat.h>

#include "image-name-internal.h"

#define BLOCK_BYTES  512u /* of a tar */
#define BUFFER_BYTES ((size_t) 128 * 1024)

/* libarchive pulls in a dozen other libraries, which takes longer to load than most of our commands run. So
 * it is loaded when the first archive is opened. The soname has stayed the same since version 3.0. */
#define LIBRARY     "libarchive.so.13"
#define VERSION_MIN 3003003 /* the first with zstd */

#define FUNCTIONS(X)                                                                                         \
  X (archive_entry_filetype)                                                                                 \
  X (archive_entry_gid)                                                                                      \
  X (archive_entry_hardlink)                                                                                 \
  X (archive_entry_mtime)                                                                                    \
  X (archive_entry_mtime_is_set)                                                                             \
  X (archive_entry_mtime_nsec)                                                                               \
  X (archive_entry_pathname)                                                                                 \
  X (archive_entry_perm)                                                                                     \
  X (archive_entry_size)                                                                                     \
  X (archive_entry_symlink)                                                                                  \
  X (archive_entry_uid)                                                                                      \
  X (archive_entry_xattr_next)                                                                               \
  X (archive_entry_xattr_reset)                                                                              \
  X (archive_errno)                                                                                          \
  X (archive_error_string)                                                                                   \
  X (archive_filter_code)                                                                                    \
  X (archive_filter_count)                                                                                   \
  X (archive_read_data_block)                                                                                \
  X (archive_read_free)                                                                                      \
  X (archive_read_new)                                                                                       \
  X (archive_read_next_header)                                                                               \
  X (archive_read_open)                                                                                      \
  X (archive_read_support_filter_gzip)                                                                       \
  X (archive_read_support_filter_zstd)                                                                       \
  X (archive_read_support_format_empty)                                                                      \
  X (archive_read_support_format_raw)                                                                        \
  X (archive_read_support_format_tar)                                                                        \
  X (archive_set_error)                                                                                      \
  X (archive_version_number)

static struct {
#define X(name) __typeof__ (name) *name;
  FUNCTIONS (X)
#undef X
} lib;

static int load_library (struct error *err)
{
  static const struct {
    const char *name;
    size_t offset;
  } functions[] = {
#define X(name) { #name, offsetof (__typeof__ (lib), name) },
    FUNCTIONS (X)
#undef X
  };
  void *handle;

  /* dlsym fills this one last. */
  if (lib.archive_version_number != NULL)
    return 0;
  /* Never closed: libarchive is not made to be unloaded. */
  handle = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL)
    return error_set (err, -ENOTSUP,
                      "images need " LIBRARY ", which cannot be loaded: install it, or give a directory");
  for (size_t i = 0; i < ARRAY_LEN (functions); i++) {
    void *function = dlsym (handle, functions[i].name);

    if (function == NULL)
      return error_set (err, -ENOTSUP, "this host's " LIBRARY " has no '%s'", functions[i].name);
    memcpy ((char *) &lib + functions[i].offset, &function, sizeof (function));
  }
  if (lib.archive_version_number () < VERSION_MIN) {
    lib.archive_version_number = NULL;
    return error_set (err, -ENOTSUP, "this host's " LIBRARY " is older than 3.3.3");
  }
  return 0;
}

struct image_archive {
  image_archive_reader *read;
  void *data;
  enum image_packing packing;

  struct archive *unpacker; /* NULL for an uncompressed layer */
  struct archive *tar;
  struct archive_entry *entry; /* the current one; belongs to TAR */

  uint64_t size; /* of the last file */
  bool padded;   /* the last block was shorter than the others, and has been filled up */

  struct sha256 hash; /* of the unpacked bytes */
  uint64_t unpacked, unpacked_max;

  locale_t locale;
  struct error *err; /* of the current call: callbacks store the first cause here */
  char buffer[BUFFER_BYTES];
};

/* libarchive converts names to the locale's encoding, and composes accents where that is UTF-8. Only in the
 * "C" locale does the conversion fail, and the bytes stay as they are. */
static locale_t enter_locale (struct image_archive *archive, struct error *err)
{
  archive->err = err;
  return uselocale (archive->locale);
}

static void leave_locale (struct image_archive *archive, locale_t before)
{
  archive->err = NULL;
  uselocale (before);
}

/* If a callback has failed, its message is the first cause and this one is dropped. */
static int fail_reading (struct image_archive *archive, struct archive *reader)
{
  char shown[IMAGE_SHOWN];
  int code = lib.archive_errno (reader) == ENOMEM ? -ENOMEM : -EBADMSG;
  const char *why = lib.archive_error_string (reader);

  if (error_is_set (archive->err))
    return archive->err->code;
  return error_set (archive->err, code, "cannot read the archive: %s",
                    image_show (why ? why : "unknown reason", shown));
}

static la_ssize_t give_packed (struct archive *reader, void *data, const void **ret_bytes)
{
  struct image_archive *archive = data;
  size_t len = 0;

  if (archive->read (archive->data, archive->buffer, sizeof (archive->buffer), &len, archive->err) < 0) {
    lib.archive_set_error (reader, EIO, "the source failed");
    return ARCHIVE_FATAL;
  }
  *ret_bytes = archive->buffer;
  return (la_ssize_t) len;
}

/* Gives the next unpacked bytes, counted and hashed. 0 or a negative errno. */
static int next_unpacked (struct image_archive *archive, const void **ret_bytes, size_t *ret_len)
{
  la_int64_t offset = 0;
  int r = ARCHIVE_OK;

  *ret_len = 0;
  if (archive->unpacker != NULL)
    r = lib.archive_read_data_block (archive->unpacker, ret_bytes, ret_len, &offset);
  else {
    *ret_bytes = archive->buffer;
    r = archive->read (archive->data, archive->buffer, sizeof (archive->buffer), ret_len, archive->err);
    if (r < 0)
      return r;
  }
  if (r == ARCHIVE_EOF)
    *ret_len = 0;
  else if (r != ARCHIVE_OK)
    return fail_reading (archive, archive->unpacker);
  if (*ret_len > archive->unpacked_max - archive->unpacked)
    return error_set (archive->err, -EFBIG, "the archive is larger than %" PRIu64 " bytes when unpacked",
                      archive->unpacked_max);
  archive->unpacked += *ret_len;
  sha256_update (&archive->hash, *ret_bytes, *ret_len);
  return 0;
}

static la_ssize_t give_unpacked (struct archive *reader, void *data, const void **ret_bytes)
{
  struct image_archive *archive = data;
  static const char zeros[BLOCK_BYTES];
  size_t len = 0;

  if (next_unpacked (archive, ret_bytes, &len) < 0) {
    lib.archive_set_error (reader, EIO, "the source failed");
    return ARCHIVE_FATAL;
  }
  /* Some tools leave the last block short, and readers written in Go do not mind. libarchive does. */
  if (len == 0 && !archive->padded && archive->unpacked % BLOCK_BYTES != 0) {
    *ret_bytes = zeros;
    len = BLOCK_BYTES - archive->unpacked % BLOCK_BYTES;
    archive->padded = true;
  }
  return (la_ssize_t) len;
}

/* Where the last block was filled up, that must not have been for want of the file's own bytes. */
static int check_end (struct image_archive *archive)
{
  uint64_t used = archive->size % BLOCK_BYTES;

  if (!archive->padded || (used > 0 && archive->unpacked % BLOCK_BYTES >= used))
    return 0;
  return error_set (archive->err, -EBADMSG, "cannot read the archive: it is cut off");
}

/* Opens the only member of the "raw" format: the unpacked bytes. */
static int open_unpacker (struct image_archive *archive)
{
  bool gzip = archive->packing == IMAGE_PACKING_GZIP;
  struct archive *unpacker = archive->unpacker = lib.archive_read_new ();
  struct archive_entry *entry = NULL;
  int r;

  if (unpacker == NULL)
    return error_oom (archive->err);
  r = gzip ? lib.archive_read_support_filter_gzip (unpacker)
           : lib.archive_read_support_filter_zstd (unpacker);
  /* libarchive warns where it would have to start a program to unpack. */
  if (r != ARCHIVE_OK)
    return error_set (archive->err, -ENOTSUP, "this host's libarchive cannot unpack %s",
                      gzip ? "gzip" : "zstd");
  if (lib.archive_read_support_format_raw (unpacker) != ARCHIVE_OK
      || lib.archive_read_support_format_empty (unpacker) != ARCHIVE_OK
      || lib.archive_read_open (unpacker, archive, NULL, give_packed, NULL) != ARCHIVE_OK)
    return fail_reading (archive, unpacker);
  /* The last filter is always "none". More than two mean that the layer is compressed twice. */
  if (lib.archive_filter_count (unpacker) != 2
      || lib.archive_filter_code (unpacker, 0) != (gzip ? ARCHIVE_FILTER_GZIP : ARCHIVE_FILTER_ZSTD))
    return error_set (archive->err, -EBADMSG, "the layer is not packed with %s as its media type says",
                      gzip ? "gzip" : "zstd");
  r = lib.archive_read_next_header (unpacker, &entry);
  if (r != ARCHIVE_OK && r != ARCHIVE_EOF)
    return fail_reading (archive, unpacker);
  return 0;
}

static int open_tar (struct image_archive *archive)
{
  struct archive *tar = archive->tar = lib.archive_read_new ();

  if (tar == NULL)
    return error_oom (archive->err);
  if (lib.archive_read_support_format_tar (tar) != ARCHIVE_OK
      || lib.archive_read_support_format_empty (tar) != ARCHIVE_OK
      || lib.archive_read_open (tar, archive, NULL, give_unpacked, NULL) != ARCHIVE_OK)
    return fail_reading (archive, tar);
  return 0;
}

int image_archive_open (image_archive_reader *read, void *data, enum image_packing packing,
                        uint64_t unpacked_max, struct image_archive **ret_archive, struct error *err)
{
  cleanup_image_archive struct image_archive *archive = NULL;
  locale_t before;
  int r = load_library (err);

  if (r < 0)
    return r;
  archive = calloc (1, sizeof (*archive));
  if (archive == NULL)
    return error_oom (err);
  archive->read = read;
  archive->data = data;
  archive->packing = packing;
  archive->unpacked_max = unpacked_max;
  sha256_init (&archive->hash);
  archive->locale = newlocale (LC_CTYPE_MASK, "C", (locale_t) 0);
  if (archive->locale == (locale_t) 0)
    return error_oom (err);
  before = enter_locale (archive, err);
  r = packing == IMAGE_PACKING_NONE ? 0 : open_unpacker (archive);
  if (r == 0)
    r = open_tar (archive);
  leave_locale (archive, before);
  if (r == 0)
    *ret_archive = take_ptr (archive);
  return r;
}

static enum image_entry_kind kind_of (struct archive_entry *entry)
{
  if (lib.archive_entry_hardlink (entry) != NULL)
    return IMAGE_ENTRY_HARDLINK;
  switch (lib.archive_entry_filetype (entry)) {
  case AE_IFREG: return IMAGE_ENTRY_FILE;
  case AE_IFDIR: return IMAGE_ENTRY_DIRECTORY;
  case AE_IFLNK: return IMAGE_ENTRY_SYMLINK;
  case AE_IFBLK:
  case AE_IFCHR: return IMAGE_ENTRY_DEVICE;
  case AE_IFIFO: return IMAGE_ENTRY_FIFO;
  case AE_IFSOCK: return IMAGE_ENTRY_SOCKET;
  default: return IMAGE_ENTRY_OTHER;
  }
}

static int read_entry (struct image_archive *archive, struct archive_entry *from, struct image_entry *into)
{
  struct image_entry entry = {
    .kind = kind_of (from),
    .name = lib.archive_entry_pathname (from),
    .mode = lib.archive_entry_perm (from),
    .uid = lib.archive_entry_uid (from),
    .gid = lib.archive_entry_gid (from),
    .time = { .tv_nsec = UTIME_OMIT },
  };
  la_int64_t size = lib.archive_entry_size (from);

  if (entry.kind == IMAGE_ENTRY_HARDLINK)
    entry.target = lib.archive_entry_hardlink (from);
  else if (entry.kind == IMAGE_ENTRY_SYMLINK)
    entry.target = lib.archive_entry_symlink (from);
  if (entry.name == NULL || size < 0
      || (entry.target == NULL && (entry.kind == IMAGE_ENTRY_HARDLINK || entry.kind == IMAGE_ENTRY_SYMLINK)))
    return error_set (archive->err, -EBADMSG,
                      "cannot read the archive: an entry has no name, size or target");
  if (entry.kind == IMAGE_ENTRY_FILE)
    entry.size = (uint64_t) size;
  archive->size = entry.size;
  if (lib.archive_entry_mtime_is_set (from)) {
    long nsec = lib.archive_entry_mtime_nsec (from);

    entry.time.tv_sec = lib.archive_entry_mtime (from);
    entry.time.tv_nsec = nsec >= 0 && nsec < 1000000000 ? nsec : 0;
  }
  archive->entry = from;
  lib.archive_entry_xattr_reset (from);
  *into = entry;
  return 1;
}

int image_archive_next (struct image_archive *archive, struct image_entry *ret_entry, struct error *err)
{
  locale_t before = enter_locale (archive, err);
  struct archive_entry *entry = NULL;
  int r;

  archive->entry = NULL;
  r = lib.archive_read_next_header (archive->tar, &entry);
  /* libarchive warns of each name that is not ASCII, and leaves its bytes as they are. */
  if (r == ARCHIVE_OK || r == ARCHIVE_WARN)
    r = read_entry (archive, entry, ret_entry);
  else
    r = r == ARCHIVE_EOF ? check_end (archive) : fail_reading (archive, archive->tar);
  leave_locale (archive, before);
  return r;
}

int image_archive_data (struct image_archive *archive, const void **ret_bytes, size_t *ret_len,
                        uint64_t *ret_offset, struct error *err)
{
  locale_t before = enter_locale (archive, err);
  la_int64_t offset = 0;
  int r = lib.archive_read_data_block (archive->tar, ret_bytes, ret_len, &offset);

  if (r == ARCHIVE_OK && offset < 0)
    r = error_set (err, -EBADMSG, "cannot read the archive: data before the start of a file");
  else if (r == ARCHIVE_OK || r == ARCHIVE_EOF)
    r = r == ARCHIVE_OK;
  else
    r = fail_reading (archive, archive->tar);
  leave_locale (archive, before);
  *ret_offset = (uint64_t) offset;
  return r;
}

int image_archive_attribute (struct image_archive *archive, const char **ret_name, const void **ret_value,
                             size_t *ret_len)
{
  return archive->entry != NULL
         && lib.archive_entry_xattr_next (archive->entry, ret_name, ret_value, ret_len) == ARCHIVE_OK;
}

int image_archive_finish (struct image_archive *archive, char hex[SHA256_HEX], uint64_t *ret_unpacked,
                          struct error *err)
{
  locale_t before = enter_locale (archive, err);
  const void *bytes = NULL;
  size_t len = 0;
  int r;

  do
    r = next_unpacked (archive, &bytes, &len);
  while (r == 0 && len > 0);
  leave_locale (archive, before);
  if (r < 0)
    return r;
  sha256_final_hex (&archive->hash, hex);
  *ret_unpacked = archive->unpacked;
  return 0;
}

void image_archive_free (struct image_archive *archive)
{
  if (archive == NULL)
    return;
  if (archive->tar != NULL)
    lib.archive_read_free (archive->tar);
  if (archive->unpacker != NULL)
    lib.archive_read_free (archive->unpacker);
  if (archive->locale != (locale_t) 0)
    freelocale (archive->locale);
  free (archive);
}

#else

int image_archive_open (image_archive_reader *read, void *data, enum image_packing packing,
                        uint64_t unpacked_max, struct image_archive **ret_archive, struct error *err)
{
  (void) read;
  (void) data;
  (void) packing;
  (void) unpacked_max;
  (void) ret_archive;
  return error_set (
      err, -ENOTSUP,
      "this program was built without libarchive and cannot unpack images; give a directory instead");
}

int image_archive_next (struct image_archive *archive, struct image_entry *ret_entry, struct error *err)
{
  (void) archive;
  (void) ret_entry;
  return error_set (err, -ENOTSUP, "no archive is open");
}

int image_archive_data (struct image_archive *archive, const void **ret_bytes, size_t *ret_len,
                        uint64_t *ret_offset, struct error *err)
{
  (void) archive;
  (void) ret_bytes;
  (void) ret_len;
  (void) ret_offset;
  return error_set (err, -ENOTSUP, "no archive is open");
}

int image_archive_attribute (struct image_archive *archive, const char **ret_name, const void **ret_value,
                             size_t *ret_len)
{
  (void) archive;
  (void) ret_name;
  (void) ret_value;
  (void) ret_len;
  return 0;
}

int image_archive_finish (struct image_archive *archive, char hex[SHA256_HEX], uint64_t *ret_unpacked,
                          struct error *err)
{
  (void) archive;
  (void) hex;
  (void) ret_unpacked;
  return error_set (err, -ENOTSUP, "no archive is open");
}

void image_archive_free (struct image_archive *archive)
{
  (void) archive;
}

#endif
