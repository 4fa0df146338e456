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
#include "supervisor-filter-cache.h"

/* A runtime that does not end must not keep what else there is to finish. */
#define DELETE_MS 20000

static int find_programs (struct run *run)
{
  const struct run_options *options = run->options;
  const struct plan *plan = options->plan;
  int r;

  run->ops = plan->backend->program;
  run->transport = run->ops->transport;
  run->own_kernel = plan_has_own_kernel (plan);
  if (plan->terminal && run->own_kernel)
    return error_set (run->err, -EOPNOTSUPP, "--tty: init has no way to be heard behind a terminal of %s",
                      run->name);
  r = run->ops->find (plan->runtime, options->daemon, &run->program, run->err);
  if (r < 0)
    return r;
  if (access (run->program, X_OK) < 0)
    return error_set_errno (run->err, errno, "find '%s'", run->program);
  if (access (options->init, X_OK) < 0)
    return error_set_errno (run->err, errno, "find '%s'", options->init);
  return 0;
}

static int open_run (struct run *run)
{
  const struct run_options *options = run->options;
  int r = find_programs (run);

  return r < 0 ? r
               : run_image (options->plan, options->host->machine, options->cache, options->tell,
                            options->tell_data, &run->launch, &run->image, run->err);
}

/* What a runtime keeps of a container lies on the stage, where it vanishes with it. gVisor's processes
 * outlive the stage, and its delete needs the state to find them. The log is ours from the start, whoever
 * writes to it. */
static int name_state (struct run *run)
{
  cleanup_close int log = openat (run->dir.fd, "log.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

  if (log < 0)
    return error_set_errno (run->err, errno, "make the log of run '%s'", run->dir.id);
  run->state = str_format (run->own_kernel ? "%s/oci" : "%s/stage/oci", run->dir.path);
  return run->state ? 0 : error_oom (run->err);
}

static void on_call (struct event *event, short revents)
{
  struct run *run = event->data;

  (void) revents;
  listener_serve (&run->listener, run->options->plan, &run->result.denials);
}

/* Where there can be none the filter answers by itself, and nobody hears of it. */
static int open_listener (struct run *run)
{
  cleanup_free char *path = str_format ("%s/listener", run->dir.path);
  int r;

  if (path == NULL)
    return error_oom (run->err);
  if (!run->ops->listens || !listener_is_possible (path))
    return 0;
  r = listener_open (&run->listener, path, run->err);
  if (r < 0)
    return r;
  run->listener.event.events = POLLIN;
  run->listener.event.call = on_call;
  run->listener.event.data = run;
  event_add (&run->loop, &run->listener.event);
  run->launch.listener = take_ptr (path);
  return 0;
}

/* The filter as a program; other runtimes get the list, and make one of it themselves. */
static int load_filter (struct run *run)
{
  const struct plan *plan = run->options->plan;

  if (!run->ops->prepared || plan->filter == NULL)
    return 0;
  return filter_cache_text (run->options->host->storage_dir, plan->filter, run->launch.listener != NULL,
                            &run->launch.program, run->err);
}

/* Whether the groups are better made by us than by the runtime. */
static bool makes_groups (const struct run *run)
{
  const struct plan *plan = run->options->plan;

  return run->ops->prepared && !plan->unprivileged
         && (plan->cgroup == CGROUP_V1 || plan->cgroup == CGROUP_HYBRID);
}

static int prepare (struct run *run)
{
  const struct plan *plan = run->options->plan;
  struct launch *launch = &run->launch;
  cleanup_strlist struct strlist hierarchies = { 0 };
  cleanup_close int fd = -1;
  cleanup_free char *text = NULL;
  int r = name_state (run);

  launch->cgroup_ours = launch->cgroup_ours || makes_groups (run);
  if (r == 0)
    r = run_take_ids (run);
  if (r == 0)
    r = run_make_directory (run, "bundle", &run->bundle);
  if (r == 0)
    r = run_make_directory (run, "stage", &run->stage);
  if (r == 0)
    r = run_prewarm_workspace (run);
  if (r == 0)
    r = cgroup_find_shown (plan, &run->group, &hierarchies, run->err);
  if (r == 0)
    r = launch_stage (plan, run->stage, run->transport, &hierarchies, launch, run->err);
  if (r == 0)
    r = open_listener (run);
  if (r == 0)
    r = load_filter (run);
  if (r == 0)
    r = plan->backend->render (plan, launch, &text, run->err);
  if (r == 0)
    r = run_record_write (&run->dir, plan, launch, run->program, false, run->err);
  if (r < 0)
    return r;
  fd = open (run->bundle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return error_set_errno (run->err, errno, "open '%s'", run->bundle);
  return file_write_passing (fd, "config.json", text, strlen (text), 0600, run->err);
}

static void describe_call (struct run *run)
{
  run->call = (struct runtime_call){
    .id = run->dir.id,
    .directory = run->dir.path,
    .state = run->state,
    .bundle = run->bundle,
    .program = run->program,
    .cgroup = run->launch.cgroup_path != NULL && !run->launch.cgroup_ours,
    .passed = run->transport == INIT_OVER_FDS ? 2 : 0,
  };
}

static int start (struct run *run)
{
  int r;

  describe_call (run);
  r = run_open_channels (run);
  /* A runtime's limits are in force before init is. */
  if (r == 0 && !run->launch.cgroup_ours)
    r = run_ask_first (run);
  if (r == 0 && run->options->plan->terminal)
    r = run_terminal_listen (run);
  run->created = true;
  if (r == 0)
    r = cgroup_make (run->options->plan, &run->launch, &run->group, run->err);
  run_passed (run, PHASE_PREPARE);
  if (r == 0)
    r = run_stage_and_create (run);
  run_passed (run, PHASE_CREATE);
  /* Init comes to life meanwhile, and answers under the limits that the command will have. */
  if (r == 0)
    r = cgroup_limit (run->options->plan, &run->launch, &run->group, run->err);
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
    if (run->in_step)
      return;
    run->call.signal = signal_number;
    run_step (run, STEP_KILL, &ignored);
    return;
  }
  run_signal (run->init_pidfd, run->init_pid, signal_number);
}

/* Init is our child, whoever started it. */
static int wait_init (struct run *run, bool told, bool hurried, int *ret_status)
{
  (void) told;
  (void) hurried;
  return run_wait_dying (run, run->init_pid, RUN_END_MS, ret_status);
}

static void destroy (struct run *run)
{
  const struct plan *plan = run->options->plan;

  /* crun works in a process of its own that outlives it, and would make the cgroup after we have removed it.
   */
  if (run->step_failed)
    run_end_by_mounts (run->dir.id);
  /* A runtime would wait for init as we have done. */
  if (run->created && run->stage_ns[0] >= 0 && !run->stuck)
    run_step (run, STEP_DELETE, run->err);
  cleanup_helper_stop (&run->cleanup_helper);
  /* Without the directory gc would not know of the cgroup. */
  if (run->created && !cgroup_remove (&run->group, run->launch.cgroup_path)
      && cgroup_destroy (plan->cgroup, run->launch.cgroup_path, run->err) < 0)
    run->keep_dir = true;
  /* It is in the supervisor's group there, which would stay with it. */
  if (plan->cgroup_delegated != NULL)
    watchdog_clear (&run->watchdog);
  cgroup_give_back (plan->cgroup_delegated);
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
  .open = open_run,
  .prepare = prepare,
  .start = start,
  .signal = send_signal,
  .wait = wait_init,
  .destroy = destroy,
  .remove_left = remove_left,
};
