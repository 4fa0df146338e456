/* What libcrun forgets.
 *
 * crun 1.8.1 takes nosuid and nodev off the root where there is no user namespace. It is put right between
 * create and start, while the container's first process waits: later, the supervisor would have to ask init
 * about its mounts a second time.
 *
 * Must never: be trusted. Whether the flags are there is seen by whoever proves the run.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Whether the root of process PID lacks one of the two. */
bool helper_root_wants_remount (pid_t pid);

/* In a process of its own, which ends up in the mount namespace of PID. That of SUPERVISOR is not touched. */
int helper_remount_root (pid_t pid, pid_t supervisor);
