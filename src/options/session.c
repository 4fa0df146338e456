/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "options-session.h"

#include <unistd.h>

#include "base-io-timeout.h"

/* A note must not delay a run by more than this. */
#define NOTE_TRIES 10

struct session_request request_of_arguments (const struct arguments *arguments, const char *via)
{
  const struct strlist *values = arguments->values;

  return (struct session_request){ SESSION_REQUEST,
                                   .process = arguments->process,
                                   .via = via,
                                   .profile = arguments_text (arguments, OPTION_PROFILE),
                                   .argv = &arguments->operands,
                                   .env = &values[OPTION_ENV],
                                   .caller_env = environ,
                                   .cwd = arguments_text (arguments, OPTION_CWD),
                                   .workspace = arguments_text (arguments, OPTION_WORKSPACE),
                                   .rootfs = arguments_text (arguments, OPTION_ROOTFS),
                                   .image = arguments_text (arguments, OPTION_IMAGE),
                                   .mounts = &values[OPTION_MOUNT],
                                   .secrets = &values[OPTION_SECRET],
                                   .limits = &values[OPTION_LIMIT],
                                   .timeout = &values[OPTION_TIMEOUT],
                                   .grace = arguments_text (arguments, OPTION_GRACE),
                                   .accepted = &values[OPTION_ACCEPT],
                                   .unconfined = arguments_have (arguments, OPTION_UNCONFINED),
                                   .backend = arguments_text (arguments, OPTION_BACKEND),
                                   .runtime = arguments_text (arguments, OPTION_RUNTIME),
                                   .engine_socket = arguments_text (arguments, OPTION_ENGINE_SOCKET),
                                   .pull = arguments_have (arguments, OPTION_PULL),
                                   .host_facts = arguments_text (arguments, OPTION_HOST_FACTS),
                                   .terminal = arguments_have (arguments, OPTION_TTY) };
}

void output_add_plan (struct output *output, const struct plan *plan)
{
  for (size_t i = 0; i < plan->notes.count; i++)
    output_note (output, plan->notes.items[i]);
}

/* A note for now is written at once, not collected until the end of the run. */
static void write_note (const char *line)
{
  cleanup_strbuf struct strbuf text = { 0 };

  strbuf_add (&text, "tyrum-oci: note: ");
  text_clean (&text, line);
  strbuf_add (&text, "\n");
  /* A failure to write to standard error cannot be reported. */
  if (!text.failed)
    (void) io_timeout_write (STDERR_FILENO, text.text, text.len, NOTE_TRIES);
}

static int show_event (void *data, const struct session_event *event, struct error *err)
{
  struct output_sink *sink = data;

  (void) err;
  if (event->kind == SESSION_PLANNED && event->run->plan != NULL && !sink->quiet)
    output_add_plan (sink->output, event->run->plan);
  else if (event->kind == SESSION_NOTE && event->note.at_once)
    write_note (event->note.text);
  else if (event->kind == SESSION_NOTE)
    output_note (sink->output, event->note.text);
  else if (event->kind == SESSION_PROGRESS && sink->shown)
    return progress_tell (&sink->progress, event->progress);
  return 0;
}

struct session_sink output_sink_init (struct output_sink *data, struct output *output)
{
  data->output = output;
  data->quiet = false;
  data->shown = progress_init (&data->progress, STDERR_FILENO);
  return (struct session_sink){ show_event, data, NULL };
}
