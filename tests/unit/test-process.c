/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "unit.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor-process.h"

/* Also a test that fails leaves nobody behind. */
static pid_t start_sleeper (void)
{
  pid_t parent = getpid (), pid = fork ();

  if (pid == 0) {
    if (prctl (PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid () == parent)
      pause ();
    _exit (0);
  }
  assert_true (pid > 0);
  return pid;
}

/* Waits until PID is dead, and leaves it uncollected. */
static void end_unseen (pid_t pid)
{
  siginfo_t info;

  kill (pid, SIGKILL);
  assert_int_equal (waitid (P_PID, (id_t) pid, &info, WEXITED | WNOWAIT), 0);
}

static void tells_states (void **state)
{
  pid_t pid = start_sleeper ();

  (void) state;
  assert_int_equal (process_state (getpid ()), 'R');
  /* On a busy host it may not have come to sleep yet, or wait for a page. */
  assert_non_null (memchr ("SRD", process_state (pid), 3));
  assert_false (process_has_ended (pid));
  end_unseen (pid);
  assert_int_equal (process_state (pid), 'Z');
  assert_true (process_has_ended (pid));
  assert_int_equal (waitpid (pid, NULL, 0), pid);
  assert_int_equal (process_state (pid), '\0');
  assert_true (process_has_ended (pid));
}

static void tells_starts (void **state)
{
  uint64_t own = 0, again = 0, later = 0;
  pid_t pid;

  (void) state;
  assert_true (process_start (getpid (), &own) && own > 0);
  usleep (20000); /* a tick is 10 ms */
  pid = start_sleeper ();
  assert_true (process_start (pid, &later) && later > own);
  assert_true (process_start (pid, &again) && again == later);
  end_unseen (pid);
  assert_false (process_start (pid, &again));
  waitpid (pid, NULL, 0);
  assert_false (process_start (pid, &again));
}

static void finds_the_dead_below (void **state)
{
  pid_t pid = start_sleeper ();

  (void) state;
  assert_false (process_has_dead_below (getpid ()));
  end_unseen (pid);
  assert_true (process_has_dead_below (getpid ()));
  waitpid (pid, NULL, 0);
  assert_false (process_has_dead_below (getpid ()));
}

/* A grandchild that its parent does not collect. */
static void finds_them_deeper (void **state)
{
  int ready[2];
  char byte;
  pid_t pid;

  (void) state;
  assert_int_equal (pipe (ready), 0);
  pid = fork ();
  if (pid == 0) {
    pid_t inner = fork ();
    siginfo_t info;

    if (inner == 0)
      _exit (0);
    waitid (P_PID, (id_t) inner, &info, WEXITED | WNOWAIT);
    if (write (ready[1], "", 1) == 1)
      pause ();
    _exit (0);
  }
  assert_true (pid > 0);
  assert_int_equal (read (ready[0], &byte, 1), 1);
  assert_true (process_has_dead_below (getpid ()));
  assert_true (process_has_dead_below (pid));
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  close (ready[0]);
  close (ready[1]);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (tells_states),
  cmocka_unit_test (tells_starts),
  cmocka_unit_test (finds_the_dead_below),
  cmocka_unit_test (finds_them_deeper),
};

UNIT_MAIN (cases)
