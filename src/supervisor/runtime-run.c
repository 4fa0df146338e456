/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run by programs: an OCI runtime, or our own helper with libcrun in it, executed on a stage. */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-file.h"
#include "base-path.h"
#include "state-run-record.h"

/* A runtime that does not end must not keep what else there is to finish. */
#define DELETE_MS 20000

/* Whether the supervisor makes the groups, and not the runtime. */
static bool makes_groups (const struct run *run)
{
  const struct plan *plan = run->options->plan;

  return run->runtime->ops->leaves_v1_groups && !plan->unprivileged
         && (plan->cgroup == CGROUP_V1 || plan->cgroup == CGROUP_HYBRID);
}

static int prepare_program (struct run *run, void *state, struct error *err)
{
  const struct run_options *options = run->options;
  const struct plan *plan = options->plan;
  int r;

  (void) state;
  run->runtime->ops = plan->backend->program;
  run->transport = run->runtime->ops->transport;
  run->own_kernel = plan_has_own_kernel (plan);
  run->launch.cgroup_ours = run->launch.cgroup_ours || makes_groups (run);
  if (plan->terminal && run->own_kernel)
    return error_set (err, -EOPNOTSUPP, "--tty: %s has no channel to init beside a terminal", run->name);
  r = run->runtime->ops->find (plan->runtime, options->helper_path, &run->program, err);
  if (r < 0)
    return r;
  if (access (run->program, X_OK) < 0)
    return error_set_errno (err, errno, "find '%s'", run->program);
  if (access (options->init, X_OK) < 0)
    return error_set_errno (err, errno, "find '%s'", options->init);
  return 0;
}

static void undo_program (struct run *run, void *state, struct error *err)
{
  (void) state;
  (void) err;
  free (take_ptr (run->program));
}

const struct run_part program_part = { .name = "program", .prepare = prepare_program, .undo = undo_program };

static void init_runtime (struct run *run, void *state)
{
  run->runtime = state;
  run->runtime->control = -1;
}

/* What a runtime keeps of a container lies on the stage, where it vanishes with it. gVisor's processes
 * outlive the stage, and its delete needs the state to find them. The log is ours from the start, whatever
 * writes to it. */
static int name_state (struct run *run)
{
  cleanup_close int log = openat (run->dir->fd, "log.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

  if (log < 0)
    return error_set_errno (run->err, errno, "make the log of run '%s'", run->dir->id);
  run->runtime->state = str_format (run->own_kernel ? "%s/oci" : "%s/stage/oci", run->dir->path);
  return run->runtime->state ? 0 : error_oom (run->err);
}

static void describe_call (struct run *run)
{
  run->runtime->call = (struct runtime_call){
    .id = run->dir->id,
    .directory = run->dir->path,
    .state = run->runtime->state,
    .bundle = run->runtime->bundle,
    .program = run->program,
    .cgroup = run->launch.cgroup_path != NULL && !run->launch.cgroup_ours,
    .passed = run->transport == INIT_OVER_FDS ? 2 : 0,
  };
}

static int prepare_runtime (struct run *run, void *state, struct error *err)
{
  const struct plan *plan = run->options->plan;
  struct run_runtime *runtime = state;
  cleanup_close int fd = -1;
  cleanup_free char *text = NULL;
  int r = name_state (run);

  if (r == 0)
    r = run_make_directory (run, "bundle", &runtime->bundle);
  if (r == 0)
    r = plan->backend->render (plan, &run->launch, &text, err);
  if (r == 0)
    r = run_record_write (run->dir, plan, &run->launch, run->program, false, err);
  if (r < 0)
    return r;
  describe_call (run);
  fd = open (runtime->bundle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return error_set_errno (err, errno, "open '%s'", runtime->bundle);
  return file_write_passing (fd, "config.json", text, strlen (text), 0600, err);
}

static int start (struct run *run)
{
  int r = 0;

  /* A runtime's limits are in force before init is. */
  if (!run->launch.cgroup_ours)
    r = run_ask_first (run);
  if (r == 0 && run->options->plan->terminal)
    r = run_terminal_listen (run);
  run->runtime->created = true;
  if (r == 0)
    r = run_make_group (run);
  run_passed (run, PHASE_PREPARE);
  if (r == 0)
    r = run_stage_and_create (run);
  run_passed (run, PHASE_CREATE);
  /* Init comes to life meanwhile, and answers under the limits that the command will have. */
  if (r == 0)
    r = cgroup_limit (run->options->plan, &run->launch, run->group, run->err);
  if (r == 0 && run->launch.cgroup_ours)
    r = run_ask_first (run);
  if (r == 0 && run->options->plan->terminal)
    r = run_terminal_accept (run);
  if (r == 0)
    r = run_step (run, STEP_START, run->err);
  if (r == 0)
    r = run_await_hello (run);
  if (r == 0 && run->own_kernel)
    r = run_take_sandbox (run);
  run_passed (run, PHASE_START);
  return r;
}

static void send_signal (struct run *run, int signal_number)
{
  cleanup_error struct error ignored = { 0 };

  if (run->own_kernel && signal_number != SIGKILL) {
    /* One step at a time; a kill, which follows, needs none. */
    if (run->runtime->in_step)
      return;
    run->runtime->call.signal = signal_number;
    run_step (run, STEP_KILL, &ignored);
    return;
  }
  run_signal (run->init->pidfd, run->init->pid, signal_number);
}

/* Init is our child: we are the subreaper. */
static int wait_init (struct run *run, bool told, bool hurried, int *ret_status)
{
  (void) told;
  (void) hurried;
  return run_wait_dying (run, run->init->pid, RUN_END_MS, ret_status);
}

static void undo_runtime (struct run *run, void *state, struct error *err)
{
  struct run_runtime *runtime = state;

  /* crun works in a process of its own that outlives it, and would make the cgroup after we have removed it.
   */
  if (runtime->step_failed)
    run_end_by_mounts (run->dir->id);
  runtime->call.console = NULL; /* the terminal's part has freed it */
  /* A runtime would wait for init as we have done. */
  if (runtime->created && run->stage->ns[0] >= 0 && !run->init->stuck)
    run_step (run, STEP_DELETE, err);
  drop_fd (&runtime->control);
  free (take_ptr (runtime->bundle));
  free (take_ptr (runtime->state));
}

const struct run_part runtime_part = { .name = "container of a runtime",
                                       .size = sizeof (struct run_runtime),
                                       .init = init_runtime,
                                       .prepare = prepare_runtime,
                                       .undo = undo_runtime };

/* The root of a cgroup hierarchy is not writable, not even for its owner. */
static bool needs_override (const struct run *run)
{
  (void) run;
  return true;
}

/* gVisor's own processes are outside of the run's cgroup when it has none; only its own delete finds them. */
static int remove_left (struct left_walk *walk, const struct backend *backend,
                        const struct run_record *record, const struct run_dir *dir, struct error *err)
{
  cleanup_strlist struct strlist argv = { 0 };
  cleanup_free char *state = str_format ("%s/oci", dir->path);
  const struct runtime_call call = {
    .id = dir->id, .directory = dir->path, .state = state, .program = record->program, .cgroup = true
  };
  int r;

  (void) walk;
  if (state == NULL)
    return error_oom (err);
  if (!backend->own_kernel || record->program == NULL || !path_is_normal (record->program))
    return 0;
  r = backend->program->argv (&call, STEP_DELETE, &argv, err);
  if (r == 0 && argv.count > 0)
    run_argv (&argv, DELETE_MS);
  return r;
}

const struct run_driver run_by_programs = {
  .parts = parts_of_programs,
  .start = start,
  .needs_override = needs_override,
  .signal = send_signal,
  .wait = wait_init,
  .remove_left = remove_left,
};
