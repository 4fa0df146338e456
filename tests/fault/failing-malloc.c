/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library to be preloaded: one allocation of the program fails, whoever in it makes it.
 *
 * Environment:
 *   FAILING_MALLOC_AT    which allocation gives NULL and ENOMEM, counted from 1; 0 or nothing: none
 *   FAILING_MALLOC_ON    1: all that follow fail as well
 *   FAILING_MALLOC_LOG   a file that gets one line when the program leaves by exit:
 *                        ALLOCATIONS STRUCK LIVE, the last the number of blocks that were never freed
 *
 * Unlike the linker's --wrap (tests/unit/oom.c) this also reaches what libraries allocate for themselves. A
 * process that is forked goes on counting where its parent was.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What glibc's own functions are called besides. */
void *__libc_malloc (size_t size);
void *__libc_calloc (size_t count, size_t size);
void *__libc_realloc (void *block, size_t size);
void __libc_free (void *block);

static bool ready, stays, struck;
static unsigned long at, count;
static long live;

static void make_ready (void)
{
  const char *text = getenv ("FAILING_MALLOC_AT");

  ready = true;
  at = text ? strtoul (text, NULL, 10) : 0;
  text = getenv ("FAILING_MALLOC_ON");
  stays = text != NULL && text[0] == '1';
}

static bool fails (void)
{
  if (!ready)
    make_ready ();
  count++;
  if (count != at && !(struck && stays))
    return false;
  struck = true;
  errno = ENOMEM;
  return true;
}

static void *counted (void *block)
{
  live += block != NULL;
  return block;
}

void *malloc (size_t size)
{
  return fails () ? NULL : counted (__libc_malloc (size));
}

void *calloc (size_t number, size_t size)
{
  return fails () ? NULL : counted (__libc_calloc (number, size));
}

void *realloc (void *block, size_t size)
{
  if (fails ())
    return NULL;
  return block == NULL ? counted (__libc_realloc (NULL, size)) : __libc_realloc (block, size);
}

void free (void *block)
{
  live -= block != NULL;
  __libc_free (block);
}

static void __attribute__ ((destructor)) tell (void)
{
  const char *file = getenv ("FAILING_MALLOC_LOG");
  int fd = file ? open (file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
  char line[96];
  int len = snprintf (line, sizeof (line), "%lu %d %ld\n", count, struck, live);

  if (fd >= 0) {
    ssize_t written = write (fd, line, (size_t) len);
    (void) written;
    close (fd);
  }
}
