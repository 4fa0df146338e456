/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "supervisor-run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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

/* Whatever the caller's umask: behind an engine init passes through it, under another id. */
int run_make_directory (struct run *run, const char *name, char **ret_path)
{
  if (mkdirat (run->dir.fd, name, 0711) < 0 || fchmodat (run->dir.fd, name, 0711, 0) < 0)
    return error_set_errno (run->err, errno, "make '%s' of run '%s'", name, run->dir.id);
  *ret_path = str_format ("%s/%s", run->dir.path, name);
  return *ret_path ? 0 : error_oom (run->err);
}

int run_take_ids (struct run *run)
{
  const struct plan *plan = run->options->plan;
  int r;

  if (plan->id_slots == 0)
    return 0;
  r = run_slot_take (run->options->host->state_dir, plan->id_slots, &run->slot, &run->slot_fd, run->err);
  if (r == 0)
    launch_use_slot (plan, run->slot, &run->launch);
  return r;
}

const struct cgroup *run_group (struct run *run)
{
  cgroup_open (run->options->plan->cgroup, run->launch.cgroup_path, &run->group);
  return &run->group;
}

/* What comes from now on is the command's doing. Where a runtime still has to be executed, somebody else does
 * that. */
static int give_privileges_up (struct run *run)
{
  bool engine = run->engine != NULL;
  int r;

  if (!run->options->last)
    return 0;
  r = engine || run->ops->prepared ? 0 : cleanup_helper_start (run, &run->cleanup_helper);
  if (r < 0)
    return r;
  /* The root of a hierarchy is closed to everybody's writing, also to its owner's. */
  return privileges_drop (run->options->keep_override || !engine || !privileges_own_path (run->program),
                          run->err);
}

/* From a proven sandbox to the command's own start. */
static int start (struct run *run)
{
  int r = 0;

  if (run->options->on_start != NULL)
    r = run->options->on_start (run->options->on_start_data, run->result.posture, run->err);
  if (r == 0)
    r = run_hold_inside (run);
  if (r == 0)
    r = run_guard (run);
  if (r == 0)
    r = watchdog_await (&run->watchdog, run->err);
  if (r == 0)
    r = give_privileges_up (run);
  if (r == 0)
    r = run_go (run);
  /* For who asks later, so it can be done while the command comes to life. */
  if (r == 0)
    run_remember (run);
  return r;
}

/* Up to where there is something to take down. */
static int prepare (struct run *run)
{
  int r = run->driver->open (run);

  if (r == 0)
    r = run_check_sources (run);
  if (r == 0)
    r = run_take_signals (run);
  if (r == 0)
    r = run_dir_create (run->options->host->state_dir, run->options->id, &run->dir, run->err);
  if (r == 0)
    run->result.id = strdup (run->dir.id);
  if (r == 0)
    r = run_look_at_hidden (run);
  if (r == 0)
    r = launch_name (run->options->plan, run->options->host->state_dir, run->dir.id, &run->launch, run->err);
  return r < 0 ? r : run->driver->prepare (run);
}

/* Field by field: the buffers of the streams are large, and most runs touch little of them. */
static void have_nothing (struct run *run)
{
  int *const fds[] = { &run->dir.fd,
                       &run->dir.lock_fd,
                       &run->rendezvous,
                       &run->slot_fd,
                       &run->image.fd,
                       &run->image.lock,
                       &run->console,
                       &run->terminal,
                       &run->stage_ns[0],
                       &run->stage_ns[1],
                       &run->control,
                       &run->handshake,
                       &run->status,
                       &run->init_pidfd,
                       &run->signals.fd,
                       &run->children.fd,
                       &run->timer,
                       &run->listener.event.fd,
                       &run->mask_watch.event.fd,
                       &run->mask_watch.directories,
                       &run->inside_ns,
                       &run->inside_root,
                       &run->cleanup_helper.socket };

  for (size_t i = 0; i < ARRAY_LEN (fds); i++)
    *fds[i] = -1;
  for (size_t i = 0; i < ARRAY_LEN (run->child_fds); i++)
    run->child_fds[i] = -1;
  for (size_t i = 0; i < STREAM_COUNT; i++)
    run->streams[i].from = run->streams[i].to = -1;
  run->talk = TALK_NONE;
  run->proof = PROOF_NONE;
}

struct run *run_new (const struct run_options *options, struct error *err)
{
  struct run *run = calloc (1, sizeof (*run));

  if (run == NULL) {
    error_oom (err);
    return NULL;
  }
  if (launch_init (options->plan, &run->launch, err) < 0) {
    free (run);
    return NULL;
  }
  have_nothing (run);
  run->options = options;
  run->driver = options->plan->backend->driver;
  run->name = options->plan->backend->name;
  run->err = err;
  run->passed_us = now_us ();
  return run;
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
    r = prepare (run);
  if (r == 0)
    r = run->driver->start (run);
  return r < 0 ? r : run_observe (run);
}

int run_execute (const struct run_options *options, struct run_result *ret_result, struct error *err)
{
  cleanup_free struct run *run = NULL;
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
  run_tear_down (run);
  run_passed (run, PHASE_CLEAN);
  /* The command has ended as it has, whatever could not be removed afterwards. */
  if (r == 0 && error_is_set (err)) {
    run->result.left = strdup (error_text (err));
    error_clear (err);
  }
  if (r < 0) {
    run_result_clear (&run->result);
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
  static const char *const names[] = { "exited", "signalled", "deadline", "refused", "limit" };

  return names[reason];
}

const char *run_phase_text (enum run_phase phase)
{
  static const char *const names[] = { "prepare", "create", "start", "answer", "judge", "command", "clean" };

  _Static_assert(ARRAY_LEN (names) == PHASE_COUNT, "name every phase");
  return names[phase];
}
