/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* In a process of its own, to its end: does what a caller asked for, in the caller's place. */
#pragma once

#include "daemon-caller-request.h"
#include "session-process.h"

/* Signals as a new program finds them. */
void serve_default_signals (void);

/* Keeps FD, the standard streams, and no other descriptor. */
void serve_close_others (int fd);

/* Becomes the caller and says that it was taken; false where that cannot be, or is not wanted by the caller's
 * configuration or command line, and then the caller was told.
 * From here on a caller that hangs up means SIGTERM. */
bool serve_take (struct handed *handed, struct session_process *process);

/* The words with the program's name before them; NULL when memory ran out. */
char **serve_line (const struct handed *handed);

/* Tells the caller, and ends. */
__attribute__ ((noreturn)) void serve_end (const struct handed *handed, int status);

__attribute__ ((noreturn)) void serve (struct handed *handed, struct session_process *process);
