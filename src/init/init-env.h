/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The environment behind an engine, which adds variables of its own and of the image.
 *
 * What is not named goes. The kernel shows the environment that a process was started with, so init starts
 * itself again: what is seen from outside is then what the payload gets.
 */
#pragma once

#include "init-failure.h"

/* Keeps the variables in NAMES, separated by commas, and executes ARGV anew without its option --keep-env.
 * Returns only on failure. */
int environment_restart (char *argv[], const char *names, struct failure *failure);
