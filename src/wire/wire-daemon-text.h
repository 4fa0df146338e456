/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words and variables of a daemon's request, out of its memory file. Pure. */
#pragma once

#include <stddef.h>

#include "wire-daemon.h"

/* Whether REQUEST is one that this version understands, within its bounds: then TEXT may be read. */
int daemon_request_check (const struct daemon_request *request);

/* TEXT has the request's size, and a NUL behind it. The lists are NULL-terminated, point into it, and are
 * the caller's to free. -EPROTO where it does not hold exactly what the request says, -ENOMEM. */
int daemon_request_split (const struct daemon_request *request, char *text, char ***ret_argv,
                          char ***ret_env);
