/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of config.json, each in a file of its own. */
#pragma once

#include "base-json-write.h"
#include "plan-launch.h"

void render_oci_linux (struct json_writer *w, const struct plan *plan, const struct launch *launch);

/* The array KEY of id maps; INSIDE and OUTSIDE are the keys of the ids. */
void render_id_maps (struct json_writer *w, const char *key, const char *inside, const char *outside,
                     const struct plan_id_map *maps, size_t count);

/* The limits in "resources", which Podman's API writes in the same way. */
void render_oci_limits (struct json_writer *w, const struct plan *plan);

/* Rlimit number I of the plan, as it is to be while the runtime works (launch->runtime_files). */
struct plan_rlimit render_rlimit (const struct plan *plan, const struct launch *launch, size_t i);
