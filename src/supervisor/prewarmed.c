#include <config.h>

#include "supervisor-prewarmed.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "mount-stage.h"
#include "plan-prewarmed.h"
#include "render-shape.h"
#include "state-run-record.h"
#include "supervisor-internal.h"
#include "wire-answers.h"

struct run_held {
  struct run *run;
  struct run_options options;
  struct plan *plan;
  char *shape;
  struct id_view view; /* of the workspace's owner, as far as that can be known */
  struct stat init;    /* the program, as it was taken into the sandbox */
  struct error err;    /* of the run, while it is held */
};

static void held_free (struct run_held *held)
{
  plan_free (held->plan);
  free (held->run);
  close_p (&held->view.fd);
  free (held->shape);
  error_clear (&held->err);
  free (held);
}

void run_discard (struct run_held *held, struct error *err)
{
  if (held == NULL)
    return;
  held->run->err = &held->err;
  run_tear_down (held->run);
  /* This process may go on with another run. */
  run_end_namespaces (held->run);
  run_result_clear (&held->run->result);
  if (error_is_set (&held->err) && !error_is_set (err)) {
    *err = held->err;
    held->err = (struct error){ 0 };
  }
  held_free (held);
}

const char *run_held_id (const struct run_held *held)
{
  return held->run->dir.id;
}

int run_hold (const struct run_options *options, uint32_t owner_uid, uint32_t owner_gid,
              struct run_held **ret_held, struct error *err)
{
  struct run_held *held = calloc (1, sizeof (*held));
  int r;

  if (held == NULL) {
    plan_free (options->plan);
    return error_oom (err);
  }
  held->options = *options;
  held->plan = options->plan;
  held->view = (struct id_view){ owner_uid, owner_gid, -1 };
  r = target_shape (held->plan, &held->shape, err);
  if (r == 0 && stat (options->init, &held->init) < 0)
    r = error_set_errno (err, errno, "look at '%s'", options->init);
  if (r == 0)
    r = plan_hold (held->plan, err);
  if (r < 0) {
    held_free (held);
    return r;
  }
  held->run = run_new (&held->options, err);
  if (held->run == NULL) {
    held_free (held);
    return err->code;
  }
  held->run->err = &held->err;
  r = run_make (held->run);
  if (r == 0)
    r = run_record_write (&held->run->dir, held->plan, held->run->program, true, &held->err);
  if (r == 0)
    r = stage_make_id_view (held->plan, &held->view, &held->err);
  if (r == 0 && held->run->result.reason == RUN_REFUSED) {
    cleanup_free char *broken = posture_broken_text (held->run->result.posture);

    r = error_set (&held->err, -EPERM, "it does not keep what its profile promises: %s",
                   broken ? broken : "");
  }
  if (r < 0) {
    run_discard (held, err);
    return r;
  }
  *ret_held = held;
  return 0;
}

int run_held_signals (const struct run_held *held)
{
  return held->run->signals;
}

static bool is_alive (const struct run_held *held)
{
  struct pollfd init = { held->run->init_pidfd, POLLIN, 0 };

  return poll (&init, 1, 0) == 0;
}

/* An update brings another one, and a run has the one that is installed. */
static bool has_current_init (const struct run_held *held)
{
  struct stat now;

  return stat (held->options.init, &now) == 0 && now.st_dev == held->init.st_dev
         && now.st_ino == held->init.st_ino && now.st_ctim.tv_sec == held->init.st_ctim.tv_sec
         && now.st_ctim.tv_nsec == held->init.st_ctim.tv_nsec;
}

bool run_held_serves (const struct run_held *held, const struct plan *plan)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *shape = NULL;

  return is_alive (held) && has_current_init (held) && target_shape (plan, &shape, &ignored) == 0
         && strcmp (shape, held->shape) == 0;
}

int run_hold_workspace (struct run *run)
{
  struct plan_mount *workspace = plan_workspace (run->options->plan);
  struct stat st;

  if (!run->options->plan->held || workspace == NULL)
    return 0;
  free (workspace->source);
  workspace->source = NULL;
  if (run_make_folder (run, "empty", &workspace->source) < 0)
    return run->err->code;
  if (stat (workspace->source, &st) < 0)
    return error_set_errno (run->err, errno, "look at '%s'", workspace->source);
  workspace->device = st.st_dev;
  workspace->inode = st.st_ino;
  return 0;
}

static void add_texts (struct strbuf *text, const struct strlist *list)
{
  for (size_t i = 0; i < list->count; i++)
    strbuf_add_bytes (text, list->items[i], strlen (list->items[i]) + 1);
}

static int write_command (const struct plan *plan, struct strbuf *text, struct error *err)
{
  const struct handshake_command head = { (uint32_t) plan->argv.count, (uint32_t) plan->env.count };

  strbuf_add_bytes (text, (const char *) &head, sizeof (head));
  strbuf_add_bytes (text, plan->cwd, strlen (plan->cwd) + 1);
  add_texts (text, &plan->argv);
  add_texts (text, &plan->env);
  if (text->failed)
    return error_oom (err);
  if (text->len > LIMIT_ASK_BYTES || plan->argv.count > LIMIT_COMMAND_TEXTS
      || plan->env.count > LIMIT_COMMAND_TEXTS)
    return error_set (err, -E2BIG, "the command is too long to be told to a sandbox that stands");
  return 0;
}

static int take_streams (struct run *run)
{
  const struct run_options *options = run->options;

  if (options->in >= 0) {
    run->streams[STREAM_IN].from = fcntl (options->in, F_DUPFD_CLOEXEC, 3);
    if (run->streams[STREAM_IN].from < 0)
      return error_set_errno (run->err, errno, "take standard input");
  }
  run->streams[STREAM_OUT].to = options->out;
  run->streams[STREAM_ERR].to = options->err;
  run->streams[STREAM_OUT].cap = run->streams[STREAM_ERR].cap = options->plan->output_bytes;
  return 0;
}

/* What was seen of the sandbox was of another plan, and of another time. */
static int forget_proof (struct run *run)
{
  posture_free (run->result.posture);
  run->result.posture = NULL;
  denials_clear (&run->result.denials);
  inside_clear (&run->inside);
  outside_clear (&run->outside);
  run->looked_around = false;
  run->asked = 0;
  return run_ask_first (run);
}

/* Everything that can still be given up: nothing of the caller's is inside when it fails but an attached
 * folder, in a sandbox that is taken down before any command. Init is asked as soon as it has what it is
 * asked about; where the sources lie is found out while it answers. */
static int hand_over (struct run *run, const struct id_view *view)
{
  cleanup_strbuf struct strbuf command = { 0 };
  const struct plan *plan = run->options->plan;
  int r = write_command (plan, &command, run->err);

  if (r == 0)
    r = run_look_at_hidden (run);
  if (r == 0)
    r = take_streams (run);
  if (r == 0)
    r = run_move_workspace_in (run, view);
  cgroup_forget_usage (plan, &run->group);
  if (r == 0)
    r = run_say (run, HANDSHAKE_COMMAND, command.text, command.len);
  if (r == 0)
    r = forget_proof (run);
  return r < 0 ? r : run_guard_sources (run);
}

int run_adopt (const struct run_options *options, struct run **ret_run, struct error *err)
{
  struct run_held *held = options->held;
  struct run *run = held->run;
  cleanup_error struct error ignored = { 0 };
  int r;

  if (!run_held_serves (held, options->plan)) {
    run_discard (held, &ignored);
    return 0;
  }
  /* What came before was for nobody's run. */
  run_passed (run, PHASE_PREPARE);
  memset (run->result.phases_us, 0, sizeof (run->result.phases_us));
  plan_adopt (held->plan, options->plan);
  run->options = options;
  r = hand_over (run, &held->view);
  if (r < 0) {
    /* The caller gets its own plan back. */
    plan_adopt (held->plan, options->plan);
    run->options = &held->options;
    run_discard (held, &ignored);
    return 0;
  }
  run->err = err;
  run_passed (run, PHASE_PREPARE);
  held->run = NULL;
  held_free (held);
  *ret_run = run;
  return 0;
}
