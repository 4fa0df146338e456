/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process of one prewarmed sandbox: makes it, waits, and serves one caller with it. */
#pragma once

#include <stdint.h>

#include "base-str.h"
#include "daemon-prewarmed.h"

/* The first byte of a message on the control socket. */
#define HOLD_READY  'r'
#define HOLD_FAILED 'f' /* followed by the reason, at most HOLD_TEXT_BYTES */

#define HOLD_TEXT_BYTES 512

/* CONTROL is a socket to the daemon, which sends a caller over it (handed_pass) or closes it to end this
 * process. VARIABLES is the environment of the sandbox's plan. The sandbox is discarded after AGE_MS. */
__attribute__ ((noreturn)) void hold (int control, struct session_process *process,
                                      const struct strlist *template, const struct prewarmed_owner *owner,
                                      char **env, uint64_t age_ms);
