/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* In a process of its own, to its end: makes a sandbox, holds it ready, and serves one caller with it. */
#pragma once

#include <stdint.h>

#include "base-str.h"
#include "daemon-prewarmed.h"

/* What is said on the control socket, a byte each. */
#define HOLD_READY  'r'
#define HOLD_FAILED 'f' /* with the reason behind it, at most HOLD_TEXT_BYTES */

#define HOLD_TEXT_BYTES 512

/* CONTROL is a socket to the daemon: a caller comes over it (handed_pass), and its end means an end.
 * VARIABLES is the environment that the sandbox is planned in. AGE_MS is how long it is held. */
__attribute__ ((noreturn)) void hold (int control, struct session_process *process,
                                      const struct strlist *template, const struct prewarmed_owner *owner,
                                      char **variables, uint64_t age_ms);
