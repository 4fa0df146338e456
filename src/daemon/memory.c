#include <config.h>

#include "daemon-memory.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Since Linux 5.14. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#if defined __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 33)
#define KNOWS_HEAP 1
#endif
#endif

#ifdef KNOWS_HEAP

#define KEEP_BYTES  (8 * 1024 * 1024)
#define LARGE_BYTES (1024 * 1024)
#define RUN_BYTES   ((size_t) 320 * 1024)

#define HOLE_MAX   ((size_t) 64 * 1024)
#define HOLE_STEP  ((size_t) 16) /* as the C library counts */
#define SMALL_MAX  ((size_t) 2048)
#define PIECES_MAX 100000u

void memory_prepare (void)
{
  mallopt (M_TRIM_THRESHOLD, KEEP_BYTES);
  mallopt (M_MMAP_THRESHOLD, LARGE_BYTES);
  mallopt (M_TOP_PAD, (int) RUN_BYTES);
}

/* Pieces that fill holes, one behind the other: never used, and not lost either. */
struct piece {
  struct piece *next;
};

static struct piece *pieces;
static uintptr_t kept_end; /* of what the daemon has kept; 0: not known */

/* Behind everything. */
static const char *free_from (void)
{
  return (const char *) sbrk (0) - mallinfo2 ().keepcost;
}

/* Fills holes of SIZE, until one is taken from behind everything. */
static void fill (size_t size, unsigned *count)
{
  while (*count < PIECES_MAX) {
    struct piece *piece = malloc (size);
    const char *end = free_from ();

    if (piece == NULL)
      return;
    if ((const char *) piece + size >= end) {
      free (piece);
      return;
    }
    piece->next = pieces;
    pieces = piece;
    (*count)++;
  }
}

void memory_fill_holes (void)
{
  unsigned count = 0;

  for (size_t size = HOLE_MAX; size > SMALL_MAX; size /= 2)
    fill (size, &count);
  for (size_t size = SMALL_MAX; size >= HOLE_STEP; size -= HOLE_STEP)
    fill (size - sizeof (size_t), &count);
  kept_end = (uintptr_t) free_from ();
}

static void populate (uintptr_t from, uintptr_t to)
{
  void *start;

  memcpy (&start, &from, sizeof (start));
  /* Where it cannot be done it happens by and by. */
  (void) madvise (start, to - from, MADV_POPULATE_WRITE);
}

void memory_ask (void)
{
  uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE), from, to;
  void *piece = malloc (RUN_BYTES);

  if (piece == NULL)
    return;
  from = ((uintptr_t) piece + page - 1) & ~(page - 1);
  to = ((uintptr_t) piece + RUN_BYTES) & ~(page - 1);
  populate (from, to);
  free (piece);
}

void memory_own (void)
{
  uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE), end = (uintptr_t) free_from ();

  if (kept_end != 0 && end > kept_end)
    populate ((kept_end + page - 1) & ~(page - 1), (end + page) & ~(page - 1));
}

#else

void memory_prepare (void)
{
}

void memory_fill_holes (void)
{
}

void memory_ask (void)
{
}

void memory_own (void)
{
}

#endif
