/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a path of the host really lies: in which file system, where in it, and by which other names the same
 * directory is reached.
 *
 * A path says little about what is there: a volume of an engine's, or any other bind mount, shows another
 * directory under a harmless name. So what is opened is looked up in the mount table by its mount, and every
 * mount of the same file system gives it one more name. Who judges a source judges all of them, and what is
 * mounted below it, too, as that is bound with it.
 *
 * Not seen: a tree that a file system stacks over another, such as the upper layer of an overlay. What an
 * overlay itself is made of is told by trace_layers.
 */
#pragma once

#include "base-error.h"
#include "base-str.h"
#include "host-facts.h"

/* Fills "filesystem", "places" and "below" of every fact in FACTS->paths that is there and has none yet.
 * Refuses what cannot be found in the mount table. */
int trace_paths (struct host_facts *facts, struct error *err);

/* Whether the same is mounted at NOW and below it as was at BEFORE. */
bool trace_same (const struct path_fact *before, const struct path_fact *now);

/* The directories that the overlay mounted on PATH shows, as they were named when it was mounted. None where
 * PATH is absent or something else is mounted there. A relative name is refused unless it is one of those
 * that engines use among their own layers: the user who gave it could have begun anywhere. */
int trace_layers (const char *path, struct strlist *ret_layers, struct error *err);
