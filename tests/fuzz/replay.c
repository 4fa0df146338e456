/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a fuzz target on its kept seeds, without libFuzzer: a test for any compiler.
 *
 * The program's name says which seeds: replay-json takes every file in the archive tests/fuzz/corpus/json.tar
 * (contrib/fuzz-seeds writes it), in the archive's order. It speaks TAP, with one case for all seeds: an
 * input on which the target aborts ends the program, and the last name in the log is the culprit. Files can
 * also be named as arguments, to look at one finding. An archive that is absent, empty or cut off is a
 * failure.
 */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"

#define INPUT_BYTES_MAX ((size_t) 4 * 1024 * 1024)
#define BLOCK           512

/* The header of a file in a ustar archive. */
struct header {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[6],
      rest[249];
};

_Static_assert(sizeof (struct header) == BLOCK, "a header is one block");

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Runs the next SIZE bytes of the file. They are in a block of exactly that size, so that the address
 * sanitizer sees one byte too far. */
static int replay_next (FILE *file, const char *name, size_t size)
{
  cleanup_free uint8_t *input = malloc (size > 0 ? size : 1);

  printf ("# %s\n", name);
  fflush (stdout);
  if (input == NULL || fread (input, 1, size, file) != size) {
    printf ("# cannot read %zu bytes\n", size);
    return -1;
  }
  LLVMFuzzerTestOneInput (input, size);
  return 0;
}

static int replay_file (const char *path)
{
  cleanup_file FILE *file = fopen (path, "re");
  long size;

  if (file == NULL || fseek (file, 0, SEEK_END) < 0 || (size = ftell (file)) < 0
      || fseek (file, 0, SEEK_SET) < 0) {
    printf ("# cannot open '%s': %s\n", path, strerror (errno));
    return -1;
  }
  return replay_next (file, path, (size_t) size);
}

static bool parse_octal (const char *digits, size_t length, size_t *ret_value)
{
  size_t value = 0;

  for (size_t i = 0; i < length && digits[i] != '\0' && digits[i] != ' '; i++) {
    if (digits[i] < '0' || digits[i] > '7' || value > INPUT_BYTES_MAX)
      return false;
    value = value * 8 + (size_t) (digits[i] - '0');
  }
  *ret_value = value;
  return value <= INPUT_BYTES_MAX;
}

/* The sum of a header's bytes, those of the sum itself counted as blanks. */
static bool sum_is_right (const struct header *header)
{
  const unsigned char *bytes = (const unsigned char *) header;
  size_t sum = 0, said;

  for (size_t i = 0; i < sizeof *header; i++)
    sum += i - offsetof (struct header, checksum) < sizeof header->checksum ? ' ' : bytes[i];
  return parse_octal (header->checksum, sizeof header->checksum, &said) && sum == said;
}

/* The number of seeds, or -1. */
static int replay_archive (const char *path)
{
  static const struct header end;
  cleanup_file FILE *file = fopen (path, "re");
  struct header header;
  int count = 0;

  if (file == NULL) {
    printf ("# cannot open '%s': %s\n", path, strerror (errno));
    return -1;
  }
  for (; fread (&header, sizeof header, 1, file) == 1; count++) {
    char name[sizeof header.name + 1] = "";
    size_t size;

    if (memcmp (&header, &end, sizeof end) == 0)
      return count;
    memcpy (name, header.name, sizeof header.name);
    if (memcmp (header.magic, "ustar", sizeof header.magic) != 0 || header.type != '0'
        || !sum_is_right (&header) || !parse_octal (header.size, sizeof header.size, &size)) {
      printf ("# '%s': '%s' is not a file of at most %zu bytes in a ustar archive\n", path, name,
              INPUT_BYTES_MAX);
      return -1;
    }
    if (replay_next (file, name, size) < 0 || fseek (file, (long) (-size % BLOCK), SEEK_CUR) < 0)
      return -1;
  }
  printf ("# '%s' is cut off\n", path);
  return -1;
}

int main (int argc, char **argv)
{
  const char *top = getenv ("TYRUM_OCI_TEST_SRCDIR");
  const char *dash = strchr (program_invocation_short_name, '-');
  char path[PATH_MAX];
  int count = 0;

  if (argc > 1) {
    for (int i = 1; i < argc; i++)
      if (replay_file (argv[i]) < 0)
        return EXIT_FAILURE;
    return EXIT_SUCCESS;
  }
  if (dash == NULL
      || snprintf (path, sizeof path, "%s/tests/fuzz/corpus/%s.tar", top ? top : ".", dash + 1)
             >= (int) sizeof path)
    return EXIT_FAILURE;
  printf ("1..1\n");
  count = replay_archive (path);
  printf ("%s 1 - %d inputs of the corpus '%s'\n", count > 0 ? "ok" : "not ok", count, dash + 1);
  return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
