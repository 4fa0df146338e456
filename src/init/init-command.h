/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command of an init that was started without one: words, variables and a working directory, as the
 * supervisor tells them when a sandbox that was held ready is given away. */
#pragma once

#include <stddef.h>

#include "init-failure.h"
#include "init-options.h"

/* Takes them from the LENGTH BYTES of a COMMAND, goes to the directory, and puts the words into OPTIONS. The
 * environment is that of the command from here on. Only once. */
int command_take (const unsigned char *bytes, size_t length, struct options *options,
                  struct failure *failure);
