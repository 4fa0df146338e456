/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The connection to the shim, which starts a container for an engine: a socket in a directory that is mounted
 * read-only, which does not prevent connecting. Its name is removed before the go-ahead. */
#pragma once

#include "init-failure.h"

/* HANDSHAKE_FD must be free; it becomes the connection. */
int call_supervisor (struct failure *failure);
