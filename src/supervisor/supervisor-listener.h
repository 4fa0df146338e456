/* The end of a run's filter at which refused calls are told.
 *
 * The document names a socket in the run's directory. The runtime connects to it and sends the kernel's
 * listener when it has installed the filter; from then on every refusal worth telling (filter_tells) waits
 * for our answer, which is the errno that the filter's list gives, never "go on". So whoever waits for the
 * run has to serve the listener meanwhile: while the runtime works, while init answers, and until the end. A
 * call that nobody answers any more, because we are gone, is failed by the kernel.
 *
 * There is one descriptor at a time: the socket, then the runtime's connection, then the listener itself.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "denial-record.h"
#include "plan-plan.h"
#include "supervisor-event-loop.h"

enum listener_stage { LISTENER_AWAITS_RUNTIME, LISTENER_AWAITS_DESCRIPTOR, LISTENER_SERVES };

struct listener {
  struct event event; /* its descriptor is -1: there is none, or not any more */
  enum listener_stage stage;
  bool recording;        /* what is refused from now on is the command's doing */
  void *request, *reply; /* as large as the kernel has them */
  size_t request_size, reply_size;
};

/* Listens at PATH. */
int listener_open (struct listener *listener, const char *path, struct error *err);

/* Goes on after the event has come. Never blocks; takes a bounded number of calls at once, so
 * that a flood keeps nobody else waiting. */
void listener_serve (struct listener *listener, const struct plan *plan, struct denials *denials);

void listener_close (struct listener *listener);

/* Whether the kernel can tell of refused calls (since 5.0), and a socket have the name PATH: they are short.
 */
bool listener_is_possible (const char *path);
