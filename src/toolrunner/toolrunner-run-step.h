/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One step of Tyrum's, from the gateway's command line to the StepResult.
 *
 * cli/toolrunner.c reads the payload and the operator's configuration and chooses the mode; home.c finds
 * the workspace and checks that the plan mounts nothing of the gateway's; run-step.c makes a session
 * request, runs it and captures the output. Profile, root and backend come from the configuration or the
 * command line, never from the payload.
 *
 * Must never: run a step without a configured mode, print anything but one StepResult on standard output,
 * or leave a container after the end of the process.
 */
#pragma once

#include "base-error.h"
#include "options-options.h"
#include "options-output.h"
#include "plan-plan.h"
#include "profile-configuration.h"
#include "session-request.h"
#include "toolrunner-step.h"

struct toolrunner {
  const struct arguments *given; /* the command line */
  const struct configuration *configuration;
  const char *payload;
  size_t payload_len;
  const struct step *step;
  char *workspace; /* the directory outside, without links */
};

/* Adds the configuration's values for profile, backend and root, where REQUEST says nothing of them. */
void toolrunner_complete (struct session_request *request, const struct configuration *c);

/* The same, with the limits that the contract gives a command where the payload asks for nothing: for
 * reports on what a step gets. Fails where the operator has not chosen how steps are contained. */
int toolrunner_request (struct session_request *request, const struct configuration *c, struct error *err);

/* The command of a CLI step. The answer, a StepResult, goes to OUTPUT. */
int toolrunner_command (struct toolrunner *toolrunner, struct output *output, struct error *err);

/* The ToolRunner of the image, which gets the payload as it is. */
int toolrunner_runner (struct toolrunner *toolrunner, struct output *output, struct error *err);

/* Finds the directory that the command sees: as the command line, the configuration or the gateway says, and
 * else, in mode 'command', 'workspace' in the gateway's home, which is made if absent. */
int toolrunner_find_workspace (struct toolrunner *toolrunner, struct error *err);

/* The file of a database that --db names, a path or a URI; "" where it is in none (a server, or memory).
 * NULL: no memory. */
char *toolrunner_database_file (const char *db);

/* Refuses a plan of mode 'command' by which the command could read the gateway's key or database, or write
 * anything that the gateway loads; wherever these lie, and whether or not they exist yet. */
int toolrunner_check_plan (const struct toolrunner *toolrunner, const struct plan *plan, struct error *err);
