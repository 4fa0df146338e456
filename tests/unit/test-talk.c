/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Talking to init, and the proof that is made of it: both take what is there and say whether that is all. */
#include <config.h>

#include "proof-proof.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "posture-case.h"
#include "unit.h"

/* Our end as init's supervisor has it, and init's. */
struct line {
  struct talk talk;
  int ours, theirs;
};

static void line_open (struct line *line, bool stdio)
{
  int fds[2], on = 1;

  if (stdio)
    assert_int_equal (pipe2 (fds, O_CLOEXEC | O_NONBLOCK), 0);
  else
    assert_int_equal (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
  if (!stdio)
    assert_int_equal (setsockopt (fds[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof (on)), 0);
  *line = (struct line){ TALK_NONE, fds[0], fds[1] };
  line->talk.stdio = stdio;
  line->talk.from = line->talk.to = fds[0];
}

static void line_close (struct line *line)
{
  talk_clear (&line->talk);
  close_p (&line->ours);
  close_p (&line->theirs);
}
#define cleanup_line cleanup (line_close)

static void say (const struct line *line, const void *bytes, size_t length)
{
  assert_int_equal (write (line->theirs, bytes, length), (ssize_t) length);
}

static void say_header (const struct line *line, enum handshake_type type, uint32_t length)
{
  const struct handshake_header header = { HANDSHAKE_MAGIC, HANDSHAKE_VERSION, (uint16_t) type, length };

  say (line, &header, sizeof (header));
}

static void check_receive (struct line *line, int expected)
{
  cleanup_error struct error err = { 0 };
  int r = talk_receive (&line->talk, HANDSHAKE_ANSWER, 8, &err);

  CHECK (r == expected, "%d, not %d: %s", r, expected, error_text (&err));
}

/* A message in pieces is there with its last one; the next one is begun anew. */
static void test_pieces (void **state)
{
  for (int stdio = 0; stdio < 2; stdio++) {
    cleanup_line struct line line;

    (void) state;
    line_open (&line, stdio != 0);
    for (int i = 0; i < 2; i++) {
      check_receive (&line, 0);
      say_header (&line, HANDSHAKE_ANSWER, 6);
      check_receive (&line, 0);
      say (&line, "abc", 3);
      check_receive (&line, 0);
      say (&line, "def", 3);
      check_receive (&line, 1);
      assert_int_equal (line.talk.header.length, 6);
      assert_memory_equal (line.talk.bytes, "abcdef", 6);
    }
    say_header (&line, HANDSHAKE_ANSWER, 0);
    check_receive (&line, 1);
  }
}

/* On standard output the command's own follows. */
static void test_not_a_byte_more (void **state)
{
  cleanup_line struct line line;
  char rest[8];

  (void) state;
  line_open (&line, true);
  say_header (&line, HANDSHAKE_ANSWER, 2);
  say (&line, "abcommand", 9);
  check_receive (&line, 1);
  assert_int_equal (read (line.ours, rest, sizeof (rest)), 7);
}

static void test_refused (void **state)
{
  static const struct {
    enum handshake_type type;
    uint32_t length;
    size_t piece;
    int expected;
  } rows[] = { { HANDSHAKE_HELLO, 0, 0, -EPROTO },
               { HANDSHAKE_ANSWER, 9, 0, -EPROTO },
               { HANDSHAKE_ANSWER, 3, 4, -EPROTO } };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_line struct line line;

    line_open (&line, false);
    say_header (&line, rows[i].type, rows[i].length);
    if (rows[i].piece > 0)
      say (&line, "abcdefgh", rows[i].piece);
    check_receive (&line, rows[i].expected);
  }
}

static void test_ended (void **state)
{
  cleanup_line struct line line;

  (void) state;
  line_open (&line, false);
  say_header (&line, HANDSHAKE_ANSWER, 4);
  close (line.theirs);
  line.theirs = -1;
  check_receive (&line, -EPIPE);
}

/* Who spoke first is init, and no other process speaks for it. */
static void test_another_speaks (void **state)
{
  cleanup_line struct line line;
  pid_t pid;

  (void) state;
  line_open (&line, false);
  say_header (&line, HANDSHAKE_ANSWER, 4);
  check_receive (&line, 0);
  assert_int_equal (line.talk.pid, getpid ());
  pid = fork ();
  if (pid == 0)
    _exit (write (line.theirs, "abcd", 4) != 4);
  assert_int_equal (waitpid (pid, NULL, 0), pid);
  check_receive (&line, -EPROTO);
}

/* As an init that answers nothing but that it could not look: every question of the batch. */
static void answer (const struct line *line, const struct proof *proof, uint8_t *buffer, size_t size)
{
  struct strbuf answers = { 0 };

  assert_true (read (line->theirs, buffer, size) > (ssize_t) sizeof (struct handshake_header));
  for (size_t i = proof->from; i < proof->asked; i++) {
    const struct report_item item = { .kind = (uint16_t) proof->inside.questions.items[i].kind,
                                      .errnum = EIO };

    strbuf_add_bytes (&answers, (const char *) &item, sizeof (item));
  }
  say_header (line, HANDSHAKE_ANSWER, (uint32_t) answers.len);
  say (line, answers.text, answers.len);
  strbuf_clear (&answers);
}

/* Nothing was seen, so nothing is proven. */
static void test_proof (void **state)
{
  static uint8_t buffer[LIMIT_ASK_BYTES + sizeof (struct handshake_header)];
  cleanup_posture_case struct posture_case c = { 0 };
  cleanup_posture struct posture *posture = NULL;
  cleanup_error struct error err = { 0 };
  struct proof proof = PROOF_NONE;
  cleanup_line struct line line;
  struct promises promises;
  size_t batches = 0;
  int r = 0;

  (void) state;
  posture_case_make (&c);
  promises = promises_of_plan (c.plan, &c.launch);
  line_open (&line, false);
  CHECK (proof_begin (&proof, &promises, NULL, &line.talk, &err) == 0, "%s", error_text (&err));
  while (r == 0) {
    r = proof_receive (&proof, &promises, &line.talk, -1, &err);
    CHECK (r >= 0, "%s", error_text (&err));
    CHECK (r == 0 || batches > 0, "done before anything was answered");
    if (r == 0)
      answer (&line, &proof, buffer, sizeof (buffer));
    batches++;
  }
  assert_int_equal (proof.asked, proof.inside.questions.count);
  CHECK (proof_judge (&proof, &promises, 0, &posture, &err) == 0, "%s", error_text (&err));
  assert_int_equal (posture->overall, OVERALL_VIOLATED);
  for (enum control control = 0; control < CONTROL_COUNT; control++)
    CHECK (!posture->controls[control].promised || posture->controls[control].verdict != VERDICT_VERIFIED
               || control == CONTROL_LIMITS_OUTPUT,
           "%s is verified: %s", control_info (control)->name, posture->controls[control].evidence);
  proof_clear (&proof);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_pieces), cmocka_unit_test (test_not_a_byte_more), cmocka_unit_test (test_refused),
  cmocka_unit_test (test_ended),  cmocka_unit_test (test_another_speaks),  cmocka_unit_test (test_proof),
};

UNIT_MAIN (cases)
