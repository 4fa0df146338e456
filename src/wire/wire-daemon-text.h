/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* argv and env of a request to the daemon, from its memory file. Pure. */
#pragma once

#include <stddef.h>

#include "wire-daemon.h"

/* 0 if REQUEST has this version and is within the limits, so that the memory file may be read; else
 * -EPROTO. */
int daemon_request_check (const struct daemon_request *request);

/* TEXT has the request's size and is followed by a NUL. The lists are NULL-terminated, point into it, and are
 * freed by the caller. -EPROTO if TEXT does not have exactly the strings that the request counts; -ENOMEM. */
int daemon_request_split (const struct daemon_request *request, char *text, char ***ret_argv,
                          char ***ret_env);
