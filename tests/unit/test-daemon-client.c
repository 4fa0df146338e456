/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The caller's side of a daemon, with a process at the other end that says what each case has it say. */
#include <config.h>

#include "wire-daemon-client.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "unit.h"
#include "wire-daemon-text.h"
#include "wire-receive.h"

static char *const argv[] = { (char[]){ "run" }, (char[]){ "--" }, (char[]){ "true" }, NULL };

static void say (int connection, enum daemon_type type, int value)
{
  const struct daemon_reply reply = {
    .magic = DAEMON_MAGIC, .version = DAEMON_VERSION, .type = (uint16_t) type, .value = value
  };

  if (send (connection, &reply, sizeof (reply), MSG_NOSIGNAL) < 0)
    _exit (20);
}

/* All of it is there, and reads as it was said. */
static bool is_complete (int connection)
{
  struct daemon_request request;
  cleanup_free char **got = NULL, **env = NULL;
  int fds[DAEMON_FDS];
  char *text;
  struct stat here, directory;

  if (descriptors_receive (connection, &request, sizeof (request), fds, DAEMON_FDS, 0)
          != (ssize_t) sizeof (request)
      || daemon_request_check (&request) < 0)
    return false;
  text = calloc (1, request.size + (size_t) 1);
  return text != NULL && pread (fds[DAEMON_ARGV], text, request.size, 0) == (ssize_t) request.size
         && daemon_request_split (&request, text, &got, &env) == 0 && strcmp (got[0], "run") == 0
         && strcmp (got[2], "true") == 0 && request.argv == 3 && stat (".", &here) == 0
         && fstat (fds[DAEMON_DIRECTORY], &directory) == 0 && here.st_ino == directory.st_ino
         && request.umask == 022;
}

static void decline (int connection)
{
  say (connection, DAEMON_DECLINED, 0);
}

static void hang_up (int connection)
{
  (void) connection;
}

static void talk_nonsense (int connection)
{
  if (send (connection, "TYRS", 4, MSG_NOSIGNAL) < 0)
    _exit (20);
}

static void begin_with_the_end (int connection)
{
  say (connection, DAEMON_ENDED, 3);
}

static void say_nothing (int connection)
{
  char byte;

  (void) recv (connection, &byte, 1, 0);
}

static void take (int connection)
{
  say (connection, DAEMON_TAKEN, getpid ());
  say (connection, DAEMON_ENDED, 77);
}

static void lose (int connection)
{
  say (connection, DAEMON_TAKEN, getpid ());
}

static void forget_that_it_took (int connection)
{
  say (connection, DAEMON_TAKEN, getpid ());
  say (connection, DAEMON_DECLINED, 0);
}

/* The caller gets a signal, and what stands in for it hears of that. */
static void be_told (int connection)
{
  const struct timespec limit = { 10, 0 };
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGUSR1);
  sigprocmask (SIG_BLOCK, &set, NULL);
  say (connection, DAEMON_TAKEN, getpid ());
  kill (getppid (), SIGUSR1);
  say (connection, DAEMON_ENDED, sigtimedwait (&set, NULL, &limit) == SIGUSR1 ? 78 : 1);
}

static void lose_after_a_signal (int connection)
{
  const struct timespec limit = { 10, 0 };
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGTERM);
  sigprocmask (SIG_BLOCK, &set, NULL);
  say (connection, DAEMON_TAKEN, getpid ());
  kill (getppid (), SIGTERM);
  sigtimedwait (&set, NULL, &limit);
}

/* With a process that does DAEMON at the other end. */
static int over (void (*daemon) (int connection), int *ret_status, struct error *err)
{
  int pair[2], r, status;
  pid_t pid;

  assert_int_equal (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
  pid = fork ();
  assert_true (pid >= 0);
  if (pid == 0) {
    close (pair[0]);
    if (!is_complete (pair[1]))
      _exit (21);
    daemon (pair[1]);
    _exit (0);
  }
  close (pair[1]);
  r = hand_over (pair[0], argv, ret_status, err);
  close (pair[0]);
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_int_equal (status, 0);
  return r;
}

/* As it was, with nothing open that was not. */
static void test_not_taken (void **state)
{
  static void (*const daemons[]) (int connection) = { decline, hang_up, talk_nonsense, begin_with_the_end,
                                                      say_nothing };
  sigset_t before, after;

  (void) state;
  sigprocmask (SIG_SETMASK, NULL, &before);
  for (size_t i = 0; i < ARRAY_LEN (daemons); i++) {
    cleanup_error struct error err = { 0 };
    int next = dup (STDIN_FILENO), status = -1, same;

    close (next);
    CHECK (over (daemons[i], &status, &err) == 0 && status == -1 && !error_is_set (&err), "daemon %zu", i);
    sigprocmask (SIG_SETMASK, NULL, &after);
    for (int number = 1; number < NSIG; number++)
      CHECK (sigismember (&before, number) == sigismember (&after, number), "signal %d", number);
    same = dup (STDIN_FILENO);
    assert_int_equal (same, next);
    close (same);
  }
}

static void test_taken (void **state)
{
  cleanup_error struct error err = { 0 };
  sigset_t before;
  int status = -1;

  (void) state;
  sigprocmask (SIG_SETMASK, NULL, &before);
  assert_int_equal (over (take, &status, &err), 1);
  assert_int_equal (status, 77);
  assert_int_equal (over (be_told, &status, &err), 1);
  assert_int_equal (status, 78);
  sigprocmask (SIG_SETMASK, &before, NULL);
}

static void test_lost (void **state)
{
  static void (*const daemons[]) (int connection) = { lose, forget_that_it_took };
  sigset_t before;
  int status = -1;
  pid_t pid;

  (void) state;
  sigprocmask (SIG_SETMASK, NULL, &before);
  for (size_t i = 0; i < ARRAY_LEN (daemons); i++) {
    cleanup_error struct error err = { 0 };

    assert_int_equal (over (daemons[i], &status, &err), -EPIPE);
    assert_non_null (strstr (error_text (&err), "was lost"));
    assert_int_equal (status, -1);
    sigprocmask (SIG_SETMASK, &before, NULL);
  }
  /* What was to end it ends the caller. */
  pid = fork ();
  assert_true (pid >= 0);
  if (pid == 0) {
    over (lose_after_a_signal, &status, NULL);
    _exit (1);
  }
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGTERM);
}

static void test_connect (void **state)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  char directory[] = "/tmp/tyrum-oci-test-XXXXXX", name[sizeof (directory) + 8];
  char far[sizeof (address.sun_path) + 1];
  cleanup_close int listening = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  cleanup_close int connection = -1;

  (void) state;
  assert_non_null (mkdtemp (directory));
  snprintf (name, sizeof (name), "%s/socket", directory);
  memset (far, 'x', sizeof (far) - 1);
  far[sizeof (far) - 1] = '\0';
  assert_int_equal (hand_over_connect (far), -ENAMETOOLONG);
  assert_int_equal (hand_over_connect (name), -ENOENT);
  memcpy (address.sun_path, name, strlen (name) + 1);
  assert_int_equal (bind (listening, (const struct sockaddr *) &address, sizeof (address)), 0);
  assert_int_equal (hand_over_connect (name), -ECONNREFUSED);
  assert_int_equal (listen (listening, 1), 0);
  connection = hand_over_connect (name);
  assert_true (connection >= 0 && (fcntl (connection, F_GETFD) & FD_CLOEXEC) != 0);
  unlink (name);
  rmdir (directory);
}

int main (void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test (test_connect), cmocka_unit_test (test_not_taken),
                                      cmocka_unit_test (test_taken), cmocka_unit_test (test_lost) };

  umask (022);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
