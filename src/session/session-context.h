/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a session's request to a plan: the one place where its clients touch files, environment and host.
 *
 * It finds the directories of profiles, looks at the host (or reads the file that describes another one),
 * loads ceiling and profile, and makes a request of the client's values. What comes out are the four values
 * that plan_build takes. A request that a profile does not grant is refused by the plan; here the refusal
 * gets the name of a profile that grants it.
 *
 * Must never: change anything on the host, let the environment decide more than where the directories are, or
 * look at this host when another one is described.
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
  bool described; /* HOST is what a file says; nothing of this host is looked at */
  struct profile_store store;
  struct ceiling *ceiling;
  struct profile *profile;
  struct request request;
  const struct session_process *process;
  const char *engine_socket; /* --engine-socket; NULL: none */
};

void context_clear (struct context *context);
#define cleanup_context cleanup (context_clear)

/* Host and store only, for verbs that look at profiles and launch nothing. */
int context_open_store (struct context *context, struct error *err);

/* Everything. */
int context_open (struct context *context, const struct session_request *asked, struct error *err);

/* Looks at the paths that matter, and builds the plan. */
int context_plan (struct context *context, struct plan **ret_plan, struct error *err);

/* The profile under the ceiling, tightened by the request, as far as the three can be joined; else the
 * profile's own settings. For showing, where there is no plan. */
int context_settings (const struct context *context, struct settings *ret_settings, struct error *err);
