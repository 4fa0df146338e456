/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a caller may use this process's privileges.
 *
 * The same user is not enough: a process may have dropped privileges, be in other namespaces, or be under a
 * seccomp filter, and must not get done here what it could not do by itself. Such a caller is declined, and
 * makes its run itself.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* By the kernel's credentials of CONNECTION. *RET_PID is the caller. */
bool peer_is_same_user (int connection, pid_t *ret_pid);

/* Whether PID, at the other end of CONNECTION, is in the same namespaces with the same root, ids,
 * capabilities and scheduling policy, and is not restricted. What cannot be read counts as different. */
bool peer_is_like_us (int connection, pid_t pid);
