/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which host paths may be mounted into a run, judged by name.
 *
 * Forbidden places hand the host over whatever the mount's access is (an engine's socket is root), so
 * nobody can grant them. What the host executes can be read and never written. Sensitive places can be
 * granted read-only by an operator who writes down why. A plan asks again with the path behind all links, and
 * by inode for sockets.
 */
#pragma once

#include <stdbool.h>

enum source_class { SOURCE_PLAIN, SOURCE_PROGRAMS, SOURCE_SENSITIVE, SOURCE_FORBIDDEN };

/* PATH is normal. *RET_WHY says what is at stake; set unless plain. */
enum source_class source_classify (const char *path, const char **ret_why);

/* Whether PATH lies in a forbidden place, and is neither the place itself nor holds one. */
bool source_is_inside (const char *path);

/* Why PATH, behind all links, cannot be the root of an engine's container; NULL: it can. Engines keep roots
 * inside of places that cannot be mounted; the places themselves, and what holds them, are no roots. */
const char *source_forbidden_root (const char *path);
