/* Observing a run before its command starts: init is asked, the outside is looked at, a judge decides.
 *
 * Everything of the outside is read through one descriptor of /proc/PID that was opened while the pidfd was
 * held, so that it cannot become another process's. What cannot be read stays unknown, and the judge treats
 * it so.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "posture-posture.h"
#include "proof-outside.h"
#include "state-run-record.h"
#include "supervisor-check.h"
#include "wire-answers.h"

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
  return run_send (run, HANDSHAKE_ASK, batch, used);
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
  return run_send (run, HANDSHAKE_CONFINE, paths.text, paths.len);
}

/* The first words wait for init before it exists: no time is spent on saying them. */
int run_ask_first (struct run *run)
{
  cleanup_questions struct questions questions = { 0 };
  const struct promises promises = promises_of_plan (run->options->plan);
  int r = confine (run);

  if (r == 0)
    r = questions_make (&promises, &questions, run->err);
  if (r == 0)
    r = inside_new (&questions, &run->inside, run->err);
  return r < 0 ? r : ask (run);
}

/* The answers to the questions from FROM up to the last that was asked. */
static int receive_answers (struct run *run, size_t from)
{
  struct handshake_header header;
  cleanup_free uint8_t *bytes = NULL;
  int r = run_receive (run, &header, sizeof (header));

  if (r < 0)
    return r;
  if (header.magic != HANDSHAKE_MAGIC || header.version != HANDSHAKE_VERSION
      || header.type != HANDSHAKE_ANSWER || header.length > LIMIT_REPORT_BYTES)
    return error_set (run->err, -EPROTO, "init said something that is not an answer");
  bytes = malloc (header.length + (size_t) 1);
  if (bytes == NULL)
    return error_oom (run->err);
  r = run_receive (run, bytes, header.length);
  return r < 0 ? r : inside_read (&run->inside, from, run->asked, bytes, header.length, run->err);
}

/* FROM is the first question that is on its way. */
static int receive_all (struct run *run, size_t from)
{
  for (;;) {
    int r = receive_answers (run, from);

    if (r < 0 || run->asked == run->inside.questions.count)
      return r;
    from = run->asked;
    r = ask (run);
    if (r < 0)
      return r;
  }
}

/* The place of the question about the mount table, which is always asked. */
static size_t mounts_question (const struct questions *questions)
{
  static const char path[] = "/proc/self/mountinfo";
  size_t i = 0;

  while (i + 1 < questions->count
         && (questions->items[i].kind != QUESTION_FILE || strcmp (questions->items[i].bytes, path) != 0))
    i++;
  return i;
}

/* What was mended is asked for again, and nothing else: only the mount table can have changed. */
static int ask_mounts (struct run *run)
{
  size_t at = mounts_question (&run->inside.questions), all = run->asked;
  struct questions one = { &run->inside.questions.items[at], 1 };
  uint8_t batch[256];
  size_t none = 0, used = questions_write (&one, &none, batch, sizeof (batch));
  int r = run_send (run, HANDSHAKE_ASK, batch, used);

  run->asked = at + 1;
  if (r == 0)
    r = receive_answers (run, at);
  run->asked = all;
  return r;
}

static int receive_and_remount (struct run *run, bool *ret_repaired)
{
  int r = receive_all (run, 0);

  *ret_repaired = r == 0 && run_remount (run);
  return *ret_repaired ? ask_mounts (run) : r;
}

/* Whoever could not look around by now does it when it counts, and is told why not. */
void run_look_around (struct run *run)
{
  const struct promises promises = promises_of_plan (run->options->plan);
  struct error ignored = { 0 };

  run->host_mounts = open ("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
  run->looked_around = run->host_mounts >= 0 && outside_look_around (&promises, &run->outside, &ignored) == 0;
  error_clear (&ignored);
}

/* Whether what was seen around still holds. The number of a file system that the host has unmounted since may
 * be that of one of the container's by now, and would be taken for the host's; one that it has mounted would
 * not be known as the host's. */
static bool is_still_around (const struct run *run)
{
  return run->looked_around && event_look (run->host_mounts, POLLPRI, 0) == 0;
}

static int look (struct run *run)
{
  const struct promises promises = promises_of_plan (run->options->plan);
  const struct outside_subject subject = { .promises = &promises,
                                           .pid = run->own_kernel ? 0 : run->init_pid,
                                           .init = run->options->init,
                                           .group = run_group (run),
                                           .dir = &run->dir,
                                           .state = run->options->host->state_dir };
  int r = 0;

  if (!is_still_around (run)) {
    outside_clear (&run->outside);
    r = outside_look_around (&promises, &run->outside, run->err);
  }
  if (r == 0)
    r = outside_look (&subject, &run->outside, run->err);
  /* The kernel shows the variables that init was started with, and these are not the command's. */
  if (r == 0 && run->options->plan->prewarmed && run->options->plan->argv.count > 0) {
    free (run->outside.environment);
    run->outside.environment = NULL;
  }
  return r;
}

static int judge (struct run *run)
{
  const struct promises promises = promises_of_plan (run->options->plan);
  struct outside *outside = &run->outside;

  memcpy (outside->pipes, run->pipe_inodes, sizeof (outside->pipes));
  outside->wall_ms = run_deadline_left (run);
  outside->output_bytes = run->streams[STREAM_OUT].cap > run->streams[STREAM_ERR].cap
                              ? run->streams[STREAM_OUT].cap
                              : run->streams[STREAM_ERR].cap;
  return posture_judge (&promises, &run->inside, outside, &run->result.posture, run->err);
}

void run_remember (const struct run *run)
{
  const struct plan *plan = run->options->plan;
  struct error ignored = { 0 };

  run_facts_write (&run->dir, &run->outside);
  /* Of a sandbox that was held ready it says so still. */
  if (plan->prewarmed && run_record_write (&run->dir, plan, run->program, false, &ignored) < 0)
    error_clear (&ignored);
}

/* Init is busy with its answers meanwhile. What is mended afterwards is looked at again. */
static int look_and_receive (struct run *run)
{
  bool mended = false;
  int r = look (run);

  if (r == 0)
    r = run_guard (run);
  if (r == 0)
    r = receive_and_remount (run, &mended);
  if (r == 0 && mended)
    outside_look_mounts (run->init_pid, &run->outside);
  return r;
}

int run_observe (struct run *run)
{
  int r = look_and_receive (run);

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
  return run_send (run, HANDSHAKE_STOP, NULL, 0);
}
