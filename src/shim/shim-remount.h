/* Flags and modes that a low-level runtime forgets are put back in the container's own mount namespace,
 * before its command starts: crun 1.8.1 takes nosuid and nodev off a root without a user namespace, and
 * leaves the directory of version 1 cgroups to be written; runc 1.1 gives a tmpfs the mode that the image's
 * directory below it has, whatever mode= says. What counts is what the judge sees afterwards, so trying is
 * all that is done here.
 */
#pragma once

#include "posture-promises.h"

/* PIDFD is the container's first process, whose root is the container's by now. */
void remount_mounts (const struct promises *promises, int pidfd);
