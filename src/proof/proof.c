/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "proof-proof.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "posture-proc.h"
#include "wire-answers.h"

static const char mounts_file[] = "/proc/self/mountinfo";

/* Sends the next batch of questions. */
static int ask (struct proof *proof, const struct talk *talk, struct error *err)
{
  cleanup_free uint8_t *batch = malloc (LIMIT_ASK_BYTES);
  size_t used;

  if (batch == NULL)
    return error_oom (err);
  proof->from = proof->asked;
  used = questions_write (&proof->inside.questions, &proof->asked, batch, LIMIT_ASK_BYTES);
  if (proof->asked == proof->from)
    return error_set (err, -E2BIG, "a question to init is longer than %u bytes", LIMIT_ASK_BYTES);
  return talk_send (talk, HANDSHAKE_ASK, batch, used, err);
}

/* Tells init which programs the command may execute. */
static int confine (const struct promises *promises, const struct talk *talk, struct error *err)
{
  const struct strlist *tools = &promises->settings->values[SETTING_TOOLS].set;
  cleanup_strbuf struct strbuf paths = { 0 };

  if (!promises->bounds_tools)
    return 0;
  for (size_t i = 0; i < tools->count; i++)
    strbuf_add_bytes (&paths, tools->items[i], strlen (tools->items[i]) + 1);
  if (tools->count == 0)
    strbuf_add_bytes (&paths, "", 1);
  if (paths.failed)
    return error_oom (err);
  if (paths.len > LIMIT_ASK_BYTES)
    return error_set (err, -E2BIG, "process.tools: the names are longer than %u bytes together",
                      LIMIT_ASK_BYTES);
  return talk_send (talk, HANDSHAKE_CONFINE, paths.text, paths.len, err);
}

int proof_begin (struct proof *proof, const struct promises *promises, struct restriction *restriction,
                 const struct talk *talk, struct error *err)
{
  cleanup_questions struct questions questions = { 0 };
  int r = confine (promises, talk, err);

  if (r == 0)
    r = questions_make (promises, &questions, err);
  if (r == 0)
    r = inside_new (&questions, &proof->inside, err);
  proof->restriction = restriction;
  proof->inside.told_errnum = restriction != NULL ? restriction->answer : 0;
  return r < 0 ? r : ask (proof, talk, err);
}

/* Init has answered under the runtime's filter alone, and is to load its own before it answers the rest. */
static int restrict_init (struct proof *proof, const struct talk *talk, struct error *err)
{
  struct restriction *restriction = proof->restriction;

  restriction->sent = proof->restricting = true;
  return talk_send (talk, HANDSHAKE_RESTRICT, restriction->bytes, restriction->size, err);
}

/* 1: init has replied, and the caller gets the listener. */
static int receive_restricted (struct proof *proof, struct talk *talk, struct error *err)
{
  struct handshake_restricted reply;
  int r = talk_receive (talk, HANDSHAKE_RESTRICTED, sizeof (reply), err);

  if (r <= 0)
    return r;
  if (talk->header.length != sizeof (reply))
    return error_set (err, -EPROTO, "init sent a short reply");
  memcpy (&reply, talk->bytes, sizeof (reply));
  proof->restricting = false;
  proof->loaded = reply.errnum == 0;
  if (reply.errnum != 0 && reply.step != RESTRICTING_CALLS)
    return error_set_errno (err, reply.errnum, "init could not %s",
                            reply.step == RESTRICTING_LIMITS ? "lower its limits"
                            : reply.step == RESTRICTING_CLASS
                                ? "leave a real-time class or a higher priority; start tyrum-oci without one"
                                : "give up new privileges");
  proof->inside.restrict_errnum = reply.errnum;
  close_p (&proof->listener);
  proof->listener = take_fd (&talk->passed);
  if (reply.errnum == 0 && proof->listener < 0)
    return error_set (err, -EPROTO, "init sent no listener");
  return 1;
}

/* The index of the question about the mount table, which is always asked. */
static size_t mounts_question (const struct questions *questions)
{
  size_t i = 0;

  while (
      i + 1 < questions->count
      && (questions->items[i].kind != QUESTION_FILE || strcmp (questions->items[i].bytes, mounts_file) != 0))
    i++;
  return i;
}

/* After a remount only the mount table can have changed. */
static int ask_mounts (struct proof *proof, const struct talk *talk, struct error *err)
{
  size_t at = mounts_question (&proof->inside.questions), none = 0, used;
  struct questions one = { .items = &proof->inside.questions.items[at], .count = 1 };
  uint8_t batch[256];

  used = questions_write (&one, &none, batch, sizeof (batch));
  proof->from = at;
  proof->asked = at + 1;
  proof->remounted = true;
  return talk_send (talk, HANDSHAKE_ASK, batch, used, err);
}

/* Sends the next questions after an answer. 1: there are no more. */
static int ask_next (struct proof *proof, const struct promises *promises, const struct talk *talk, int pidfd,
                     struct error *err)
{
  const char *mounts = inside_text (&proof->inside, QUESTION_FILE, mounts_file);

  if (proof->remounted)
    return 1;
  if (proof->asked == proof->inside.questions.before && proof->restriction != NULL
      && !proof->restriction->sent)
    return restrict_init (proof, talk, err);
  if (proof->asked < proof->inside.questions.count && proof->inside.restrict_errnum == 0)
    return ask (proof, talk, err);
  if (pidfd < 0 || mounts == NULL || !proof_remount (promises, mounts, pidfd))
    return 1;
  return ask_mounts (proof, talk, err);
}

int proof_receive (struct proof *proof, const struct promises *promises, struct talk *talk, int pidfd,
                   struct error *err)
{
  int r;

  do {
    r = proof->restricting ? receive_restricted (proof, talk, err)
                           : talk_receive (talk, HANDSHAKE_ANSWER, LIMIT_REPORT_BYTES, err);
    if (r <= 0)
      return r;
    if (talk->header.type == HANDSHAKE_RESTRICTED) {
      r = ask_next (proof, promises, talk, pidfd, err);
      continue;
    }
    r = inside_read (&proof->inside, proof->from, proof->asked, talk->bytes, talk->header.length, err);
    if (r == 0)
      r = ask_next (proof, promises, talk, pidfd, err);
  } while (r == 0);
  return r;
}

void proof_look_around (struct proof *proof, const struct promises *promises)
{
  struct error ignored = { 0 };

  close_p (&proof->host_mounts);
  proof->host_mounts = open (mounts_file, O_RDONLY | O_CLOEXEC);
  proof->looked_around =
      proof->host_mounts >= 0 && outside_look_around (promises, &proof->outside, &ignored) == 0;
  error_clear (&ignored);
}

/* Whether the host's mounts are unchanged since proof_look_around. Otherwise a device number that the host
 * has freed may now belong to the container and be taken for the host's, or a new mount of the host be
 * missed. */
static bool is_host_unchanged (const struct proof *proof)
{
  struct pollfd changed = { proof->host_mounts, POLLPRI, 0 };

  return proof->looked_around && poll (&changed, 1, 0) == 0;
}

int proof_look (struct proof *proof, const struct outside_subject *subject, struct error *err)
{
  int r = 0;

  if (!is_host_unchanged (proof)) {
    outside_clear (&proof->outside);
    r = outside_look_around (subject->promises, &proof->outside, err);
  }
  return r < 0 ? r : outside_look (subject, &proof->outside, err);
}

void proof_look_again (struct proof *proof, pid_t pid)
{
  struct proc_status before;

  if (!proof->loaded || pid <= 0)
    return;
  if (proof->outside.status != NULL && proc_status_read (proof->outside.status, &before))
    proof->outside.filters_before = before.filters;
  outside_look_status (pid, &proof->outside);
}

int proof_judge (struct proof *proof, const struct promises *promises, pid_t pid,
                 struct posture **ret_posture, struct error *err)
{
  if (proof->remounted && pid > 0)
    outside_look_mounts (pid, &proof->outside);
  return posture_judge (promises, &proof->inside, &proof->outside, ret_posture, err);
}

void proof_clear (struct proof *proof)
{
  inside_clear (&proof->inside);
  outside_clear (&proof->outside);
  close_p (&proof->host_mounts);
  close_p (&proof->listener);
  *proof = PROOF_NONE;
}
