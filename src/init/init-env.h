/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The environment in an engine's container, to which the engine and the image add variables.
 *
 * Unlisted variables are removed. The kernel shows the environment that a process was started with, so init
 * executes itself again: then an observer sees the environment that the command gets.
 */
#pragma once

#include "init-failure.h"

/* Keeps the variables in NAMES, separated by commas, and executes ARGV again without its option --keep-env.
 * Returns only on failure. */
int environment_restart (char *argv[], const char *names, struct failure *failure);
