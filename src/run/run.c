#include <config.h>

#include "run-run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base-file.h"
#include "plan-stage.h"
#include "run-image.h"
#include "run-internal.h"
#include "run-record.h"
#include "target-oci.h"

uint64_t run_now_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_BOOTTIME, &now);
  return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

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

/* Signals come through a descriptor, so that the loop sees them in order with everything else. */
static int take_signals (struct run *run)
{
  sigset_t set;

  sigfillset (&set);
  sigdelset (&set, SIGSEGV);
  sigdelset (&set, SIGBUS);
  sigdelset (&set, SIGFPE);
  sigdelset (&set, SIGILL);
  sigdelset (&set, SIGABRT);
  if (sigprocmask (SIG_SETMASK, &set, NULL) < 0)
    return error_set_errno (run->err, errno, "block signals");
  /* Children that end are waited for by descriptor; a dead reader shows as an error of write. */
  sigdelset (&set, SIGCHLD);
  sigdelset (&set, SIGPIPE);
  sigdelset (&set, SIGTSTP);
  sigdelset (&set, SIGTTIN);
  sigdelset (&set, SIGTTOU);
  run->signals = signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return run->signals < 0 ? error_set_errno (run->err, errno, "watch signals") : 0;
}

static int open_programs (struct run *run)
{
  const struct run_options *options = run->options;
  const struct plan *plan = options->plan;
  int r;

  run->ops = backend_ops (plan->backend);
  if (run->ops == NULL)
    return error_set (run->err, -EOPNOTSUPP, "this version cannot launch through %s",
                      backend_name (plan->backend));
  if (plan->terminal && run->ops->own_kernel)
    return error_set (run->err, -EOPNOTSUPP, "--tty: init has no way to be heard behind a terminal of %s",
                      run->ops->name);
  if (plan->backend == BACKEND_LIBCRUN)
    run->program = strdup (options->launcher);
  else {
    r = backend_find_program (plan->runtime ? plan->runtime : "runc", &run->program, run->err);
    if (r < 0)
      return r;
  }
  if (run->program == NULL)
    return error_oom (run->err);
  if (access (run->program, X_OK) < 0)
    return error_set_errno (run->err, errno, "find '%s'", run->program);
  if (access (options->init, X_OK) < 0)
    return error_set_errno (run->err, errno, "find '%s'", options->init);
  return 0;
}

static int make_folder (struct run *run, const char *name, char **ret_path)
{
  if (mkdirat (run->dir.fd, name, 0711) < 0)
    return error_set_errno (run->err, errno, "make '%s' of run '%s'", name, run->dir.id);
  *ret_path = str_format ("%s/%s", run->dir.path, name);
  return *ret_path ? 0 : error_oom (run->err);
}

static int take_ids (struct run *run)
{
  struct plan *plan = run->options->plan;
  int r;

  if (plan->id_slots == 0)
    return 0;
  r = run_slot_take (run->options->host->state_dir, plan->id_slots, &run->slot, &run->slot_fd, run->err);
  if (r == 0)
    plan_use_slot (plan, run->slot);
  return r;
}

/* The run's id goes into names that were planned without it. */
static int name_plan (struct run *run)
{
  struct plan *plan = run->options->plan;

  free (plan->run_id);
  plan->run_id = strdup (run->dir.id);
  return plan->run_id ? plan_name_cgroup (plan, run->err) : error_oom (run->err);
}

/* What a runtime keeps of a container lies on the stage, where it vanishes with it. gVisor's processes
 * outlive the stage, and its delete needs the state to find them. The log is ours from the start, whoever
 * writes to it. */
static int name_state (struct run *run)
{
  cleanup_close int log = openat (run->dir.fd, "log.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

  if (log < 0)
    return error_set_errno (run->err, errno, "make the log of run '%s'", run->dir.id);
  run->state = str_format (run->ops->own_kernel ? "%s/oci" : "%s/stage/oci", run->dir.path);
  return run->state ? 0 : error_oom (run->err);
}

static int write_bundle (struct run *run)
{
  struct plan *plan = run->options->plan;
  cleanup_close int fd = -1;
  cleanup_free char *text = NULL;
  int r;

  r = name_plan (run);
  if (r == 0)
    r = name_state (run);
  if (r == 0)
    r = take_ids (run);
  if (r == 0)
    r = make_folder (run, "bundle", &run->bundle);
  if (r == 0)
    r = make_folder (run, "stage", &run->stage);
  if (r == 0)
    r = plan_stage (plan, run->stage, run->ops->carrier, run->err);
  if (r == 0)
    r = target_oci (plan, &text, run->err);
  if (r == 0)
    r = run_record_write (&run->dir, plan, run->program, run->err);
  if (r < 0)
    return r;
  fd = open (run->bundle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return error_set_errno (run->err, errno, "open '%s'", run->bundle);
  return file_write_atomic (fd, "config.json", text, strlen (text), 0600, run->err);
}

static void describe_launch (struct run *run)
{
  const struct plan *plan = run->options->plan;

  run->launch = (struct launch){
    .id = run->dir.id,
    .folder = run->dir.path,
    .state = run->state,
    .bundle = run->bundle,
    .program = run->program,
    .cgroup = plan->cgroup_path != NULL && plan->cgroup_delegated == NULL,
    .passed = run->ops->carrier == INIT_OVER_FDS ? 2 : 0,
  };
}

static int start_container (struct run *run)
{
  int r;

  describe_launch (run);
  r = run_open_channels (run);
  if (r == 0)
    r = run_ask_first (run);
  if (r == 0 && run->options->plan->terminal)
    r = run_terminal_listen (run);
  run->created = true;
  if (r == 0)
    r = cgroup_make (run->options->plan, run->err);
  run_passed (run, PHASE_PREPARE);
  if (r == 0)
    r = run_stage_and_create (run);
  run_passed (run, PHASE_CREATE);
  if (r == 0 && run->options->plan->terminal)
    r = run_terminal_accept (run);
  if (r == 0)
    r = run_step (run, STEP_START);
  if (r == 0)
    r = run_await_hello (run);
  if (r == 0 && run->ops->own_kernel)
    r = run_take_sandbox (run);
  if (r == 0)
    r = cgroup_limit (run->options->plan, run->err);
  run_passed (run, PHASE_START);
  if (r == 0)
    r = run_observe (run);
  if (r < 0 || run->result.reason == RUN_REFUSED)
    return r;
  if (run->options->on_start != NULL)
    r = run->options->on_start (run->options->on_start_data, run->result.posture, run->err);
  return r < 0 ? r : run_go (run);
}

int run_execute (const struct run_options *options, struct run_result *ret_result, struct error *err)
{
  struct run run = { .options = options,
                     .dir = { .fd = -1, .lock_fd = -1 },
                     .slot_fd = -1,
                     .image = { .fd = -1, .lock = -1 },
                     .console = -1,
                     .terminal = -1,
                     .stage_ns = { -1, -1 },
                     .control = -1,
                     .handshake = -1,
                     .status = -1,
                     .child_fds = { -1, -1, -1, -1, -1 },
                     .init_pidfd = -1,
                     .signals = -1,
                     .timer = -1,
                     .err = err };
  int r;

  for (size_t i = 0; i < STREAM_COUNT; i++)
    run.streams[i].from = run.streams[i].to = -1;
  run.passed_us = now_us ();
  if (prctl (PR_SET_CHILD_SUBREAPER, 1) < 0)
    return error_set_errno (err, errno, "become the parent of orphans");
  r = open_programs (&run);
  if (r == 0)
    r = run_image (options->plan, options->host->machine, options->cache, options->tell, options->tell_data,
                   &run.image, err);
  if (r == 0)
    r = take_signals (&run);
  if (r == 0)
    r = run_dir_create (options->host->state_dir, options->id, &run.dir, err);
  if (r == 0)
    run.result.id = strdup (run.dir.id);
  if (r == 0)
    r = write_bundle (&run);
  if (r == 0)
    r = start_container (&run);
  if (r == 0 && run.result.reason != RUN_REFUSED)
    r = run_loop (&run);
  run_passed (&run, PHASE_COMMAND);
  run_tear_down (&run);
  run_passed (&run, PHASE_CLEAN);
  /* The command has ended as it has, whatever could not be removed afterwards. */
  if (r == 0 && error_is_set (err)) {
    run.result.left = strdup (error_text (err));
    error_clear (err);
  }
  if (r < 0) {
    run_result_clear (&run.result);
    return r;
  }
  *ret_result = run.result;
  return 0;
}

void run_result_clear (struct run_result *result)
{
  free (result->id);
  free (result->left);
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
