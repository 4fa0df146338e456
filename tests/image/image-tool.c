/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drives the image code from test scripts.
 *
 *   image-tool show REF                               what the image is, a line for each value
 *   image-tool unpack [OPTION...] REF STATE           into the cache; prints the tree's path, "fresh",
 *                                                     and counts
 *     --setid --walk --bytes N --machine NAME
 *   image-tool into [OPTION...] REF DIR               without the cache, into an empty directory
 *   image-tool gc STATE [SECONDS]                     prints how many trees went
 *
 * Exit code 1 and a line on standard error where the code refuses; 2 for a wrong command line.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base-number.h"
#include "image-cache.h"

struct arguments {
  const char *words[3];
  int count;
  const char *machine;
  struct image_unpack_options options;
};

static int usage (void)
{
  fprintf (stderr,
           "usage: image-tool show REF | unpack [--setid] [--walk] [--bytes N] [--machine M] REF STATE"
           " | gc STATE [SECONDS]\n");
  return 2;
}

static int say (int r, const struct error *err)
{
  if (r < 0)
    fprintf (stderr, "image-tool: %s\n", error_text (err));
  return r < 0 ? 1 : 0;
}

static int open_image (const struct arguments *arguments, struct image **ret_image, struct error *err)
{
  cleanup_image_reference struct image_reference reference = { 0 };
  int r = image_reference_parse (arguments->words[1], &reference, err);

  return r < 0 ? r : image_open (&reference, arguments->machine, ret_image, err);
}

static int show (const struct arguments *arguments, struct error *err)
{
  cleanup_image struct image *image = NULL;
  int r = open_image (arguments, &image, err);

  if (r < 0)
    return r;
  printf ("manifest %s\nlayers %zu\nplatform %s/%s\n", image->hex, image->manifest.count, image->config.os,
          image->config.architecture);
  printf ("user %s\nfolder %s\n", image->config.user ? image->config.user : "",
          image->config.working_directory ? image->config.working_directory : "");
  for (size_t i = 0; i < image->config.environment.count; i++)
    printf ("env %s\n", image->config.environment.items[i]);
  for (size_t i = 0; i < image->config.entrypoint.count; i++)
    printf ("entrypoint %s\n", image->config.entrypoint.items[i]);
  for (size_t i = 0; i < image->config.command.count; i++)
    printf ("command %s\n", image->config.command.items[i]);
  return 0;
}

static void print_report (const struct image_report *report)
{
  printf ("entries %" PRIu64 "\nbytes %" PRIu64 "\nwhiteouts %" PRIu64 "\n", report->entries, report->bytes,
          report->whiteouts);
  printf ("setid_dropped %" PRIu64 "\ncapabilities_dropped %" PRIu64 "\nattributes_dropped %" PRIu64 "\n",
          report->setid_dropped, report->capabilities_dropped, report->attributes_dropped);
}

static int into (struct arguments *arguments, struct error *err)
{
  cleanup_image struct image *image = NULL;
  cleanup_close int root = open (arguments->words[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct image_report report;
  int r = root < 0 ? error_set_errno (err, errno, "cannot open '%s'", arguments->words[2])
                   : open_image (arguments, &image, err);

  arguments->options.keep_owner = geteuid () == 0;
  if (r == 0)
    r = image_unpack (image, root, &arguments->options, &report, err);
  if (r == 0)
    print_report (&report);
  return r;
}

static int unpack (const struct arguments *arguments, struct error *err)
{
  cleanup_image struct image *image = NULL;
  cleanup_image_cache struct image_cache cache = { .fd = -1 };
  cleanup_image_root struct image_root root = { .fd = -1, .lock = -1 };
  int r = open_image (arguments, &image, err);

  if (r == 0)
    r = image_cache_open (arguments->words[2], &cache, err);
  if (r == 0)
    r = image_cache_get (&cache, image, &arguments->options, &root, err);
  if (r < 0)
    return r;
  printf ("%s\nfresh %d\n", root.path, root.fresh);
  print_report (&root.report);
  return 0;
}

static int collect (const struct arguments *arguments, struct error *err)
{
  cleanup_image_cache struct image_cache cache = { .fd = -1 };
  uint64_t seconds = IMAGE_CACHE_FOREVER;
  size_t removed = 0;
  int r;

  if (arguments->count > 2 && !number_parse (arguments->words[2], UINT64_MAX, &seconds))
    return error_set (err, -EINVAL, "'%s' is not a number of seconds", arguments->words[2]);
  r = image_cache_open (arguments->words[1], &cache, err);
  if (r == 0)
    r = image_cache_gc (&cache, seconds, &removed, err);
  if (r == 0)
    printf ("removed %zu\n", removed);
  return r;
}

static bool parse (int argc, char **argv, struct arguments *arguments)
{
  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--setid") == 0)
      arguments->options.keep_setid = true;
    else if (strcmp (argv[i], "--walk") == 0)
      arguments->options.walk = true;
    else if (strcmp (argv[i], "--machine") == 0 && i + 1 < argc)
      arguments->machine = argv[++i];
    else if (strcmp (argv[i], "--bytes") == 0 && i + 1 < argc) {
      if (!number_parse (argv[++i], UINT64_MAX, &arguments->options.bytes_max))
        return false;
    } else if (argv[i][0] == '-' || arguments->count == 3)
      return false;
    else
      arguments->words[arguments->count++] = argv[i];
  }
  return arguments->count >= 2;
}

int main (int argc, char **argv)
{
  cleanup_error struct error err = { 0 };
  struct utsname host;
  struct arguments arguments = { .machine = uname (&host) == 0 ? host.machine : "" };

  if (!parse (argc, argv, &arguments))
    return usage ();
  if (strcmp (arguments.words[0], "show") == 0 && arguments.count == 2)
    return say (show (&arguments, &err), &err);
  if (strcmp (arguments.words[0], "unpack") == 0 && arguments.count == 3)
    return say (unpack (&arguments, &err), &err);
  if (strcmp (arguments.words[0], "into") == 0 && arguments.count == 3)
    return say (into (&arguments, &err), &err);
  if (strcmp (arguments.words[0], "gc") == 0)
    return say (collect (&arguments, &err), &err);
  return usage ();
}
