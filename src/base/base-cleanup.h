/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scope-based cleanup.
 *
 * Each owned type has a macro here or beside its free function. A variable that carries one is initialised
 * where it is declared; ownership leaves it only through take_ptr or take_fd, so that every transfer is
 * visible in the function.
 */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY_LEN(a) (sizeof (a) / sizeof ((a)[0]))

/* Defines NAME_p, the function that a cleanup attribute calls. */
#define DEFINE_CLEANUP(type, name)                                                                           \
  static inline void name##_p (type **p)                                                                     \
  {                                                                                                          \
    name (*p);                                                                                               \
  }

#define cleanup(f) __attribute__ ((cleanup (f)))

static inline void free_p (void *p)
{
  free (*(void **) p);
}

/* Linux closes the descriptor even when close reports EINTR, so it is not retried. The
 * caller's errno is preserved. */
static inline void close_p (int *fd)
{
  if (*fd >= 0) {
    int saved = errno;
    close (*fd);
    errno = saved;
  }
}

static inline void file_p (FILE **f)
{
  if (*f)
    fclose (*f);
}

#define cleanup_free  cleanup (free_p)
#define cleanup_close cleanup (close_p)
#define cleanup_file  cleanup (file_p)

#define take_ptr(p)                                                                                          \
  (__extension__({                                                                                           \
    __typeof__ (p) taken_ = (p);                                                                             \
    (p) = NULL;                                                                                              \
    taken_;                                                                                                  \
  }))

static inline void drop_fd (int *fd)
{
  close_p (fd);
  *fd = -1;
}

static inline int take_fd (int *fd)
{
  int taken = *fd;
  *fd = -1;
  return taken;
}
