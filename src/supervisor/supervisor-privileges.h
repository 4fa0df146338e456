/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a supervisor gives up before the command starts.
 *
 * From then on it copies streams, answers a listener, reads events and files of the kernel, and cleans up
 * what it owns: much of that is the command's to choose, and little of it takes privilege. So every
 * capability goes but two, and two more where something is written or removed later that takes them:
 *
 *   CAP_KILL              init has other ids, and must end
 *   CAP_DAC_READ_SEARCH   explaining a failure looks at the run's files, without opening them
 *   CAP_DAC_OVERRIDE,
 *   CAP_FOWNER            only with KEEP_OVERRIDE: a group of the run's own, a result in another user's
 *                         directory
 *
 * It stays root by its ids, and so what root owns can be written: this bounds a mistake, and is no wall.
 *
 * No exec can give any of them back, and a filter refuses what is left to try: to execute or trace, to mount,
 * to enter or make namespaces, to become another user, to load code into the kernel. A user who is not root
 * has no capabilities to give up, and gets the filter.
 *
 * Where a runtime has to be executed again a cleanup helper does that (cleanup-helper.c), which
 * drops nothing.
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"

/* For good, in this process and all that it forks. */
int privileges_drop (bool keep_override, struct error *err);

/* Whether we could write to the directory or socket FD, or PATH, without CAP_DAC_OVERRIDE. */
bool privileges_own_directory (int fd);
bool privileges_own_path (const char *path);
