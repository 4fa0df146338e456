/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a host path may be mounted at all, judged by what it is: sockets, and our own directories.
 *
 * The other half is by name, in profile-source.h. Pure. */
#pragma once

#include <stdbool.h>

#include "host-facts.h"

/* Why FACT, which is there, cannot be mounted; NULL when it can. */
const char *source_forbidden (const struct host_facts *host, const struct path_fact *fact, bool writable);
