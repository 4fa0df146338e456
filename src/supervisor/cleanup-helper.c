/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cleanup helper: a process that keeps what the supervisor gives up, the power to execute the runtime.
 *
 * A runtime has to delete its container, and gVisor's passes signals on. That takes privileges which the
 * supervisor, which copies the command's output, is better without (supervisor-privileges.h). So before it
 * drops them it starts this helper, which has the stage's namespaces and one socket, and nothing of the
 * command's. The helper receives which of the two steps is due, never a path or an argument; it executes
 * that, and answers with what went wrong. It ends with the supervisor.
 *
 * A backend that is part of us needs none: nothing of it is executed after the command has started.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervisor-step-internal.h"

/* It gives a step up by itself, long before. */
#define ANSWER_MS 90000

enum { STAGE_MOUNTS = HELPER_FD + 1, STAGE_USERS };

struct order {
  int step, signal;
};

extern const struct run_part cleanup_helper_part;

/* An empty text: it went well. */
static bool answer (const struct error *err)
{
  const char *text = error_is_set (err) ? error_text (err) : "";
  size_t len = strnlen (text, STEP_TEXT_BYTES - 1);

  return send (HELPER_FD, text, len + 1, MSG_NOSIGNAL) >= 0;
}

static bool follow_order (struct run *run, const struct order *order)
{
  cleanup_error struct error err = { 0 };

  if (order->step != STEP_KILL && order->step != STEP_DELETE)
    return false;
  run->runtime->call.signal = order->signal;
  run_step (run, (enum runtime_step) order->step, &err);
  return answer (&err);
}

/* In the helper. RUN is its own copy by now, and what it was connected to is closed. */
static int serve (void *data)
{
  struct run *run = data;
  struct order order;

  run->stage->ns[0] = STAGE_MOUNTS;
  run->stage->ns[1] = STAGE_USERS;
  run->loop = (struct event_loop){ 0 };
  run->init->handshake = run->runtime->control = -1;
  *run->group = (struct cgroup){ 0 };
  for (size_t i = 0; i < ARRAY_LEN (run->init->child_fds); i++)
    run->init->child_fds[i] = -1;
  while (recv (HELPER_FD, &order, sizeof (order), 0) == (ssize_t) sizeof (order))
    if (!follow_order (run, &order))
      return EXIT_FAILURE;
  return EXIT_SUCCESS;
}

static void init (struct run *run, void *state)
{
  (void) run;
  *(struct helper *) state = HELPER_NONE;
}

static int start (struct run *run, void *state, struct error *err)
{
  const struct helper_call call = {
    .name = "tyrum-cleanup", .socket = true, .fds = run->stage->ns, .fd_count = 2, .main = serve, .data = run
  };
  struct helper *helper = state;
  int r;

  if (!run->options->last || run->runtime->ops->creates_only)
    return 0;
  r = helper_fork (&call, helper, err);
  if (r < 0)
    return error_prefix (err, "start a cleanup helper");
  run_spare (run, helper->pid);
  return 0;
}

int cleanup_helper_step (struct run *run, enum runtime_step step, struct error *err)
{
  const struct helper *helper = run_part_state (run, &cleanup_helper_part);
  const struct order order = { (int) step, run->runtime->call.signal };
  char said[STEP_TEXT_BYTES];
  ssize_t n;
  int r;

  if (helper->pid <= 0)
    return -ENOENT;
  n = send (helper->socket, &order, sizeof (order), MSG_NOSIGNAL);
  /* A runtime waits until the container's processes are gone. Those that are left are our children, and are
   * collected meanwhile. */
  r = n < 0 ? -errno : run_await (run, helper->socket, POLLIN, run_now_ms () + ANSWER_MS, err);
  if (error_is_set (err))
    return err->code;
  if (r < 0)
    return error_set_errno (err, -r, "have %s executed", run->name);
  n = recv (helper->socket, said, sizeof (said), 0);
  if (n <= 0)
    return error_set (err, -ECHILD, "the cleanup helper of run '%s' is gone", run->dir->id);
  said[n - 1] = '\0';
  return said[0] == '\0' ? 0 : error_set (err, -EIO, "%s", said);
}

static void undo (struct run *run, void *state, struct error *err)
{
  struct helper *helper = state;

  (void) err;
  run_spare_no_more (run, helper->pid);
  helper_clear (helper);
}

const struct run_part cleanup_helper_part = {
  .name = "cleanup helper", .size = sizeof (struct helper), .init = init, .start = start, .undo = undo
};
