/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "supervisor-run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "mount-chroot.h"
#include "supervisor-internal.h"
#include "supervisor-privileges.h"

static uint64_t now_us (void)
{
  struct timespec now;

  clock_gettime (CLOCK_BOOTTIME, &now);
  return (uint64_t) now.tv_sec * 1000000 + (uint64_t) now.tv_nsec / 1000;
}

void run_passed (struct run *run, enum run_phase phase)
{
  uint64_t now = now_us ();

  run->result.phases_us[phase] += now - run->passed_us;
  run->passed_us = now;
}

/* What comes from now on is the command's doing. */
static int give_privileges_up (struct run *run)
{
  const struct run_options *options = run->options;

  return options->last
             ? privileges_drop (options->keep_override || run->driver->needs_override (run), run->err)
             : 0;
}

/* From a proven sandbox to the command's own start. */
static int start (struct run *run)
{
  int r = 0;

  if (run->options->on_start != NULL)
    r = run->options->on_start (run->options->on_start_data, run->result.posture, run->err);
  if (r == 0)
    r = run_parts_start (run);
  if (r == 0)
    r = give_privileges_up (run);
  if (r == 0)
    r = run_go (run);
  /* Needed only by `status` and `check`, so it is written while the command comes to life. */
  if (r == 0)
    run_remember (run);
  return r;
}

struct run *run_new (const struct run_options *options, struct error *err)
{
  struct run *run = run_allocate (options->plan->backend->driver);

  if (run == NULL) {
    error_oom (err);
    return NULL;
  }
  if (launch_init (options->plan, &run->launch, err) < 0) {
    free (run);
    return NULL;
  }
  run->options = options;
  run->leave_namespaces = options->helper_main != NULL;
  run->name = options->plan->backend->name;
  run->err = err;
  run->passed_us = now_us ();
  return run;
}

void run_free (struct run *run)
{
  if (run == NULL)
    return;
  launch_clear (&run->launch);
  free (run);
}

static void run_free_p (struct run **run)
{
  run_free (*run);
}

int run_make (struct run *run)
{
  int r;

  /* A caller that ignores it would have the kernel collect our children, and keep their status to itself. */
  signal (SIGCHLD, SIG_DFL);
  if (prctl (PR_SET_CHILD_SUBREAPER, 1) < 0)
    return error_set_errno (run->err, errno, "become the parent of orphans");
  r = chroot_settle (run->err);
  if (r == 0)
    r = run_parts_prepare (run);
  if (r == 0)
    r = run->driver->start (run);
  return r < 0 ? r : run_observe (run);
}

int run_execute (const struct run_options *options, struct run_result *ret_result, struct error *err)
{
  cleanup (run_free_p) struct run *run = NULL;
  int r = options->prewarmed ? run_adopt (options, &run, err) : 0;

  if (run == NULL) {
    run = run_new (options, err);
    if (run == NULL)
      return err->code;
    r = run_make (run);
  } else if (r == 0)
    r = run_observe (run);
  if (r == 0 && run->result.reason != RUN_REFUSED)
    r = start (run);
  if (r == 0 && run->result.reason != RUN_REFUSED)
    r = run_loop (run);
  run_passed (run, PHASE_COMMAND);
  run_tear_down (run, err);
  run_passed (run, PHASE_CLEAN);
  /* The command has ended as it has, whatever could not be removed afterwards. */
  if (r == 0 && error_is_set (err)) {
    run->result.left = strdup (error_text (err));
    error_clear (err);
  }
  if (r < 0) {
    int end_signal = run->result.end_signal;

    run_result_clear (&run->result);
    ret_result->end_signal = end_signal;
    return r;
  }
  *ret_result = run->result;
  return 0;
}

void run_result_clear (struct run_result *result)
{
  free (result->id);
  free (result->left);
  denials_clear (&result->denials);
  posture_free (result->posture);
  *result = (struct run_result){ 0 };
}

const char *run_reason_text (enum run_reason reason)
{
  static const char *const names[] = { "exited", "signalled", "deadline", "refused", "limit", "killed" };

  return names[reason];
}

const char *run_phase_text (enum run_phase phase)
{
  static const char *const names[] = { "prepare", "create", "start", "answer", "judge", "command", "clean" };

  _Static_assert(ARRAY_LEN (names) == PHASE_COUNT, "name every phase");
  return names[phase];
}
