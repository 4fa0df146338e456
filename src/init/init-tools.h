/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which programs the payload may execute: Landlock's right to execute, for it and all that it starts.
 *
 * In: paths from the supervisor, before the go-ahead. What a named program needs to run is allowed with it:
 * the interpreter of a script, the program that "#!/usr/bin/env NAME" finds, the loader of a dynamic one.
 * A path that is not there is passed over, as it cannot be executed anyway. The rules are made by init, who
 * sees the root as the payload will, and put in force in the payload's own process right before the exec:
 * init itself stays free. Files may be hostile: only regular ones are read, and nothing waits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "init-failure.h"

/* PATHS are LENGTH bytes, a NUL behind each. To be called once. */
int tools_prepare (const unsigned char *paths, size_t length, struct failure *failure);

/* In the process that is to be bounded. 0 also where no paths came: then everything may be executed. */
int tools_confine (void);
