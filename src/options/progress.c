/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "options-progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SHOW_MS 100

#define MEGABYTE UINT64_C (1000000)

static uint64_t now_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

/* Overwrites the line with a carriage return and pads with blanks, which works on every terminal. */
static void show (struct progress *progress, const char *text)
{
  char line[256];
  size_t width = strlen (text);
  int len =
      snprintf (line, sizeof (line), "\r%s%*s%s", text,
                (int) (progress->width > width ? progress->width - width : 0), "", width == 0 ? "\r" : "");

  /* A failed write is ignored: it is only progress. */
  if (write (progress->fd, line, (size_t) len) < 0)
    errno = 0;
  progress->width = width;
  progress->shown_ms = now_ms ();
}

bool progress_init (struct progress *progress, int fd)
{
  *progress = (struct progress){ .fd = fd };
  return isatty (fd) == 1;
}

int progress_tell (void *data, const struct image_progress *told)
{
  struct progress *progress = data;
  char text[80];

  switch (told->stage) {
  case IMAGE_STAGE_WAIT: show (progress, "another process unpacks the same image ..."); break;
  case IMAGE_STAGE_UNPACK:
    if (progress->width > 0 && now_ms () - progress->shown_ms < SHOW_MS)
      break;
    snprintf (text, sizeof (text), "unpacking layer %zu of %zu, %" PRIu64 " of %" PRIu64 " MB", told->layer,
              told->layers, told->bytes / MEGABYTE, told->total / MEGABYTE);
    show (progress, text);
    break;
  case IMAGE_STAGE_DONE:
    if (progress->width > 0)
      show (progress, "");
    break;
  }
  return 0;
}
