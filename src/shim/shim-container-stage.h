/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stage of an engine's container: a private mount namespace in which the low-level runtime finds the
 * root and the sources of binds, opened by us.
 *
 * A runtime follows links in sources, and walks to them with the ids of the container, which cannot pass
 * through an engine's directories once they are mapped. So each source is opened once, without following a
 * link, compared with what was judged, and hung up below one directory. The root is hung up as it is. Nothing
 * of that is seen by the host, and it goes with the last process in the namespace. The config.json that the
 * runtime reads is a copy with the stage's paths, bound over the bundle's; the bundle's own keeps the
 * engine's.
 */
#pragma once

#include "base-error.h"
#include "base-json-edit.h"
#include "shim-policy.h"

struct container_stage {
  const struct policy *policy;
  const struct json_node *config; /* restricted */
  const char *bundle;             /* directory of the bundle */
  const char *config_path;        /* the file that the runtime will read */
  const char *directory;          /* an empty directory, for the stage */
  const char *plan;               /* the file that start will read */
  const char *init;               /* tyrum-oci-init, to stand before the command; NULL: not */
  const char *rendezvous;         /* with it: the directory in which it finds us */
};

/* In the process that becomes the runtime. */
int container_stage_build (const struct container_stage *stage, struct error *err);
