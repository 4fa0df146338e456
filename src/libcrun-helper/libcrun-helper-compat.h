/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The door to libcrun: no other file includes its headers or calls it.
 *
 * libcrun is made for the crun program. Its calls change the process that makes them (signals, limits,
 * keyring, working directory) and may end it, so each of these is called once, in a process that ends right
 * afterwards. What differs from version to version of libcrun is in compat.c, with configure's help, and
 * nowhere else. The structs of the spec are opaque: libcrun gets the text.
 *
 * What libcrun logs is added to the error. Nothing of it reaches the standard streams, which are the
 * container's, with one exception: a first program that cannot be executed after all is
 * reported on the container's standard error, by the container's own process.
 */
#pragma once

#include "base-error.h"
#include "libcrun-helper-helper-request.h"

/* Makes the container from SPEC, the text of a config.json, and writes the id of its first process into
 * PID_FILE. The process then waits for helper_start. The working directory must be the bundle. */
int helper_create (const struct helper_request *request, const char *spec, const char *pid_file,
                   struct error *err);

int helper_start (const struct helper_request *request, struct error *err);

/* Kills what runs in the container and removes its cgroup and its directory of state, as much of them as
 * there is. */
int helper_delete (const struct helper_request *request, struct error *err);
