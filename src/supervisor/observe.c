/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The proof of a run before its command starts (proof-proof.h), as the supervisor drives it.
 *
 * Everything of the outside is read through one descriptor of /proc/PID that was opened while the pidfd was
 * held, so that it cannot become another process's. What cannot be read stays unknown, and the judge treats
 * it so.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <stdlib.h>
#include <string.h>

#include "posture-posture.h"
#include "proof-check.h"
#include "state-run-record.h"
#include "base-exit-code.h"

/* The first questions wait for init before it exists: no time is spent on sending them. */
int run_ask_first (struct run *run)
{
  const struct promises promises = promises_of_plan (run->options->plan, &run->launch);

  struct restriction *restriction = run->launch.listens ? &run->init->restriction : NULL;

  return proof_begin (&run->init->proof, &promises, restriction, run_talk (run), run->err);
}

void run_look_around (struct run *run)
{
  const struct promises promises = promises_of_plan (run->options->plan, &run->launch);

  proof_look_around (&run->init->proof, &promises);
}

/* Init, where it is a process of this host. */
static pid_t host_pid (const struct run *run)
{
  return run->own_kernel ? 0 : run->init->pid;
}

static int look (struct run *run, const struct promises *promises)
{
  const struct outside_subject subject = { .promises = promises,
                                           .pid = host_pid (run),
                                           .init = run->options->init,
                                           .group = run_group (run),
                                           .dir = run->dir,
                                           .state = run->options->host->state_dir };
  int r = proof_look (&run->init->proof, &subject, run->err);

  /* The kernel shows the variables that init was started with, and these are not the command's. */
  if (r == 0 && run->launch.prewarmed && run->launch.argv.count > 0) {
    free (run->init->proof.outside.environment);
    run->init->proof.outside.environment = NULL;
  }
  return r;
}

static int judge (struct run *run, const struct promises *promises)
{
  struct outside *outside = &run->init->proof.outside;

  memcpy (outside->pipes, run->init->pipe_inodes, sizeof (outside->pipes));
  outside->wall_ms = run_deadline_left (run);
  outside->output_bytes = run->streams[STREAM_OUT].cap > run->streams[STREAM_ERR].cap
                              ? run->streams[STREAM_OUT].cap
                              : run->streams[STREAM_ERR].cap;
  outside->idle_ms = run_idle_left (run);
  outside->output_rate = run->streams[STREAM_OUT].rate == 0 || run->streams[STREAM_ERR].rate == 0 ? 0
                         : run->streams[STREAM_OUT].rate > run->streams[STREAM_ERR].rate
                             ? run->streams[STREAM_OUT].rate
                             : run->streams[STREAM_ERR].rate;
  return proof_judge (&run->init->proof, promises, host_pid (run), &run->result.posture, run->err);
}

void run_remember (const struct run *run)
{
  const struct plan *plan = run->options->plan;
  struct error ignored = { 0 };

  run_facts_write (run->dir, &run->init->proof.outside);
  /* That of a prewarmed sandbox still has no command. */
  if (run->launch.prewarmed
      && run_record_write (run->dir, plan, &run->launch, run->program, false, &ignored) < 0)
    error_clear (&ignored);
}

/* Init is busy with its answers while it is looked at. */
static int look_and_receive (struct run *run, const struct promises *promises)
{
  int r = look (run, promises);

  if (r == 0)
    r = run_guard (run);
  if (r == 0)
    r = run_receive_answers (run, promises);
  if (r == 0)
    proof_look_again (&run->init->proof, host_pid (run));
  return r;
}

int run_observe (struct run *run)
{
  const struct promises promises = promises_of_plan (run->options->plan, &run->launch);
  int r = look_and_receive (run, &promises);

  run_passed (run, PHASE_ANSWER);
  if (r == 0)
    r = run_deadline_arm (run);
  if (r == 0)
    r = judge (run, &promises);
  run_passed (run, PHASE_JUDGE);
  if (r < 0)
    return error_prefix (run->err, "observe the run before its command starts");
  if (run->result.posture->overall != OVERALL_VIOLATED)
    return 0;
  run->result.reason = RUN_REFUSED;
  run->result.code = EXIT_NOT_RUN;
  return run_send (run, HANDSHAKE_STOP, NULL, 0);
}
