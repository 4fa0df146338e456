/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines for a reader that is slow, gone or attentive: whole or dropped, counted, and never waited for. */
#include <config.h>

#include "session-event-queue.h"
#include "session-event-sink.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "journal-audit-log.h"
#include "unit.h"

/* A call that waits ends the test. */
#define PATIENCE_S 10

#define LINE_LEN 1000u

struct reader {
  int ours, theirs; /* what it reads from, and what the caller passed */
  int fd;           /* what the queue writes to */
};

static int open_number (int fd, struct error *err)
{
  char text[16];
  int opened = -1;

  snprintf (text, sizeof (text), "%d", fd);
  assert_int_equal (event_target_open (text, &opened, err), 0);
  return opened;
}

static struct reader make_reader (bool socketed)
{
  struct error err = { 0 };
  int fds[2];

  if (socketed)
    assert_int_equal (socketpair (AF_UNIX, SOCK_STREAM, 0, fds), 0);
  else
    assert_int_equal (pipe (fds), 0);
  return (struct reader){ fds[0], fds[1], open_number (fds[1], &err) };
}

static void close_reader (struct reader *reader)
{
  close_p (&reader->ours);
  close_p (&reader->theirs);
  close_p (&reader->fd);
}

static void make_line (char line[LINE_LEN], char letter)
{
  memset (line, letter, LINE_LEN - 1);
  line[LINE_LEN - 1] = '\n';
}

/* Reads what is there; whether it is whole lines of one letter each. */
static size_t read_lines (int fd, bool *ret_whole)
{
  cleanup_strbuf struct strbuf text = { 0 };
  char bytes[65536];
  ssize_t n;

  fcntl (fd, F_SETFL, O_NONBLOCK);
  while ((n = read (fd, bytes, sizeof (bytes))) > 0)
    strbuf_add_bytes (&text, bytes, (size_t) n);
  *ret_whole = text.len % LINE_LEN == 0;
  for (size_t i = 0; *ret_whole && i < text.len; i++)
    *ret_whole = (i + 1) % LINE_LEN == 0 ? text.text[i] == '\n' : text.text[i] == text.text[i - i % LINE_LEN];
  return text.len / LINE_LEN;
}

/* More lines than pipe and queue hold; later the reader takes everything. */
static void try_slow (bool socketed)
{
  struct reader reader = make_reader (socketed);
  struct event_queue queue;
  char line[LINE_LEN];
  size_t added = 0;
  bool whole = true;

  event_queue_init (&queue, reader.fd);
  for (unsigned i = 0; i < 2000; i++) {
    make_line (line, (char) ('a' + i % 26));
    added += event_queue_add (&queue, line, sizeof (line), false);
  }
  assert_true (added < 2000);
  assert_int_equal (queue.dropped, 2000 - added);
  assert_true (queue.bytes.len <= LIMIT_EVENT_QUEUE_BYTES);
  assert_int_equal (event_queue_waiting (&queue), reader.fd);
  /* Room is kept for the last line. */
  assert_true (event_queue_add (&queue, line, sizeof (line), true));
  for (unsigned i = 0; i < 1000 && event_queue_waiting (&queue) >= 0; i++) {
    read_lines (reader.ours, &whole);
    event_queue_flush (&queue);
  }
  assert_int_equal (event_queue_waiting (&queue), -1);
  /* It reads on, and nothing is dropped any more. */
  read_lines (reader.ours, &whole);
  queue.dropped = 0;
  for (unsigned i = 0; i < 3; i++)
    assert_true (event_queue_add (&queue, line, sizeof (line), false));
  assert_int_equal (read_lines (reader.ours, &whole), 3);
  assert_true (whole);
  assert_int_equal (queue.dropped, 0);
  event_queue_clear (&queue);
  close_reader (&reader);
}

static void test_slow (void **state)
{
  (void) state;
  alarm (PATIENCE_S);
  try_slow (false);
  try_slow (true);
}

/* Everything that was added arrives, line by line, in pieces of any size. */
static void test_whole (void **state)
{
  struct reader reader = make_reader (false);
  cleanup_strbuf struct strbuf sent = { 0 }, got = { 0 };
  struct event_queue queue;
  char line[LINE_LEN], bytes[777];

  (void) state;
  alarm (PATIENCE_S);
  fcntl (reader.ours, F_SETFL, O_NONBLOCK);
  event_queue_init (&queue, reader.fd);
  for (unsigned i = 0; i < 600; i++) {
    ssize_t n = i % 3 == 0 ? read (reader.ours, bytes, sizeof (bytes)) : 0;

    make_line (line, (char) ('a' + i % 26));
    if (event_queue_add (&queue, line, sizeof (line), false))
      strbuf_add_bytes (&sent, line, sizeof (line));
    if (n > 0)
      strbuf_add_bytes (&got, bytes, (size_t) n);
  }
  for (ssize_t n = 1; n > 0; event_queue_flush (&queue)) {
    n = read (reader.ours, bytes, sizeof (bytes));
    if (n > 0)
      strbuf_add_bytes (&got, bytes, (size_t) n);
  }
  assert_int_equal (got.len, sent.len);
  assert_memory_equal (got.text, sent.text, sent.len);
  assert_true (queue.dropped > 0);
  event_queue_clear (&queue);
  close_reader (&reader);
}

/* A reader that goes: no signal, no error, nothing written any more. */
static void test_gone (void **state)
{
  char line[LINE_LEN];

  (void) state;
  alarm (PATIENCE_S);
  make_line (line, 'x');
  signal (SIGPIPE, SIG_DFL);
  for (int socketed = 0; socketed <= 1; socketed++) {
    struct reader reader = make_reader (socketed != 0);
    struct event_queue queue;

    event_queue_init (&queue, reader.fd);
    assert_true (event_queue_add (&queue, line, sizeof (line), false));
    close_p (&reader.ours);
    event_queue_add (&queue, line, sizeof (line), false);
    assert_int_equal (queue.fd, -1);
    assert_int_equal (queue.failed, 0);
    assert_false (event_queue_add (&queue, line, sizeof (line), true));
    assert_int_equal (event_queue_waiting (&queue), -1);
    event_queue_clear (&queue);
    close_reader (&reader);
  }
}

/* A full disk ends it with its errno; a reader that takes nothing has a bounded time. */
static void test_failed (void **state)
{
  struct reader reader = make_reader (false);
  struct event_queue queue;
  char line[LINE_LEN];
  int full = open ("/dev/full", O_WRONLY | O_CLOEXEC);

  (void) state;
  alarm (PATIENCE_S);
  make_line (line, 'x');
  assert_true (full >= 0);
  event_queue_init (&queue, full);
  event_queue_add (&queue, line, sizeof (line), false);
  assert_int_equal (queue.failed, ENOSPC);
  event_queue_clear (&queue);
  close_p (&full);
  event_queue_init (&queue, reader.fd);
  while (event_queue_add (&queue, line, sizeof (line), false))
    continue;
  event_queue_drain (&queue, 50);
  assert_int_equal (event_queue_waiting (&queue), reader.fd);
  event_queue_clear (&queue);
  close_reader (&reader);
}

/* The caller's descriptor keeps its mode, and no executed program gets either of them. */
static void test_opened (void **state)
{
  struct reader reader = make_reader (false);
  cleanup_error struct error err = { 0 };
  int fd = -1;

  (void) state;
  assert_int_equal (fcntl (reader.theirs, F_GETFL) & O_NONBLOCK, 0);
  assert_int_equal (fcntl (reader.fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
  assert_int_equal (fcntl (reader.theirs, F_GETFD), FD_CLOEXEC);
  assert_int_equal (fcntl (reader.fd, F_GETFD), FD_CLOEXEC);
  close_reader (&reader);
  assert_true (event_target_open ("99999999999", &fd, &err) == ERROR_USAGE);
  assert_int_equal (fd, -1);
  assert_true (event_target_is_descriptor ("3"));
  assert_false (event_target_is_descriptor ("./3"));
  assert_false (event_target_is_descriptor ("3x"));
}

/* A terminal's slave can be written; its master cannot. */
static void test_terminal (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_close int master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC), opened = -1, refused = -1;
  cleanup_close int slave = -1;
  char text[16];

  (void) state;
  assert_true (master >= 0 && grantpt (master) == 0 && unlockpt (master) == 0);
  slave = open (ptsname (master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  snprintf (text, sizeof (text), "%d", slave);
  assert_int_equal (event_target_open (text, &opened, &err), 0);
  snprintf (text, sizeof (text), "%d", master);
  assert_int_equal (event_target_open (text, &refused, &err), -EINVAL);
  assert_non_null (strstr (error_text (&err), "is the master of a terminal"));
}

static void tell (struct event_sink *sink, const struct session_outcome *run, enum session_event_kind kind)
{
  static const struct audit_log_limit limit = { CONTROL_LIMITS_WALL, "after_ms", 5 };
  struct session_event event = { kind, .run = run };

  if (kind == SESSION_LIMIT)
    event.limit = &limit;
  event_sink_event (sink, &event);
}

/* Adds what the reader finds now to GOT. */
static void take_all (int fd, struct strbuf *got)
{
  char bytes[65536];
  ssize_t n;

  fcntl (fd, F_SETFL, O_NONBLOCK);
  while ((n = read (fd, bytes, sizeof (bytes))) > 0)
    strbuf_add_bytes (got, bytes, (size_t) n);
}

/* The lines of events that had no room are missing, a line has their number, and the end arrives. */
static void test_sink (void **state)
{
  struct reader reader = make_reader (false);
  const struct session_outcome run = { .run = "r-1" };
  cleanup_strbuf struct strbuf got = { 0 };
  struct event_sink sink;
  unsigned long long lines = 0, missing = 0, seq = 0;

  (void) state;
  alarm (PATIENCE_S);
  event_sink_init (&sink, reader.fd);
  for (unsigned i = 0; i < 10000; i++)
    tell (&sink, &run, SESSION_LIMIT);
  /* Neither planned nor notes are for this reader. */
  tell (&sink, &run, SESSION_PLANNED);
  tell (&sink, &run, SESSION_NOTE);
  tell (&sink, &run, SESSION_ENDED);
  while (event_queue_waiting (&sink.queue) >= 0) {
    take_all (reader.ours, &got);
    event_sink_end (&sink);
  }
  take_all (reader.ours, &got);
  for (char *line = strtok (got.text, "\n"); line != NULL; line = strtok (NULL, "\n")) {
    const char *count = strstr (line, "\"event\":\"dropped\",\"count\":");

    lines++;
    assert_int_equal (sscanf (line, "{\"seq\":%llu,\"time\":", &seq), 1);
    assert_non_null (strstr (line, "\"run\":\"r-1\",\"event\":"));
    if (count != NULL)
      missing += strtoull (strrchr (count, ':') + 1, NULL, 10);
    if (strstr (line, "\"event\":\"ended\"") != NULL)
      assert_int_equal (line + strlen (line), got.text + got.len - 1);
  }
  assert_true (missing > 0);
  assert_int_equal (lines + missing, seq);
  assert_int_equal (seq, 10000 + 2);
  event_sink_clear (&sink);
  close_reader (&reader);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_slow),     cmocka_unit_test (test_whole),  cmocka_unit_test (test_gone),
  cmocka_unit_test (test_failed),   cmocka_unit_test (test_opened), cmocka_unit_test (test_sink),
  cmocka_unit_test (test_terminal),
};

UNIT_MAIN (cases)
