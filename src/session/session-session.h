/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A session runs one command: a request goes in, events come out.
 *
 * Its clients are the verbs, the ToolRunner, the probes of `doctor`, the daemon and tests. A client fills a
 * struct session_request (values only). session_run reads the host, loads ceiling, profile and configuration,
 * builds the plan, has the supervisor execute it, and sends events to the sinks:
 *
 *   PLANNED  asks whether the plan may be executed: first the client's sinks, then the journal, which writes
 *            it. Each can refuse; nothing has been created yet.
 *   POSTURE  what was observed, promise by promise, before the command starts
 *   STARTED  the command starts after every sink has returned 0
 *   OUTPUT   of one stream: its bytes, if captured; how many there were, and what was lost
 *   DENIAL   one for each action that a control stopped, while the command runs if it is seen then; again
 *            with a higher count if it was repeated
 *   LIMIT    one for each limit that was hit, while the command runs if it is seen then
 *   ENDED    how the command ended; or instead, at any time,
 *   REFUSED  why the command did not run, or why its end is not known. POSTURE may precede it.
 *   NOTE, PROGRESS  for users, at any time
 *
 * The journal (journal-sink.c) gets every event except PLANNED first: a run that cannot be written is not
 * started, and its end is on disk before a client gets ENDED. OUTPUT comes after the command has ended; a
 * client must not depend on that. A sink that gets an event while the command runs must return at once.
 * Events as JSON lines (event-sink.c) are one more sink, if the request has a descriptor for them.
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
  int errnum;     /* why the stream could not be passed on; 0: it was */
};

struct session_note {
  const char *text;
  bool at_once; /* the run continues, and the user should see it now */
};

/* All that is known of a run; filled from top to bottom. */
struct session_outcome {
  struct context context;
  char run[RUN_ID_SIZE];    /* "": it has no id yet */
  bool unconfined;          /* the profile has no sandbox; then there is no plan */
  bool planned;             /* every sink has accepted the plan */
  bool ended;               /* RESULT is filled */
  struct plan *plan;        /* NULL: it could not be built */
  struct run_result result; /* the reason is RUN_REFUSED if a promise does not hold */
  struct error refused;     /* why the command did not run; unset: it did */
  char *document;           /* the result as JSON, if the request asks for it */
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

/* EVENT returns 0, or an error, which is in ERR: it refuses the run at PLANNED and STARTED and is ignored
 * otherwise. An event and what it points to are valid only during the call. */
struct session_sink {
  int (*event) (void *data, const struct session_event *event, struct error *err);
  void *data;
  const struct session_sink *next; /* NULL: this is the last */
};

/* SINK may be NULL. RET_OUTCOME may be NULL; it is filled as far as the run went, also on failure. 0: the
 * command ran, or a promise did not hold (RUN_REFUSED). An error: the command was not started, or its end is
 * not known, or (ENDED is true) the result could not be written. */
int session_run (const struct session_request *request, const struct session_sink *sink,
                 struct session_outcome *ret_outcome, struct error *err);

/* Writes to the journal that the client itself refused REQUEST, and WHY; nothing is planned or run. A failure
 * to write it does not change the refusal. */
int session_refuse (const struct session_request *request, const struct error *why, struct error *err);

void session_outcome_clear (struct session_outcome *outcome);
#define cleanup_session_outcome cleanup (session_outcome_clear)
