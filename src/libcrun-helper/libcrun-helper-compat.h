/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interface to libcrun: no other file includes its headers or calls it.
 *
 * libcrun is made for the crun program. Its calls change the process that makes them (signals, limits,
 * keyring, working directory) and may end it, so each function here is called once, in a process that ends
 * right afterwards. All differences between versions of libcrun are in compat.c, with configure's help. The
 * structs of the spec are opaque: libcrun gets the text.
 *
 * libcrun's log messages are added to the error. They never reach the standard streams, which are the
 * container's, with one exception: if the container's program cannot be executed, the container's own process
 * reports that on its standard error.
 */
#pragma once

#include "base-error.h"
#include "libcrun-helper-helper-request.h"

/* Makes the container from SPEC, the text of a config.json, and writes the pid of its first process into
 * PID_FILE. The process then waits for helper_start. The working directory must be the bundle. */
int helper_create (const struct helper_request *request, const char *spec, const char *pid_file,
                   struct error *err);

int helper_start (const struct helper_request *request, struct error *err);

/* Kills the container's processes and removes its cgroup and its state directory, as far as they exist. */
int helper_delete (const struct helper_request *request, struct error *err);
