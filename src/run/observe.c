/* Observing a run before its command starts: init is asked, the outside is looked at, a judge decides.
 *
 * Everything of the outside is read through one descriptor of /proc/PID that was opened while the pidfd was
 * held, so that it cannot become another process's. What cannot be read stays unknown, and the judge treats
 * it so.
 */
#include <config.h>

#include "run-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-report.h"
#include "posture-posture.h"
#include "run-check.h"
#include "run-outside.h"

/* Sends the next batch of questions. */
static int ask (struct run *run)
{
  cleanup_free uint8_t *batch = malloc (LIMIT_ASK_BYTES);
  size_t before = run->asked, used;

  if (batch == NULL)
    return error_oom (run->err);
  used = questions_write (&run->inside.questions, &run->asked, batch, LIMIT_ASK_BYTES);
  if (run->asked == before)
    return error_set (run->err, -E2BIG, "a question to init is longer than %u bytes", LIMIT_ASK_BYTES);
  return run_say (run, HANDSHAKE_ASK, batch, used);
}

/* Tells init which programs the command may execute. */
static int confine (struct run *run)
{
  const struct strlist *tools = &run->options->plan->settings.values[SETTING_TOOLS].set;
  cleanup_strbuf struct strbuf paths = { 0 };

  if (!plan_bounds_tools (run->options->plan))
    return 0;
  for (size_t i = 0; i < tools->count; i++)
    strbuf_add_bytes (&paths, tools->items[i], strlen (tools->items[i]) + 1);
  if (tools->count == 0)
    strbuf_add_bytes (&paths, "", 1);
  if (paths.failed)
    return error_oom (run->err);
  if (paths.len > LIMIT_ASK_BYTES)
    return error_set (run->err, -E2BIG, "process.tools: the names are longer than %u bytes together",
                      LIMIT_ASK_BYTES);
  return run_say (run, HANDSHAKE_CONFINE, paths.text, paths.len);
}

/* The first words wait for init before it exists: no time is spent on saying them. */
int run_ask_first (struct run *run)
{
  cleanup_questions struct questions questions = { 0 };
  int r = confine (run);

  if (r == 0)
    r = questions_make (run->options->plan, &questions, run->err);

  if (r == 0)
    r = inside_new (&questions, &run->inside, run->err);
  return r < 0 ? r : ask (run);
}

/* The answers to the questions from FROM up to the last that was asked. */
static int hear_answers (struct run *run, size_t from)
{
  struct handshake_header header;
  cleanup_free uint8_t *bytes = NULL;
  int r = run_hear (run, &header, sizeof (header));

  if (r < 0)
    return r;
  if (header.magic != HANDSHAKE_MAGIC || header.version != HANDSHAKE_VERSION
      || header.type != HANDSHAKE_ANSWER || header.length > LIMIT_REPORT_BYTES)
    return error_set (run->err, -EPROTO, "init said something that is not an answer");
  bytes = malloc (header.length + (size_t) 1);
  if (bytes == NULL)
    return error_oom (run->err);
  r = run_hear (run, bytes, header.length);
  return r < 0 ? r : inside_read (&run->inside, from, run->asked, bytes, header.length, run->err);
}

/* FROM is the first question that is on its way. */
static int hear_all (struct run *run, size_t from)
{
  for (;;) {
    int r = hear_answers (run, from);

    if (r < 0 || run->asked == run->inside.questions.count)
      return r;
    from = run->asked;
    r = ask (run);
    if (r < 0)
      return r;
  }
}

static int hear_and_mend (struct run *run)
{
  int r = hear_all (run, 0);

  if (r < 0 || !run_mend_mounts (run))
    return r;
  run->asked = 0;
  r = ask (run);
  return r < 0 ? r : hear_all (run, 0);
}

static int judge (struct run *run)
{
  cleanup_outside struct outside outside = { 0 };
  const struct plan *plan = run->options->plan;
  const struct outside_subject subject = { .plan = plan,
                                           .pid = run->own_kernel ? 0 : run->init_pid,
                                           .init = run->options->init,
                                           .dir = &run->dir,
                                           .state = run->options->host->state_dir };
  int r = outside_look (&subject, &outside, run->err);

  if (r < 0)
    return r;
  memcpy (outside.pipes, run->pipe_inodes, sizeof (outside.pipes));
  outside.wall_ms = run_deadline_left (run);
  outside.output_bytes = run->streams[STREAM_OUT].cap > run->streams[STREAM_ERR].cap
                             ? run->streams[STREAM_OUT].cap
                             : run->streams[STREAM_ERR].cap;
  r = posture_judge (plan, &run->inside, &outside, &run->result.posture, run->err);
  if (r == 0 && run->result.posture->overall != OVERALL_VIOLATED)
    run_facts_write (&run->dir, &outside);
  return r;
}

int run_observe (struct run *run)
{
  int r = hear_and_mend (run);

  run_passed (run, PHASE_ANSWER);
  if (r == 0)
    r = run_deadline_arm (run);
  if (r == 0)
    r = judge (run);
  run_passed (run, PHASE_JUDGE);
  if (r < 0)
    return error_prefix (run->err, "observe the run before its command starts");
  if (run->result.posture->overall != OVERALL_VIOLATED)
    return 0;
  run->result.reason = RUN_REFUSED;
  run->result.code = RUN_CODE_REFUSED;
  return run_say (run, HANDSHAKE_STOP, NULL, 0);
}
