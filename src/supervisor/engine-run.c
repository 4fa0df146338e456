/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run through an engine: Docker or Podman makes the container, and everything else is as in any other run.
 *
 * The engine is asked once for the container and then held to it: what it reports as made is compared with
 * what it was asked for, and what it has really made is for init and the posture to see. The standard streams
 * do not go through the engine where init can be given them (transport socket), so that neither its restart
 * nor its log loses a byte; with a kernel of its own they have to (stdio-relay.c).
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "engine-socket.h"
#include "render-podman.h"
#include "state-run-record.h"
#include "supervisor-privileges.h"

/* A loaded engine may take its time between its answer and the hello of the container's init. */
#define HELLO_MS 30000

#define END_CALL_MS 20000u

#define PROC_CGROUP_MAX ((size_t) 64 * 1024)

static void tell (const struct run *run, const char *line)
{
  if (run->options->note != NULL)
    run->options->note (run->options->note_data, line);
}

static void tell_step (const char *line, void *data)
{
  tell (data, line);
}

static bool wants_end (void *data)
{
  return run_was_interrupted (data);
}

static int find_image (struct run *run)
{
  const char *image = run->options->plan->root_path;
  bool there = false;
  int r = engine_has_image (run->engine->client, image, &there, run->err);

  if (r < 0 || there)
    return r;
  if (run->options->pull)
    return engine_pull (run->engine->client, image, tell_step, run, run->err);
  return error_set (run->err, -ENOENT, "%s has no image '%s'; say --pull to have it fetched", run->name,
                    image);
}

static int find_engine (struct run *run)
{
  const struct plan *plan = run->options->plan;
  struct engine_place place =
      engine_place_from_environment (plan->backend, run->options->engine_socket, run->options->host->uid);
  cleanup_free char *warning = NULL;
  int r = engine_socket_find (&place, &run->program, run->err);

  if (r == 0)
    r = engine_socket_judge (run->program, run->options->host->uid, &warning, run->err);
  if (r == 0 && warning != NULL)
    tell (run, warning);
  return r < 0 ? r : engine_open (plan->backend, run->program, &run->engine->client, run->err);
}

/* The plan was made for the engine's owner. */
static int look_at_owner (struct run *run)
{
  uint32_t uid = run->options->host->uid;
  struct stat st;

  if (stat (run->program, &st) < 0)
    return error_set_errno (run->err, errno, "look at the engine's socket '%s'", run->program);
  if (uid != 0 && (st.st_uid != uid || !run->options->plan->engines_ids))
    return error_set (run->err, -ESTALE,
                      "the engine's socket '%s' is not what it was when the run was planned", run->program);
  return 0;
}

static int prepare_engine (struct run *run, void *state, struct error *err)
{
  const struct plan *plan = run->options->plan;
  int r;

  (void) state;
  run->own_kernel = plan_has_own_kernel (plan);
  run->transport = run->own_kernel ? INIT_OVER_STDIO : INIT_OVER_SOCKET;
  if (plan->terminal && run->own_kernel)
    return error_set (err, -EOPNOTSUPP, "--tty: '%s' has no channel to init beside a terminal",
                      plan->runtime);
  if (access (run->options->init, X_OK) < 0)
    return error_set_errno (err, errno, "find '%s'", run->options->init);
  r = find_engine (run);
  if (r == 0)
    r = look_at_owner (run);
  return r < 0 ? r : engine_check_runtime (run->engine->client, plan->runtime, err);
}

static void init_engine (struct run *run, void *state)
{
  run->engine = state;
  run->engine->rendezvous = -1;
}

static void undo_engine (struct run *run, void *state, struct error *err)
{
  struct run_engine *engine = state;

  (void) err;
  engine_close (take_ptr (engine->client));
  free (take_ptr (engine->container));
  free (take_ptr (engine->document));
  free (take_ptr (run->program));
}

const struct run_part engine_part = { .name = "engine",
                                      .size = sizeof (struct run_engine),
                                      .init = init_engine,
                                      .prepare = prepare_engine,
                                      .undo = undo_engine };

/* The owner of a writable directory is the command inside, if the engine's runtime can map ids.
 * *RET_OPTION is what the mount needs for it; NULL: it is the command's already. */
static int map_owner (const struct run *run, const struct plan_mount *mount, char **ret_option)
{
  const struct plan *plan = run->options->plan;
  uint64_t uid = plan->uid, gid = plan->gid;
  struct stat st;

  if (stat (mount->source, &st) < 0)
    return error_set_errno (run->err, errno, "look at '%s'", mount->source);
  if (plan->user_namespace) {
    uid += run->launch.uid_maps[0].outside;
    gid += run->launch.gid_maps[0].outside;
  }
  if (st.st_uid == uid && st.st_gid == gid)
    return 0;
  *ret_option = str_format ("idmap=uids=%u-%" PRIu64 "-1;gids=%u-%" PRIu64 "-1", (unsigned) st.st_uid, uid,
                            (unsigned) st.st_gid, gid);
  return *ret_option ? 0 : error_oom (run->err);
}

static int map_owners (struct run *run)
{
  const struct plan *plan = run->options->plan;
  bool maps = false;

  for (size_t i = 0; i < run->launch.mount_count; i++) {
    struct plan_mount *mount = &run->launch.mounts[i];
    cleanup_free char *option = NULL;
    int r = mount->writable && !run->own_kernel && !plan->engines_ids ? map_owner (run, mount, &option) : 0;

    /* Asking takes a while, so it is done only where the answer matters. */
    if (r == 0 && option != NULL && !maps)
      r = engine_maps_ids (run->engine->client, &maps, run->err);
    if (r < 0 || (option != NULL && !maps))
      return r;
    if (option != NULL && strlist_add_take (&mount->options, take_ptr (option)) < 0)
      return error_oom (run->err);
  }
  return 0;
}

/* The service reads it by its name, with its own ids. */
static int write_filter (struct run *run)
{
  const char *path = run->launch.filter_path;
  cleanup_free char *text = NULL;
  int r;

  if (path == NULL)
    return 0;
  r = render_podman_filter (run->options->plan, &text, run->err);
  return r < 0 ? r : file_write_passing (AT_FDCWD, path, text, strlen (text), 0644, run->err);
}

static int prepare_container (struct run *run, void *state, struct error *err)
{
  const struct plan *plan = run->options->plan;
  struct launch *launch = &run->launch;
  cleanup_free char *init = realpath (run->options->init, NULL);
  cleanup_free char *rendezvous = NULL;
  int r = init ? 0 : error_set_errno (err, errno, "find '%s'", run->options->init);

  (void) state;
  /* Signals are taken by now: waiting for an engine, or for the registry that it asks, can be interrupted. */
  engine_set_watch (run->engine->client, wants_end, run);
  if (r == 0)
    r = find_image (run);
  if (r == 0 && run->transport == INIT_OVER_SOCKET)
    r = run_make_directory (run, "rendezvous", &rendezvous);
  if (r == 0)
    r = launch_stage_engine (plan, init, rendezvous, run->transport, launch, err);
  if (r == 0)
    r = map_owners (run);
  if (r == 0)
    r = write_filter (run);
  if (r == 0)
    r = plan->backend->render (plan, launch, &run->engine->document, err);
  return r < 0 ? r : run_record_write (run->dir, plan, launch, run->program, false, err);
}

/* The group that the engine gave it, which is where the kernel counts. It bears the container's id: a user's
 * engine that cannot make groups leaves the container in one with others, whose counts are not the run's. */
static int find_cgroup (struct run *run, pid_t pid)
{
  const struct plan *plan = run->options->plan;
  struct launch *launch = &run->launch;
  cleanup_free char *path = str_format ("/proc/%d/cgroup", (int) pid);
  cleanup_free char *text = NULL;
  const char *controller = plan->cgroup == CGROUP_V2 ? "0::" : ":memory:";
  cleanup_free char *group = NULL;
  const char *line;
  int r = path ? file_read (AT_FDCWD, path, PROC_CGROUP_MAX, &text, NULL, run->err) : error_oom (run->err);

  if (r < 0)
    return r;
  free (launch->cgroup_path);
  launch->cgroup_path = NULL;
  line = strstr (text, controller);
  if (line == NULL)
    return 0;
  line += strlen (controller);
  group = strndup (line, strcspn (line, "\n"));
  if (group == NULL)
    return error_oom (run->err);
  if (strstr (group, run->engine->container) != NULL)
    launch->cgroup_path = take_ptr (group);
  return 0;
}

static int make_container (struct run *run)
{
  const struct plan *plan = run->options->plan;
  cleanup_strlist struct strlist warnings = { 0 };
  int r;

  /* From here on there may be one, whatever the engine answers. */
  run->engine->created = true;
  r = engine_create (run->engine->client, run->dir->id, run->engine->document, &run->engine->container,
                     &warnings, run->err);
  for (size_t i = 0; r == 0 && i < warnings.count; i++)
    tell (run, warnings.items[i]);
  if (r == 0)
    r = engine_check (run->engine->client, run->engine->container, plan, &run->launch, run->engine->document,
                      run->err);
  return r < 0 ? r : engine_check_links (run->engine->client, run->engine->container, run->err);
}

/* A container that runs, or why it does not. */
static int look_at_start (struct run *run, pid_t *ret_pid)
{
  cleanup_container_state struct container_state state = { 0 };
  int r = engine_look (run->engine->client, run->engine->container, &state, run->err);

  if (r < 0)
    return r;
  if (!state.running || state.pid <= 1)
    return error_set (run->err, -EIO, "the container ended with code %d before init sent its hello",
                      state.code);
  *ret_pid = state.pid;
  return 0;
}

static int start_with_rendezvous (struct run *run)
{
  uint64_t until;
  pid_t pid = 0;
  int r = run_rendezvous_open (run);

  if (r == 0)
    r = engine_start (run->engine->client, run->engine->container, run->err);
  until = run_now_ms () + HELLO_MS;
  do {
    if (r == 0 || r == -EAGAIN)
      r = look_at_start (run, &pid);
    if (r == 0)
      r = run_rendezvous_accept (run, pid);
    if (r == -EAGAIN && run_now_ms () >= until)
      r = error_set (run->err, -ETIMEDOUT,
                     "init did not connect within %d seconds; is the engine's pid %d that of init?",
                     HELLO_MS / 1000, (int) pid);
  } while (r == -EAGAIN && !error_is_set (run->err));
  if (r == 0)
    r = find_cgroup (run, pid);
  if (r == 0)
    r = run_ask_first (run);
  return r < 0 ? r : run_await_hello (run);
}

static int start_with_streams (struct run *run)
{
  cleanup_attached struct attached attached = { .fd = -1 };
  pid_t pid = 0; /* of the kernel that the container has for itself */
  int r = engine_connect (run->engine->client, run->engine->container, &attached, run->err);

  if (r == 0)
    r = engine_start (run->engine->client, run->engine->container, run->err);
  if (r == 0)
    r = look_at_start (run, &pid);
  if (r == 0)
    r = find_cgroup (run, pid);
  if (r == 0)
    r = run_stdio_relay_start (run, &attached);
  if (r == 0)
    r = run_ask_first (run);
  return r < 0 ? r : run_await_hello (run);
}

static int start (struct run *run)
{
  int r;

  run_passed (run, PHASE_PREPARE);
  r = make_container (run);
  run_passed (run, PHASE_CREATE);
  if (r == 0)
    r = run->transport == INIT_OVER_SOCKET ? start_with_rendezvous (run) : start_with_streams (run);
  engine_set_watch (run->engine->client, NULL, NULL);
  /* What is asked from here on is about the end, which an engine that hangs must not put off for long. */
  engine_set_timeout (run->engine->client, END_CALL_MS);
  run_passed (run, PHASE_START);
  return r;
}

/* The kernel is asked first: it answers whatever the engine is doing. */
static void send_signal (struct run *run, int signal_number)
{
  struct error ignored = { 0 };

  if (!run->own_kernel && syscall (SYS_pidfd_send_signal, run->init->pidfd, signal_number, NULL, 0) == 0)
    return;
  if ((run->own_kernel || errno != ESRCH)
      && engine_kill (run->engine->client, run->engine->container, signal_number, &ignored) < 0)
    error_clear (&ignored);
}

static int wait_init (struct run *run, bool told, bool hurried, int *ret_status)
{
  uint64_t patience = hurried ? RUN_END_MS : ENGINE_PATIENCE_MS;
  cleanup_container_state struct container_state state = { 0 };
  struct error ignored = { 0 };

  /* The stdio relay is our child, and ends as the container has. */
  if (run->own_kernel)
    return run_wait_dying (run, run->init->pid, RUN_END_MS, ret_status) == 0 && WIFEXITED (*ret_status)
               ? 0
               : -ECHILD;
  if (told)
    return 0;
  if (run_engine_status (run, &run->engine->client, run_now_ms () + patience, &state, &ignored) < 0) {
    error_clear (&ignored);
    return -ECHILD;
  }
  if (state.oom_killed && run->result.counters.oom_kills == 0)
    run->result.counters.oom_kills = 1;
  /* Init itself ends by a signal or with a code of its own below these. */
  *ret_status = state.code > 128 && state.code < 128 + 65 ? state.code - 128 : (state.code & 0xff) << 8;
  return 0;
}

static void undo_container (struct run *run, void *state, struct error *err)
{
  (void) state;
  run_rendezvous_close (run);
  /* The engine waits for init as well. */
  if (run->init->stuck)
    engine_set_timeout (run->engine->client, RUN_END_MS);
  if (run->engine->created && run_engine_remove (run, err) < 0)
    run->keep_dir = true;
}

const struct run_part engine_container_part = { .name = "container of an engine",
                                                .prepare = prepare_container,
                                                .undo = undo_container };

static bool needs_override (const struct run *run)
{
  return !privileges_own_path (run->program);
}

const struct run_driver run_by_engine = {
  .parts = parts_of_engines,
  .start = start,
  .needs_override = needs_override,
  .signal = send_signal,
  .wait = wait_init,
  .remove_left = run_engine_remove_left,
  .sweep = run_engine_sweep,
};
