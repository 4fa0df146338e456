/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command of an init that was started without one: argv, env and a working directory, sent by the
 * supervisor when a prewarmed sandbox is used. */
#pragma once

#include <stddef.h>

#include "init-failure.h"
#include "init-options.h"

/* Reads a COMMAND of LENGTH BYTES, changes to its directory, replaces the environment, and sets the command
 * in OPTIONS. Only once. */
int command_take (const unsigned char *bytes, size_t length, struct options *options,
                  struct failure *failure);
