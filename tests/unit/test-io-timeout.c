/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on descriptors that block come back: a stream's, and the writing of our own words. */
#include <config.h>

#include "base-io-timeout.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "supervisor-stream.h"
#include "unit.h"

/* A call that does not come back ends the test. */
#define PATIENCE_S 10

static void make_pipe (int fds[2], bool full)
{
  char bytes[4096] = { 0 };

  assert_int_equal (pipe2 (fds, O_CLOEXEC), 0);
  if (!full)
    return;
  fcntl (fds[1], F_SETFL, O_NONBLOCK);
  while (write (fds[1], bytes, sizeof (bytes)) > 0)
    ;
  fcntl (fds[1], F_SETFL, 0);
}

static struct stream *make_stream (int from, int to, bool own_to, const struct io_timeout *io_timeout)
{
  struct stream *stream = calloc (1, sizeof (*stream));

  assert_non_null (stream);
  stream->from = from;
  stream->to = to;
  stream->own_to = own_to;
  stream->io_timeout = io_timeout;
  stream->cap = UINT64_MAX;
  return stream;
}

/* As where another reader took what poll had promised. */
static void test_read (void **state)
{
  cleanup_io_timeout struct io_timeout io_timeout = { 0 };
  cleanup_free struct stream *stream = NULL;
  int fds[2];

  (void) state;
  make_pipe (fds, false);
  io_timeout_init (&io_timeout);
  assert_true (io_timeout.made);
  stream = make_stream (fds[0], -1, true, &io_timeout);
  alarm (PATIENCE_S);
  stream_read (stream);
  assert_int_equal (stream->seen, 0);
  assert_int_equal (stream->from, fds[0]);
  assert_int_equal (write (fds[1], "abc", 3), 3);
  stream_read (stream);
  alarm (0);
  assert_int_equal (stream->seen, 3);
  close (fds[0]);
  close (fds[1]);
}

static void test_write (void **state)
{
  cleanup_io_timeout struct io_timeout io_timeout = { 0 };
  cleanup_free struct stream *stream = NULL;
  char bytes[8192];
  int fds[2];

  (void) state;
  make_pipe (fds, true);
  io_timeout_init (&io_timeout);
  stream = make_stream (-1, fds[1], false, &io_timeout);
  stream->seen = stream->passed = stream->len = 3;
  alarm (PATIENCE_S);
  stream_write (stream);
  assert_int_equal (stream->len, 3);
  assert_true (stream_was_cut (stream));
  assert_int_equal (read (fds[0], bytes, sizeof (bytes)), sizeof (bytes));
  stream_write (stream);
  alarm (0);
  assert_int_equal (stream->len, 0);
  assert_false (stream_was_cut (stream));
  close (fds[0]);
  close (fds[1]);
}

/* Given up when it was tried enough, or when a blocked signal asks for an end; otherwise written. */
static void test_words (void **state)
{
  char bytes[8192];
  sigset_t term;
  int fds[2];

  (void) state;
  make_pipe (fds, true);
  alarm (PATIENCE_S);
  assert_int_equal (io_timeout_write (fds[1], "abc", 3, 2), -EINTR);
  sigemptyset (&term);
  sigaddset (&term, SIGTERM);
  sigprocmask (SIG_BLOCK, &term, NULL);
  raise (SIGTERM);
  assert_int_equal (io_timeout_write (fds[1], "abc", 3, 0), -EINTR);
  assert_int_equal (read (fds[0], bytes, sizeof (bytes)), sizeof (bytes));
  assert_int_equal (io_timeout_write (fds[1], "abc", 3, 0), 0);
  alarm (0);
  signal (SIGTERM, SIG_IGN);
  sigprocmask (SIG_UNBLOCK, &term, NULL);
  signal (SIGTERM, SIG_DFL);
  close (fds[0]);
  close (fds[1]);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_read),
  cmocka_unit_test (test_write),
  cmocka_unit_test (test_words),
};

UNIT_MAIN (cases)
