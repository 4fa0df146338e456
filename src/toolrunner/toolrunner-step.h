/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One step as Tyrum's gateway passes it to a ToolRunner, read and checked.
 *
 * JSON text goes in. What comes out is what the contract asks of a payload: required names are there and
 * not blank, and the action has a type. Unknown keys are ignored, and so are optional values of the wrong
 * type, as Tyrum ignores them. Messages are Tyrum's, since its tests and users know them.
 * step_command_read reads the arguments of a CLI action.
 *
 * A model writes the payload as much as the gateway does: it chooses a command and can ask for less time
 * and output. It never chooses a profile, a root, a mount or a variable.
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "base-json-read.h"
#include "base-str.h"

/* What the contract gives a command where the payload asks for nothing else. */
#define STEP_TIMEOUT_DEFAULT 60000
#define STEP_OUTPUT_DEFAULT  32768

/* What JavaScript's trim() leaves of a text; whether it leaves nothing. */
void step_trim (const char **text, size_t *len);
bool step_is_blank (const char *text);

struct step {
  struct json_node *tree;
  const char *turn_id, *step_id, *attempt_id, *workspace_id; /* in it */
  const char *policy_snapshot_id;                            /* NULL: there is none, or it is blank */
  const char *type;                                          /* of the action */
  const struct json_node *args;
  uint64_t timeout_ms;
};

int step_parse (const char *text, size_t len, struct step *ret_step, struct error *err);
void step_clear (struct step *step);
#define cleanup_step cleanup (step_clear)

struct step_command {
  struct strlist argv;
  char *cwd; /* beneath the workspace, normal; "" for the workspace itself; NULL: not read yet */
  uint64_t timeout_ms;
  uint64_t max_output; /* bytes of each stream */
};

/* All but the cwd. -EINVAL: the step fails; -E2BIG: no process can be started with so many bytes. */
int step_command_read (const struct step *step, struct step_command *ret_command, struct error *err);

/* WORKSPACE is its path outside, which an absolute cwd may lie in. -EPERM: the cwd leads out of it. */
int step_command_cwd (const struct step *step, const char *workspace, struct step_command *command,
                      struct error *err);
void step_command_clear (struct step_command *command);
#define cleanup_step_command cleanup (step_command_clear)

/* Where in its arguments the step has a secret handle, "secret:...", which only Tyrum's own ToolRunner
 * resolves; NULL: nowhere. */
int step_find_secret (const struct step *step, char **ret_where, struct error *err);

/* PATH without '.', '..' and empty parts, by name alone. -EPERM where it leads upwards and out. */
int step_normal_path (const char *path, char **ret_path);
