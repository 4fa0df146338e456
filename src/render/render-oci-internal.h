/* The parts of config.json, each in a file of its own. */
#pragma once

#include "base-json-write.h"
#include "plan-plan.h"

void render_oci_linux (struct json_writer *w, const struct plan *plan);

/* The limits among the members of "resources", in words that Podman has taken over. */
void render_oci_limits (struct json_writer *w, const struct plan *plan);
