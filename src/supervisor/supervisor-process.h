/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes as the kernel shows them in /proc. What cannot be read is as good as gone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The letter of PID's state: 'S' sleeps, 'Z' is dead and not waited for, ...; 0 where there is no such
 * process. */
char process_state (pid_t pid);

/* When PID was started, in ticks since the machine was: with its number it names a process for good. False
 * for one that is not there, or is dead. */
bool process_start (pid_t pid, uint64_t *ret_ticks);

/* Whether our child PID has ended; it stays to be waited for. */
bool process_has_ended (pid_t pid);

/* Whether a process below PID is dead and its parent has not noticed. */
bool process_has_dead_below (pid_t pid);

/* Waits for every dead child, also one that was another's before, but those in SPARED. */
void process_reap (const pid_t *spared, size_t count);

/* Does nothing for so long. */
void process_pause_ms (unsigned ms);
