/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-memory.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void memory_forget (void *data, size_t size)
{
  size_t page = (size_t) sysconf (_SC_PAGESIZE);
  size_t before = (page - (uintptr_t) data % page) % page;

  /* Failing only costs memory. */
  if (size >= before + page)
    (void) madvise ((char *) data + before, (size - before) / page * page, MADV_DONTNEED);
}
