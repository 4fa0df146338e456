/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a path of the host really lies: in which file system, where in it, and by which other paths the same
 * directory is reached.
 *
 * A path proves little: an engine's volume, or any other bind mount, shows another directory under a harmless
 * name. So the path is opened and its mount is looked up in the mount table, and every mount of the same file
 * system adds another name. A source is judged by all its names, and with everything that is mounted below
 * it, which is bound with it.
 *
 * Not detected: a tree that another file system is stacked on, such as the upper layer of an overlay.
 * trace_layers gives the layers of an overlay itself.
 */
#pragma once

#include "base-error.h"
#include "base-str.h"
#include "host-facts.h"

/* Fills "filesystem", "places" and "below" of every fact in FACTS->paths that exists and has none yet.
 * Refuses a path whose mount is not in the mount table. */
int trace_paths (struct host_facts *facts, struct error *err);

/* Whether the same file systems are mounted at and below NOW as at BEFORE. */
bool trace_same (const struct path_fact *before, const struct path_fact *now);

/* The layers of the overlay that is mounted on PATH, as they were named when it was mounted. None if PATH
 * does not exist or is not on an overlay. A relative name is refused unless it is one that engines use among
 * their own layers: it was relative to an unknown directory of the user who mounted it. */
int trace_layers (const char *path, struct strlist *ret_layers, struct error *err);
