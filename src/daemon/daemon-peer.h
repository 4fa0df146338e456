/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who calls: whether somebody at the socket may have this process's powers.
 *
 * The same user is not enough. A process of the same user may have given privileges up, have entered other
 * namespaces, or be held by a filter; what it gets done here it must be able to do by itself. Such a caller
 * is not refused a run, it makes it alone.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* By the kernel's word on CONNECTION. *RET_PID is the caller. */
bool peer_is_same_user (int connection, pid_t *ret_pid);

/* Whether PID, at the other end of CONNECTION, has all that this process has: namespaces, root, capabilities,
 * freedom from filters; and is scheduled by the same policies. What cannot be looked at counts as different.
 */
bool peer_is_like_us (int connection, pid_t pid);
