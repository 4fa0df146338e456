/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A launch of a plan as the body of Podman's POST /libpod/containers/create: a SpecGenerator, API 4.0.0.
 *
 * Pure, and always the same bytes for the same plan and launch. Podman adds a lot where nothing is said:
 * proxy variables of its host, writable file systems on a read-only root, limits above what may be set. So
 * everything is said. The filter is not in the document: launch->filter_path names a file that whoever
 * launches has to write, with render_podman_filter's text.
 */
#pragma once

#include "base-error.h"
#include "plan-launch.h"

int render_podman (const struct plan *plan, const struct launch *launch, char **ret_text, struct error *err);
/* What an inspected container must say, as far as Podman shows it: keys of its own answer. */
int render_podman_expect (const struct plan *plan, const struct launch *launch, char **ret_text,
                          struct error *err);

int render_podman_filter (const struct plan *plan, char **ret_text, struct error *err);
