/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A session: a request goes in, events come out, and one command has run in between.
 *
 * This is what the command line, the ToolRunner, the probes of `doctor`, the daemon and tests call. A client
 * fills a struct session_request (values only), and session_run does the rest: it looks at the host, loads
 * ceiling, profile and configuration, makes the plan, has the supervisor carry it out, and tells its sinks
 * what happens:
 *
 *   PLANNED  a question: may this plan be carried out? The client's sinks are asked first, then the journal
 *            writes it. Each of them can refuse, and nothing has been made yet.
 *   POSTURE  what was observed, promise by promise, before the command starts
 *   STARTED  the command starts when every sink has returned 0
 *   OUTPUT   of a stream: the bytes, where they are captured; how many there were, and what was lost
 *   DENIAL   one for each thing that a control stopped
 *   LIMIT    one for each limit that was hit
 *   ENDED    how it ended; or, in its place and at any time,
 *   REFUSED  why there is no command, or why its end is not known. POSTURE may come before it.
 *   NOTE, PROGRESS  text and numbers for people, at any time
 *
 * Of everything but PLANNED the journal learns first (journal-sink.c): what cannot be written is not run, and
 * how a run ended is on the disk before a client is told. OUTPUT, DENIAL and LIMIT come when the command has
 * ended; a client must not depend on that, as a stream may later come in pieces while the command runs.
 *
 * A service is one more client: it makes requests of what it is sent, and its sink writes events to a
 * connection. A sandbox that outlives one command will be a field of the request, as `process->prewarmed` is
 * now; a budget of a session will be further rows of `at_most`, and a sink that counts ENDED.
 *
 * Must never: print, exit, read the environment for anything but directories, or keep state between two
 * calls. What belongs to the process is in struct session_process, which the client passes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "image-unpack.h"
#include "session-context.h"
#include "session-process.h"
#include "session-request.h"
#include "state-run-dir.h"
#include "supervisor-run.h"

enum session_event_kind {
  SESSION_PLANNED,
  SESSION_REFUSED,
  SESSION_POSTURE,
  SESSION_STARTED,
  SESSION_DENIAL,
  SESSION_LIMIT,
  SESSION_OUTPUT,
  SESSION_ENDED,
  SESSION_NOTE,
  SESSION_PROGRESS,
};

/* A stream of the command: 1 or 2. */
struct session_output {
  int stream;
  const char *bytes; /* NULL: they went to the request's descriptor */
  size_t len;
  uint64_t total; /* what the command wrote */
  bool cut;       /* by limits.output */
  int errnum;     /* why it could not be passed on; 0: it was */
};

struct session_note {
  const char *text;
  bool at_once; /* the run goes on, and the reader should know now */
};

/* Everything that a run was, is and became; filled from top to bottom. */
struct session_outcome {
  struct context context;
  char run[RUN_ID_SIZE];    /* "": there is none yet */
  bool unconfined;          /* the profile has no sandbox; then there is no plan */
  bool planned;             /* the sinks have let it pass */
  bool ended;               /* RESULT is filled */
  struct plan *plan;        /* NULL: none could be made */
  struct run_result result; /* its reason is RUN_REFUSED where a promise does not hold */
  struct error refused;     /* why the command did not run; unset: it did */
  char *document;           /* the result as JSON, where the request wants it */
};

struct session_event {
  enum session_event_kind kind;
  const struct session_outcome *run; /* what is known so far */
  union {
    const struct error *refused;
    const struct posture *posture; /* POSTURE, STARTED; NULL: nothing was observed */
    const struct denial *denial;
    const struct audit_log_limit *limit;
    struct session_output output;
    struct session_note note;
    const struct image_progress *progress;
  };
};

/* EVENT returns 0, or an error that is in ERR, which refuses the run at PLANNED and STARTED and has no effect
 * later. An event and what it points to are gone when the call returns. */
struct session_sink {
  int (*event) (void *data, const struct session_event *event, struct error *err);
  void *data;
  const struct session_sink *next; /* NULL: it is the last */
};

/* SINK may be NULL. *RET_OUTCOME is filled as far as it went, also on failure, and may be NULL where only the
 * events are wanted. 0: the command ran, or a promise did not hold (RUN_REFUSED). An error: the command was
 * not started, or its end is not known, or (ENDED is true) the result could not be written. */
int session_run (const struct session_request *request, const struct session_sink *sink,
                 struct session_outcome *ret_outcome, struct error *err);

void session_outcome_clear (struct session_outcome *outcome);
#define cleanup_session_outcome cleanup (session_outcome_clear)
