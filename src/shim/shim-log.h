/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What we say to an engine: lines in the file that --log names, as runc writes them, and standard error.
 *
 * Engines read the last line of level error and show it to their user. Nothing else in the shim prints.
 */
#pragma once

#include "shim-command.h"

enum log_level { LOG_LEVEL_INFO, LOG_LEVEL_WARNING, LOG_LEVEL_ERROR };

/* TEXT is one line. A failed write is not reported: there is nowhere else to report it. */
void log_write (const struct command *command, enum log_level level, const char *text);

/* The same line to FD alone. */
void log_write_to (int fd, const struct command *command, enum log_level level, const char *text);
