/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What init puts in force itself, for itself and the command, instead of relying on the runtime.
 *
 * In: the body of a HANDSHAKE_RESTRICT. Privileges are given up, limits only lowered, the scheduling class,
 * priority and personality reset to the ordinary ones, and the filter is loaded after whatever filters the
 * runtime has loaded: the kernel takes the strictest result of all. Nothing here can loosen anything. If a
 * part of it cannot be done, the error says so and the command must not start.
 */
#pragma once

#include <stddef.h>

/* To be called once. Returns the filter's listener, or a negative errno; -EBUSY: a filter of the runtime
 * has a listener already. From here on the supervisor must answer calls that the filter notifies. */
int restrict_self (const unsigned char *body, size_t length);
