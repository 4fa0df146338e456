/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of config.json, each in a file of its own. */
#pragma once

#include "base-json-write.h"
#include "plan-launch.h"

void render_oci_linux (struct json_writer *w, const struct plan *plan, const struct launch *launch);

/* The limits among the members of "resources", in words that Podman has taken over. */
void render_oci_limits (struct json_writer *w, const struct plan *plan);

/* The limit number I of the plan, as it is in force while the runtime works. */
struct plan_rlimit render_rlimit (const struct plan *plan, const struct launch *launch, size_t i);
