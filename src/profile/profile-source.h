/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which host paths may be mounted into a run, judged by name.
 *
 * Forbidden paths give control of the host whatever the access of the mount (an engine's socket is root),
 * so they can never be granted. Programs of the host can be read but never written. Sensitive paths can
 * be granted read-only by an operator who gives a reason. A plan checks again with all links resolved,
 * and by inode for sockets.
 */
#pragma once

#include <stdbool.h>

enum source_class { SOURCE_PLAIN, SOURCE_PROGRAMS, SOURCE_SENSITIVE, SOURCE_FORBIDDEN };

/* PATH is normal. *RET_WHY is the risk; NULL only for SOURCE_PLAIN. */
enum source_class source_classify (const char *path, const char **ret_why);

/* Whether PATH lies below a forbidden path; false for the forbidden path itself and its parents. */
bool source_is_inside (const char *path);

/* Why PATH, with all links resolved, cannot be the root of an engine's container; NULL: it can. Engines
 * keep roots below paths that cannot be mounted; these paths themselves, and their parents, are not roots. */
const char *source_forbidden_root (const char *path);
