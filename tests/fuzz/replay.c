/* Runs a fuzz target on its kept corpus, without libFuzzer: a test for any compiler.
 *
 * The program's name says which corpus: replay-json takes every file in tests/fuzz/corpus/json, in the
 * order of their names. It speaks TAP, with one case for the corpus: an input on which the target
 * aborts ends the program, and the last name in the log is the culprit. Files can also be named as
 * arguments, to look at one finding. A corpus that is absent or empty is a failure.
 */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"

#define INPUT_BYTES_MAX ((size_t) 4 * 1024 * 1024)

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Each input is in a block of exactly its size, so that the address sanitizer sees one byte too far. */
static int replay (const char *path)
{
  cleanup_file FILE *file = fopen (path, "re");
  cleanup_free char *whole = malloc (INPUT_BYTES_MAX);
  cleanup_free uint8_t *input = NULL;
  size_t size;

  printf ("# %s\n", path);
  fflush (stdout);
  if (file == NULL || whole == NULL) {
    printf ("# cannot open: %s\n", strerror (errno));
    return -1;
  }
  size = fread (whole, 1, INPUT_BYTES_MAX, file);
  if (ferror (file) || !feof (file)) {
    printf ("# cannot read, or longer than %zu bytes\n", INPUT_BYTES_MAX);
    return -1;
  }
  input = malloc (size > 0 ? size : 1);
  if (input == NULL)
    return -1;
  memcpy (input, whole, size);
  LLVMFuzzerTestOneInput (input, size);
  return 0;
}

static int is_input (const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

/* The number of inputs, or -1. */
static int replay_directory (const char *directory)
{
  struct dirent **entries = NULL;
  int count = scandir (directory, &entries, is_input, alphasort);
  int failed = 0;

  if (count < 0)
    printf ("# cannot read directory '%s': %s\n", directory, strerror (errno));
  for (int i = 0; i < count; i++) {
    char path[PATH_MAX];

    if (snprintf (path, sizeof path, "%s/%s", directory, entries[i]->d_name) >= (int) sizeof path
        || replay (path) < 0)
      failed++;
    free (entries[i]);
  }
  free (entries);
  return failed ? -1 : count;
}

int main (int argc, char **argv)
{
  const char *top = getenv ("TYRUM_OCI_TEST_SRCDIR");
  const char *dash = strchr (program_invocation_short_name, '-');
  char directory[PATH_MAX];
  int count = 0;

  if (argc > 1) {
    for (int i = 1; i < argc; i++)
      if (replay (argv[i]) < 0)
        return EXIT_FAILURE;
    return EXIT_SUCCESS;
  }
  if (dash == NULL
      || snprintf (directory, sizeof directory, "%s/tests/fuzz/corpus/%s", top ? top : ".", dash + 1)
             >= (int) sizeof directory)
    return EXIT_FAILURE;
  printf ("1..1\n");
  count = replay_directory (directory);
  printf ("%s 1 - %d inputs of the corpus '%s'\n", count > 0 ? "ok" : "not ok", count, dash + 1);
  return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
