/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What init puts in force itself, for itself and the command, instead of relying on the runtime.
 *
 * In: the body of a HANDSHAKE_RESTRICT. Privileges are given up, limits only lowered, a higher priority and
 * another personality reset, and the filter is loaded after whatever filters the runtime has loaded: the
 * kernel takes the strictest result of all. Nothing here can loosen anything. If a part of it cannot be done,
 * the error says so and the command must not start; a question that the profile's own list refuses is left
 * out.
 */
#pragma once

#include <stddef.h>

#include "wire-init.h"

/* To be called once. Returns the filter's listener, or a negative errno and the step that failed. -EBUSY of
 * the filter: one that was loaded before has a listener; -EPROTO: one that was loaded before answers for the
 * kernel. From here on the supervisor must answer calls that the filter notifies. */
int restrict_self (const unsigned char *body, size_t length, enum restrict_step *ret_step);
