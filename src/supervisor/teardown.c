/* Taking a run down, whatever stands: init, the runtime's own state, the cgroup, the directory. In that
 * order, on every path; a step that fails does not keep the next ones from being tried, and the first failure
 * is told. */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"

/* What cannot be waited for any longer. Its ids and its directory stay until gc has seen to it. */
static void leave_init (struct run *run)
{
  run->stuck = true;
  run->keep_dir = true;
  error_set (
      run->err, -EBUSY,
      "the first process of run '%s' (pid %d) was killed and has not ended: it hangs in the kernel, or "
      "waits for a process of its pid namespace that a parent or a debugger outside has not collected; "
      "'tyrum-oci gc' finishes the run",
      run->dir.id, (int) run->init_pid);
}

static void end_init (struct run *run)
{
  int status;

  close_p (&run->handshake);
  run->handshake = -1;
  watchdog_end (&run->watchdog);
  run_signal (run->init_pidfd, run->init_pid, SIGKILL);
  if (run->stuck
      || (run->init_pid > 0 && run_wait_dying (run, run->init_pid, RUN_END_MS, &status) == -ETIMEDOUT))
    leave_init (run);
  for (size_t i = 0; i < STREAM_COUNT; i++)
    run->streams[i].turn = NULL;
  io_timeout_clear (&run->io_timeout);
  close_p (&run->init_pidfd);
  run->init_pidfd = -1;
  run->init_pid = 0;
}

/* To be rid of marks and of namespaces takes the kernel its time. A process of the daemon's ends anyway,
 * once its caller was told. */
void run_end_namespaces (struct run *run)
{
  int *const fds[] = { &run->stage_ns[0], &run->stage_ns[1], &run->inside_ns, &run->inside_root };

  for (size_t i = 0; i < ARRAY_LEN (fds); i++) {
    close_p (fds[i]);
    *fds[i] = -1;
  }
  mask_watch_close (&run->mask_watch);
}

static void close_all (struct run *run)
{
  int *const fds[] = { &run->control, &run->console,     &run->terminal, &run->handshake,
                       &run->status,  &run->children.fd, &run->timer,    &run->rendezvous };

  for (size_t i = 0; i < ARRAY_LEN (fds); i++) {
    close_p (fds[i]);
    *fds[i] = -1;
  }
  for (size_t i = 0; i < ARRAY_LEN (run->child_fds); i++) {
    close_p (&run->child_fds[i]);
    run->child_fds[i] = -1;
  }
  for (size_t i = 0; i < STREAM_COUNT; i++)
    stream_clear (&run->streams[i]);
}

void run_tear_down (struct run *run)
{
  struct error failed = { 0 }, *err = run->err;

  run->err = &failed;
  run_terminal_restore (run);
  run_let_go_of_inside (run);
  /* Nothing interrupts the tear-down: signals stay blocked and unread. */
  run_leave_signals (run);
  end_init (run);
  run->driver->destroy (run);
  watchdog_clear (&run->watchdog);
  run_reap_others (run);
  event_remove (&run->children);
  /* Only now can nobody inside have these ids any more. */
  if (run->slot_fd >= 0 && run->keep_dir)
    run_slot_keep (run->dir.id, &run->slot_fd);
  else if (run->slot_fd >= 0)
    run_slot_release (run->options->host->state_dir, run->slot, &run->slot_fd);
  if (run->keep_dir)
    run_dir_clear (&run->dir);
  else if (run->dir.fd >= 0)
    run_dir_remove (&run->dir, &failed);
  image_root_release (&run->image);
  close_all (run);
  cgroup_close (&run->group);
  listener_close (&run->listener);
  if (run->options->launch == NULL)
    run_end_namespaces (run);
  talk_clear (&run->talk);
  proof_clear (&run->proof);
  launch_clear (&run->launch);
  free (run->bundle);
  free (run->stage);
  free (run->state);
  free (run->program);
  free (run->console_path);
  free (run->container);
  free (run->document);
  engine_close (run->engine);
  run->err = err;
  if (error_is_set (&failed) && !error_is_set (err)) {
    error_prefix (&failed, "clean up");
    *err = failed;
  } else
    error_clear (&failed);
}
