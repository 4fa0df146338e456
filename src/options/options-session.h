/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between command line and session: options to a request, events to output. */
#pragma once

#include "options-options.h"
#include "options-output.h"
#include "options-progress.h"
#include "session-session.h"

/* The request in ARGUMENTS, which own its strings; VIA is the verb. */
struct session_request request_of_arguments (const struct arguments *arguments, const char *via);

/* Adds notes to OUTPUT, and shows progress on a terminal. */
struct output_sink {
  struct output *output;
  struct progress progress;
  bool shown; /* standard error is a terminal */
  bool quiet; /* no note about what the plan leaves out: the client reports it */
};

/* DATA and OUTPUT must outlive the sink. */
struct session_sink output_sink_init (struct output_sink *data, struct output *output);

/* Adds a note for each control that the plan leaves out, with the reason. */
void output_add_plan (struct output *output, const struct plan *plan);
