/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files by which engines know our runtime: made from what is there, and taken back again.
 *
 * Docker has one JSON file for everything, so ours is merged into it: keys that are not ours stay, and an
 * entry of the same name that is not ours is refused. Podman reads a directory of files, so one of them is
 * ours alone. Pure.
 */
#pragma once

#include "base-error.h"
#include "base-str.h"

/* DIRECTORY holds a link tyrum-NAME for each of NAMES. TEXT is the daemon.json that is there; NULL: none.
 * REMOVE takes the names out instead. */
int install_docker (const char *file, const char *text, size_t len, const char *directory,
                    const struct strlist *names, bool remove, char **ret_text, struct error *err);

/* The whole of our file, for NAMES. */
int install_podman (const char *directory, const struct strlist *names, char **ret_text, struct error *err);
