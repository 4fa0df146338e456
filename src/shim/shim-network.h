/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A container without a network has none, whatever an engine has plugged in since it was made.
 *
 * Runs after create and before the command starts. Every interface but loopback is taken out of the network
 * namespace of PID, and the namespace is looked at again: what is still there is an error that names it.
 */
#pragma once

#include <sys/types.h>

#include "base-error.h"

int network_empty (pid_t pid, struct error *err);
