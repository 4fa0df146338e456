/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What engines share (engines.c): functions and values for struct backend. */
#pragma once

#include "engine-api.h"
#include "supervisor-driver.h"

/* Everything that is the same for all engines: all but name, rows, document and API. */
#define ENGINE                                                                                               \
  .isolation = ISOLATION_CONTAINER, .shared = engines_rows, .observed = true, .images_only = true,           \
  .own_privilege = true, .adds_env = true, .has_others = true, .names_runtimes = true,                       \
  .version = engines_version, .driver = &run_by_engine

extern const struct enforcement_row engines_rows[];

int engines_version (const struct backend_question *question, char **ret_text, struct error *err);
