/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between a command line and a session: options as a request, events as output. */
#pragma once

#include "options-options.h"
#include "options-output.h"
#include "options-progress.h"
#include "session-session.h"

/* What ARGUMENTS say, of the options that ask for a run; VIA is the verb. The texts stay theirs. */
struct session_request request_of_arguments (const struct arguments *arguments, const char *via);

/* Notes for OUTPUT, and how far an image is unpacked, on a terminal. */
struct output_sink {
  struct output *output;
  struct progress progress;
  bool shown; /* there is a terminal */
  bool quiet; /* the client's answer says what is left out of the plan, so no note does */
};

/* A sink of DATA, which keeps OUTPUT. */
struct session_sink output_sink_init (struct output_sink *data, struct output *output);

/* Adds what the plan leaves out, and why, to the notes. */
void output_add_plan (struct output *output, const struct plan *plan);
