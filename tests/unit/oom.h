/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that runs out on command.
 *
 * A program that links oom.c with the options below sends every allocation of the code under test
 * through here. The code's own allocations are counted from the moment oom_fail_at is called, and the
 * one it names fails as malloc does: NULL and ENOMEM. What shared libraries allocate for themselves
 * (libc's stdio, yajl, cmocka) is neither counted nor failed.
 *
 *   -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=strdup,--wrap=strndup
 *   -Wl,--wrap=asprintf,--wrap=vasprintf,--wrap=__asprintf_chk,--wrap=__vasprintf_chk
 *
 * A function of libc that hands out memory and is not in this list would show as a negative number of
 * live blocks when the code under test frees it: wrap it as well.
 */
#pragma once

#include <stdbool.h>

/* The NTH allocation from now fails, from 1; with AND_AFTER so does every later one. */
void oom_fail_at (unsigned long nth, bool and_after);

/* Allocations succeed again. Answers whether one has failed. */
bool oom_stop (void);

/* Blocks that the code under test holds now. */
long oom_live (void);
