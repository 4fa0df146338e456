/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A client of the session API that is no command line: prints one line for each event of one run.
 *
 *   session-events BACKEND PROFILE WORKSPACE MEMORY REFUSE COMMAND [ARG...]
 *
 * MEMORY is a limit that only tightens, or "-". At the event of the name REFUSE, or none for "-", the sink
 * says no. Standard output and error of the command are captured. */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "denial-record.h"
#include "journal-audit-log.h"
#include "session-session.h"

static const char *const names[] = {
  [SESSION_PLANNED] = "planned",   [SESSION_REFUSED] = "refused", [SESSION_POSTURE] = "posture",
  [SESSION_STARTED] = "started",   [SESSION_DENIAL] = "denial",   [SESSION_LIMIT] = "limit",
  [SESSION_OUTPUT] = "output",     [SESSION_ENDED] = "ended",     [SESSION_NOTE] = "note",
  [SESSION_PROGRESS] = "progress",
};

static int print_event (void *data, const struct session_event *event, struct error *err)
{
  const char *refuse = data;

  printf ("%s", names[event->kind]);
  if (event->kind == SESSION_PLANNED)
    printf (" %s", event->run->plan->profile_name);
  else if (event->kind == SESSION_REFUSED)
    printf (" %s", error_text (event->refused));
  else if (event->kind == SESSION_POSTURE)
    printf (" %s", overall_text (event->posture->overall));
  else if (event->kind == SESSION_DENIAL)
    printf (" %s", control_info (event->denial->control)->name);
  else if (event->kind == SESSION_LIMIT)
    printf (" %s", control_info (event->limit->control)->name);
  else if (event->kind == SESSION_OUTPUT)
    printf (" %d %" PRIu64 " %.*s", event->output.stream, event->output.total, (int) event->output.len,
            event->output.bytes);
  else if (event->kind == SESSION_ENDED)
    printf (" %s %d", run_reason_text (event->run->result.reason), event->run->result.code);
  printf ("\n");
  fflush (stdout);
  return strcmp (refuse, names[event->kind]) == 0 ? error_set (err, -1, "the sink says no") : 0;
}

int main (int argc, char **argv)
{
  cleanup_session_process struct session_process process = { 0 };
  cleanup_strlist struct strlist command = { 0 };
  struct session_request request = { SESSION_REQUEST, .process = &process, .via = "test", .capture = true };
  cleanup_error struct error err = { 0 };
  struct session_sink sink = { .event = print_event };

  if (argc < 7)
    return 2;
  request.backend = argv[1];
  request.profile = argv[2];
  request.workspace = argv[3];
  if (strcmp (argv[4], "-") != 0)
    request.at_most[0] = (struct session_limit){ SETTING_MEMORY, argv[4], "test" };
  sink.data = argv[5];
  for (int i = 6; i < argc; i++)
    if (strlist_add (&command, argv[i]) < 0)
      return 2;
  request.argv = &command;
  return session_run (&request, &sink, NULL, &err) < 0;
}
