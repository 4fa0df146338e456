/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a session's request to a plan: the only place where a session reads files, environment and host.
 *
 * It finds the profile directories, reads the host's facts (or a file that describes another host), loads
 * ceiling and profile, and converts the client's values to a struct request: the four inputs of plan_build.
 * plan_build refuses a request that the profile does not grant; the name of a profile that grants it is added
 * to that error here.
 *
 * Must never: change anything on the host, let the environment decide more than where the directories are, or
 * read facts of this host when another one is described.
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "host-facts.h"
#include "plan-plan.h"
#include "plan-request.h"
#include "profile-ceiling.h"
#include "profile-find.h"
#include "session-request.h"

struct context {
  struct host_facts *host;
  bool described; /* HOST comes from a file; no fact of this host is read */
  struct profile_store store;
  struct ceiling *ceiling;
  struct profile *profile;
  struct request request;
  const struct session_process *process;
  const char *engine_socket; /* --engine-socket; NULL: none */
};

void context_clear (struct context *context);
#define cleanup_context cleanup (context_clear)

/* Fills host and store only: for verbs that read profiles and launch nothing. */
int context_open_store (struct context *context, struct error *err);

/* Fills everything. */
int context_open (struct context *context, const struct session_request *asked, struct error *err);

/* Reads the facts of all paths that the plan depends on, and builds the plan. */
int context_plan (struct context *context, struct plan **ret_plan, struct error *err);

/* The profile's settings, met with the ceiling and the request; the profile's own settings if these conflict.
 * Shown where there is no plan. */
int context_settings (const struct context *context, struct settings *ret_settings, struct error *err);
