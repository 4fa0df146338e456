/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Descriptors over sockets, and the text of a daemon's request. */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "wire-daemon-text.h"
#include "wire-receive.h"

static void make_pair (int pair[2])
{
  assert_int_equal (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
}

static bool is_same (int a, int b)
{
  struct stat one, other;

  return fstat (a, &one) == 0 && fstat (b, &other) == 0 && one.st_ino == other.st_ino
         && one.st_dev == other.st_dev;
}

static int open_descriptors (void)
{
  int count = 0;

  for (int fd = 0; fd < 256; fd++)
    count += fcntl (fd, F_GETFD) >= 0;
  return count;
}

static void test_all_or_none (void **state)
{
  int pair[2], pipes[2], got[2];
  char text[8];

  (void) state;
  make_pair (pair);
  assert_int_equal (pipe2 (pipes, O_CLOEXEC), 0);
  assert_int_equal (descriptors_send (pair[0], "two", 3, pipes, 2, 0), 0);
  assert_int_equal (descriptors_receive (pair[1], text, sizeof (text), got, 2, 0), 3);
  assert_memory_equal (text, "two", 3);
  for (size_t i = 0; i < 2; i++) {
    assert_true (is_same (got[i], pipes[i]) && (fcntl (got[i], F_GETFD) & FD_CLOEXEC) != 0);
    close (got[i]);
  }
  assert_int_equal (descriptors_send (pair[0], "none", 4, NULL, 0, 0), 0);
  assert_int_equal (descriptors_receive (pair[1], text, sizeof (text), got, 2, 0), 4);
  assert_true (got[0] == -1 && got[1] == -1);
  for (size_t i = 0; i < 2; i++) {
    close (pipes[i]);
    close (pair[i]);
  }
}

/* What is not as announced is refused, and none of it stays open. */
static void test_refused (void **state)
{
  int pair[2], pipes[2], got[2], before;
  char text[4];

  (void) state;
  make_pair (pair);
  assert_int_equal (pipe2 (pipes, O_CLOEXEC), 0);
  before = open_descriptors ();
  assert_int_equal (descriptors_send (pair[0], "x", 1, pipes, 1, 0), 0);
  assert_int_equal (descriptors_receive (pair[1], text, sizeof (text), got, 2, 0), -EPROTO);
  assert_int_equal (descriptors_send (pair[0], "x", 1, pipes, 2, 0), 0);
  assert_int_equal (descriptors_receive (pair[1], text, sizeof (text), got, 1, 0), -EPROTO);
  assert_int_equal (descriptors_send (pair[0], "too long", 8, pipes, 2, 0), 0);
  assert_int_equal (descriptors_receive (pair[1], text, sizeof (text), got, 2, 0), -EPROTO);
  assert_int_equal (descriptors_receive (pair[1], text, sizeof (text), got, 2, MSG_DONTWAIT), -EAGAIN);
  assert_int_equal (open_descriptors (), before);
  close (pair[1]);
  assert_int_equal (descriptors_send (pair[0], "x", 1, pipes, 2, 0), -EPIPE);
  close (pair[0]);
  close (pipes[0]);
  close (pipes[1]);
}

static void test_one (void **state)
{
  int pair[2], fd;

  (void) state;
  make_pair (pair);
  assert_int_equal (descriptors_send (pair[0], "terminal", 8, pair, 1, 0), 0);
  fd = descriptor_receive (pair[1]);
  assert_true (fd >= 0 && is_same (fd, pair[0]));
  close (fd);
  assert_int_equal (descriptors_send (pair[0], "nothing", 7, NULL, 0, 0), 0);
  assert_int_equal (descriptor_receive (pair[1]), -EPROTO);
  close (pair[0]);
  close (pair[1]);
}

static void test_text (void **state)
{
  static const struct {
    const char *text;
    uint32_t size, argv, env;
    int code;
  } rows[] = {
    { "run\0--\0true\0A=1\0", 16, 3, 1, 0 },
    { "", 0, 0, 0, 0 },
    { "\0\0", 2, 1, 1, 0 },
    { "run\0A=1\0", 8, 1, 2, -EPROTO },
    { "run\0A=1\0", 8, 3, 0, -EPROTO },
    { "run\0A=1\0", 8, 1, 0, -EPROTO },
    { "run\0A=1", 7, 1, 1, -EPROTO },
    { "run", 3, 1, 0, -EPROTO },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    const struct daemon_request request = { .magic = DAEMON_MAGIC,
                                            .version = DAEMON_VERSION,
                                            .size = rows[i].size,
                                            .argv = rows[i].argv,
                                            .env = rows[i].env };
    cleanup_free char *text = calloc (1, rows[i].size + (size_t) 1);
    cleanup_free char **argv = NULL, **env = NULL;

    assert_non_null (text);
    memcpy (text, rows[i].text, rows[i].size);
    assert_int_equal (daemon_request_check (&request), 0);
    CHECK (daemon_request_split (&request, text, &argv, &env) == rows[i].code, "row %zu", i);
    if (rows[i].code < 0)
      continue;
    assert_null (argv[rows[i].argv]);
    assert_null (env[rows[i].env]);
    if (i == 0) {
      assert_string_equal (argv[2], "true");
      assert_string_equal (env[0], "A=1");
    }
  }
}

static void test_bounds (void **state)
{
  const struct daemon_request good = {
    .magic = DAEMON_MAGIC, .version = DAEMON_VERSION, .size = 9, .argv = 9
  };
  struct daemon_request bad[5] = { good, good, good, good, good };

  (void) state;
  assert_int_equal (daemon_request_check (&good), 0);
  bad[0].magic++;
  bad[1].version++;
  bad[2].size = LIMIT_DAEMON_BYTES + 1;
  bad[3].argv = 10;
  bad[4].env = 10;
  for (size_t i = 0; i < ARRAY_LEN (bad); i++)
    assert_int_equal (daemon_request_check (&bad[i]), -EPROTO);
}

int main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_all_or_none), cmocka_unit_test (test_refused), cmocka_unit_test (test_one),
    cmocka_unit_test (test_text),        cmocka_unit_test (test_bounds),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
