/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bundle that a command line names: its directory, and the config.json in it. */
#pragma once

#include <sys/types.h>

#include "base-error.h"
#include "base-json-edit.h"
#include "shim-command.h"

struct bundle {
  char *directory;   /* absolute */
  char *config_path; /* absolute */
  mode_t mode;       /* of that file */
  struct json_node *config;
};

int bundle_read (const struct command *command, struct bundle *bundle, struct error *err);
void bundle_clear (struct bundle *bundle);
#define cleanup_bundle cleanup (bundle_clear)
