/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A launch of a plan as the body of Podman's POST /libpod/containers/create: a SpecGenerator, API 4.0.0.
 *
 * Pure, and always the same bytes for the same plan and launch. Podman has loose defaults for unset fields:
 * proxy variables of its host, writable file systems on a read-only root, limits above the host's. So every
 * field is set. The filter is not in the document: the caller writes the text of render_podman_filter to
 * launch->filter_path.
 */
#pragma once

#include "base-error.h"
#include "plan-launch.h"

int render_podman (const struct plan *plan, const struct launch *launch, char **ret_text, struct error *err);
/* What Podman's inspect must return, as far as it shows the settings. */
int render_podman_expect (const struct plan *plan, const struct launch *launch, char **ret_text,
                          struct error *err);

int render_podman_filter (const struct plan *plan, char **ret_text, struct error *err);
