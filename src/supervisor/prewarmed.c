/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "supervisor-prewarmed.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "mount-descriptor.h"
#include "mount-remount.h"
#include "mount-stage.h"
#include "plan-prewarmed.h"
#include "render-shape.h"
#include "state-run-record.h"
#include "supervisor-internal.h"
#include "wire-answers.h"

struct run_prewarmed {
  struct run *run;
  struct run_options options;
  char *shape;
  struct id_view view; /* of the workspace's owner, as far as that can be known */
  struct stat init;    /* the program, as it was taken into the sandbox */
  struct error err;    /* of the run, while it is held */
};

static void prewarmed_free (struct run_prewarmed *prewarmed)
{
  run_free (prewarmed->run);
  close_p (&prewarmed->view.fd);
  free (prewarmed->shape);
  error_clear (&prewarmed->err);
  free (prewarmed);
}

void run_discard (struct run_prewarmed *prewarmed, struct error *err)
{
  if (prewarmed == NULL)
    return;
  /* This process may go on with another run. */
  prewarmed->run->leave_namespaces = false;
  run_tear_down (prewarmed->run, &prewarmed->err);
  run_result_clear (&prewarmed->run->result);
  if (error_is_set (&prewarmed->err) && !error_is_set (err)) {
    *err = prewarmed->err;
    prewarmed->err = (struct error){ 0 };
  }
  prewarmed_free (prewarmed);
}

const char *run_prewarmed_id (const struct run_prewarmed *prewarmed)
{
  return prewarmed->run->dir->id;
}

int run_prewarm (const struct run_options *options, uint32_t owner_uid, uint32_t owner_gid,
                 struct run_prewarmed **ret_prewarmed, struct error *err)
{
  struct run_prewarmed *prewarmed = calloc (1, sizeof (*prewarmed));
  int r;

  if (prewarmed == NULL)
    return error_oom (err);
  prewarmed->options = *options;
  prewarmed->view = (struct id_view){ owner_uid, owner_gid, -1 };
  r = render_shape (options->plan, &prewarmed->shape, err);
  if (r == 0 && stat (options->init, &prewarmed->init) < 0)
    r = error_set_errno (err, errno, "look at '%s'", options->init);
  if (r == 0) {
    prewarmed->run = run_new (&prewarmed->options, err);
    r = prewarmed->run ? launch_hold (&prewarmed->run->launch, err) : err->code;
  }
  if (r < 0) {
    prewarmed_free (prewarmed);
    return r;
  }
  prewarmed->run->err = &prewarmed->err;
  r = run_make (prewarmed->run);
  if (r == 0)
    r = run_record_write (prewarmed->run->dir, options->plan, &prewarmed->run->launch,
                          prewarmed->run->program, true, &prewarmed->err);
  if (r == 0)
    r = stage_make_id_view (options->plan, &prewarmed->run->launch, &prewarmed->view, &prewarmed->err);
  if (r == 0 && prewarmed->run->result.reason == RUN_REFUSED) {
    cleanup_free char *broken = posture_broken_text (prewarmed->run->result.posture);

    r = error_set (&prewarmed->err, -EPERM, "it does not keep what its profile promises: %s",
                   broken ? broken : "");
  }
  if (r < 0) {
    run_discard (prewarmed, err);
    return r;
  }
  *ret_prewarmed = prewarmed;
  return 0;
}

int run_prewarmed_signals (const struct run_prewarmed *prewarmed)
{
  return run_signals_descriptor (prewarmed->run);
}

static bool is_alive (const struct run_prewarmed *prewarmed)
{
  return event_look (prewarmed->run->init->pidfd, POLLIN, 0) == 0;
}

/* An update brings another one, and a run has the one that is installed. */
static bool has_current_init (const struct run_prewarmed *prewarmed)
{
  struct stat now;

  return stat (prewarmed->options.init, &now) == 0 && now.st_dev == prewarmed->init.st_dev
         && now.st_ino == prewarmed->init.st_ino && now.st_ctim.tv_sec == prewarmed->init.st_ctim.tv_sec
         && now.st_ctim.tv_nsec == prewarmed->init.st_ctim.tv_nsec;
}

bool run_prewarmed_serves (const struct run_prewarmed *prewarmed, const struct plan *plan)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *shape = NULL;

  return is_alive (prewarmed) && has_current_init (prewarmed) && render_shape (plan, &shape, &ignored) == 0
         && strcmp (shape, prewarmed->shape) == 0;
}

int run_prewarm_workspace (struct run *run)
{
  struct plan_mount *workspace = launch_mount_at (&run->launch, PLAN_WORKSPACE);
  struct stat st;

  if (!run->launch.prewarmed || workspace == NULL)
    return 0;
  free (workspace->source);
  workspace->source = NULL;
  if (run_make_directory (run, "empty", &workspace->source) < 0)
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

/* Moving a workspace into a sandbox that stands. The tree is taken by descriptor in the host's namespace,
 * as on the stage: opened without following a link, compared with what was planned, mapped to its owner's
 * ids. In the container's it takes the place of the empty directory, and what is to be hidden in it is
 * masked as a runtime does it: a file by the null device, a directory by an empty one. Only init is there,
 * and it waits; but others may use the workspace at the same time, so what is masked is what was opened. */

/* An empty directory that cannot be written to. */
static int empty_directory (void)
{
  cleanup_close int fs = (int) syscall (SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);

  if (fs < 0 || syscall (SYS_fsconfig, fs, FSCONFIG_SET_STRING, "source", "tmpfs", 0) < 0
      || syscall (SYS_fsconfig, fs, FSCONFIG_SET_STRING, "size", "0k", 0) < 0
      || syscall (SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
    return -1;
  return (int) syscall (SYS_fsmount, fs, FSMOUNT_CLOEXEC,
                        MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
}

static int null_device (void)
{
  return (int) syscall (SYS_open_tree, AT_FDCWD, "/dev/null", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
}

/* Covers PATH, below DIRECTORY, if it is there. */
static bool cover (int directory, const char *path)
{
  cleanup_close int fd = mount_open_beneath (directory, path), over = -1;
  struct stat st;

  if (fd < 0)
    return fd == -ENOENT || fd == -ENOTDIR;
  if (fstat (fd, &st) < 0)
    return false;
  over = S_ISDIR (st.st_mode) ? empty_directory () : null_device ();
  return over >= 0
         && syscall (SYS_move_mount, over, "", fd, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH)
                == 0;
}

static bool cover_hidden (const struct launch *launch)
{
  cleanup_close int directory = open (PLAN_WORKSPACE, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

  for (size_t i = 0; i < launch->masked.count; i++)
    if (str_has_prefix (launch->masked.items[i], PLAN_WORKSPACE "/")
        && (directory < 0 || !cover (directory, launch->masked.items[i] + strlen (PLAN_WORKSPACE "/"))))
      return false;
  return true;
}

struct moving {
  const struct run *run;
  int tree; /* -1: there is no workspace */
};

/* The empty directory goes, so that there is one mount in that place, and it is the one that was planned. */
static bool put_on_workspace (const struct moving *moving)
{
  return umount2 (PLAN_WORKSPACE, MNT_DETACH | UMOUNT_NOFOLLOW) == 0
         && syscall (SYS_move_mount, moving->tree, "", AT_FDCWD, PLAN_WORKSPACE, MOVE_MOUNT_F_EMPTY_PATH) == 0
         && cover_hidden (&moving->run->launch);
}

/* In the container. The directory in which the command is to start must be there: init could only die of it.
 */
static int put_in (const void *data)
{
  const struct moving *moving = data;

  return (moving->tree < 0 || put_on_workspace (moving)) && chdir (moving->run->launch.cwd) == 0 ? 0 : 1;
}

static int move_workspace_in (const struct run *run, const struct id_view *view)
{
  const struct plan_mount *workspace = launch_mount_at (&run->launch, PLAN_WORKSPACE);
  struct moving moving = { run, -1 };
  int r;

  if (workspace != NULL) {
    moving.tree = stage_take_source (run->options->plan, &run->launch, workspace, view, run->err);
    if (moving.tree < 0)
      return moving.tree;
  }
  r = mount_inside (run->init->pidfd, CLONE_NEWNS, put_in, &moving);
  close_p (&moving.tree);
  return r == 0 ? 0 : error_set (run->err, -EIO, "move the workspace into the sandbox");
}

/* What was seen of the sandbox was of another plan, and of another time. */
static int forget_proof (struct run *run)
{
  posture_free (run->result.posture);
  run->result.posture = NULL;
  denials_clear (&run->result.denials);
  proof_clear (&run->init->proof);
  return run_ask_first (run);
}

/* Everything that can still be given up: nothing of the caller's is inside when it fails but an attached
 * directory, in a sandbox that is taken down before any command. Init is asked as soon as it has what it is
 * asked about; where the sources lie is found out while it answers. */
static int hand_over (struct run *run, const struct id_view *view)
{
  cleanup_strbuf struct strbuf command = { 0 };
  const struct plan *plan = run->options->plan;
  int r = launch_tell (plan, &run->launch, run->err);

  if (r == 0)
    r = write_command (plan, &command, run->err);
  if (r == 0)
    r = run_look_at_hidden (run, NULL, run->err);
  if (r == 0)
    r = run_take_streams (run);
  run_widen_output (run);
  if (r == 0)
    r = move_workspace_in (run, view);
  cgroup_forget_usage (plan, &run->launch, run->group);
  if (r == 0)
    r = run_send (run, HANDSHAKE_COMMAND, command.text, command.len);
  if (r == 0)
    r = forget_proof (run);
  return r < 0 ? r : run_check_sources (run, NULL, run->err);
}

int run_adopt (const struct run_options *options, struct run **ret_run, struct error *err)
{
  struct run_prewarmed *prewarmed = options->prewarmed;
  struct run *run = prewarmed->run;
  cleanup_error struct error ignored = { 0 };
  int r;

  if (!run_prewarmed_serves (prewarmed, options->plan)) {
    run_discard (prewarmed, &ignored);
    return 0;
  }
  /* What came before was not for this run. */
  run_passed (run, PHASE_PREPARE);
  memset (run->result.phases_us, 0, sizeof (run->result.phases_us));
  run->options = options;
  r = hand_over (run, &prewarmed->view);
  if (r < 0) {
    run->options = &prewarmed->options;
    run_discard (prewarmed, &ignored);
    return 0;
  }
  run->err = err;
  run_passed (run, PHASE_PREPARE);
  prewarmed->run = NULL;
  prewarmed_free (prewarmed);
  *ret_run = run;
  return 0;
}
