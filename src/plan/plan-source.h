/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a host path may be mounted at all: not if it holds sockets of engines, or our own directories.
 *
 * The check by name is in profile-source.h. Pure. */
#pragma once

#include <stdbool.h>

#include "host-facts.h"

/* Why the existing FACT cannot be mounted; NULL: it can. */
const char *source_forbidden (const struct host_facts *host, const struct path_fact *fact, bool writable);
