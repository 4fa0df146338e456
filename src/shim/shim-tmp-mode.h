/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* runc 1.1 gives a tmpfs the mode that the image's directory below it has, whatever mode= says: the command
 * could not write to /tmp. It is put right in the container's own mount namespace, before init starts.
 */
#pragma once

#include "posture-promises.h"

/* PIDFD is the container's first process, whose root is the container's by now. What cannot be done is seen
 * by the judge. */
void tmp_mode_restore (const struct promises *promises, int pidfd);
