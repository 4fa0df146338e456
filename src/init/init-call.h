/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way to whoever starts a container for an engine: a socket in a directory that is mounted read-only,
 * which does not forbid to connect. Its name is gone by the time of the go-ahead. */
#pragma once

#include "init-failure.h"

/* HANDSHAKE_FD is free before, and the connection afterwards. */
int call_supervisor (struct failure *failure);
