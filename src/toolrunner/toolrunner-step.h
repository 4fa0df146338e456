/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One step as Tyrum's gateway hands it to a ToolRunner, read and checked.
 *
 * JSON text goes in. What comes out is what the contract asks of a payload: the names are there and not
 * blank, the action has a type and arguments, and times are within their bounds. Keys that we do not know are
 * left alone. step_command reads the arguments of a CLI action; what is wrong in those is the step's failure
 * and not the payload's.
 *
 * The payload was written by a model as much as by the gateway: it chooses a command and may ask for less
 * time and output. It never chooses a profile, a root, a mount or a variable.
 *
 * Pure.
 */
#pragma once

#include <stdint.h>

#include "base-error.h"
#include "base-json-read.h"
#include "base-str.h"

struct step {
  struct json_node *tree;
  const char *turn_id, *step_id, *attempt_id, *workspace_id; /* in it */
  const char *type;                                          /* of the action */
  const struct json_node *args;
  uint64_t timeout_ms;
};

int step_parse (const char *text, size_t len, struct step *ret_step, struct error *err);
void step_clear (struct step *step);
#define cleanup_step cleanup (step_clear)

struct step_command {
  struct strlist argv;
  char *cwd; /* beneath the workspace, normal; "" for the workspace itself */
  uint64_t timeout_ms;
  uint64_t max_output; /* bytes of each stream */
};

/* WORKSPACE is its path outside, which an absolute cwd may lie in. -EPERM: the cwd leads out of it. */
int step_command_read (const struct step *step, const char *workspace, struct step_command *ret_command,
                       struct error *err);
void step_command_clear (struct step_command *command);
#define cleanup_step_command cleanup (step_command_clear)

/* PATH without '.', '..' and empty parts, by name alone. -EPERM where it leads upwards and out. */
int step_normal_path (const char *path, char **ret_path);
