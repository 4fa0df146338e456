/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every backend, one row each, in the order in which they are shown. To add one: its file, its row here and
 * its name in backend.am. */
#include <config.h>

#include "control-backend.h"

#include "base-cleanup.h"

#define BACKENDS(ROW) ROW (libcrun) ROW (crun) ROW (runc) ROW (runsc) ROW (docker) ROW (podman)

#define DECLARE(name) extern const struct backend backend_##name;
#define ADDRESS(name) &backend_##name,

BACKENDS (DECLARE)

const struct backend *const backends[] = { BACKENDS (ADDRESS) NULL };

_Static_assert(ARRAY_LEN (backends) <= BACKEND_MAX + 1, "room for every backend");
