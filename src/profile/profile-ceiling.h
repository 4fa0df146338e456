/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ceiling: what the operator allows on this host, whatever the profile or the request.
 *
 * A file with the same sections as a profile, met into every plan, and with the few keys that only an
 * operator decides: the ids that runs may use, and whether a run without a sandbox is allowed at all. No file
 * means no ceiling; a file that cannot be read or trusted is an error, never "no ceiling".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "control-value.h"
#include "profile-seccomp.h"

struct ceiling {
  char *file; /* NULL: there is none */
  struct settings settings;
  struct seccomp_list *seccomp; /* the list that it names, once loaded */
  bool allow_unconfined;
  uint32_t ids_first, ids_count; /* host ids for private user namespaces; count 0: not set */
};

int ceiling_parse (const char *file, const char *text, size_t len, struct ceiling **ret_ceiling,
                   struct error *err);
void ceiling_free (struct ceiling *ceiling);
DEFINE_CLEANUP (struct ceiling, ceiling_free)
#define cleanup_ceiling cleanup (ceiling_free_p)
