/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-io-timeout.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base-cleanup.h"

/* Exists only to interrupt a call. */
static void on_io_timeout (int signal_number)
{
  (void) signal_number;
}

void io_timeout_init (struct io_timeout *io_timeout)
{
  const struct sigaction action = { .sa_handler = on_io_timeout }; /* without SA_RESTART */
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGRTMIN);
  io_timeout->made = sigaction (SIGRTMIN, &action, NULL) == 0 && sigprocmask (SIG_UNBLOCK, &set, NULL) == 0
                     && timer_create (CLOCK_MONOTONIC, &event, &io_timeout->timer) == 0;
}

void io_timeout_clear (struct io_timeout *io_timeout)
{
  if (io_timeout->made)
    timer_delete (io_timeout->timer);
  io_timeout->made = false;
}

static void set_timer (const struct io_timeout *io_timeout, long ms)
{
  const struct timespec time = { 0, ms * 1000000 };
  const struct itimerspec when = { time, time };

  if (io_timeout->made)
    timer_settime (io_timeout->timer, 0, &when, NULL);
}

void io_timeout_on (const struct io_timeout *io_timeout)
{
  set_timer (io_timeout, IO_TIMEOUT_MS);
}

void io_timeout_off (const struct io_timeout *io_timeout)
{
  int saved = errno;

  set_timer (io_timeout, 0);
  errno = saved;
}

static bool is_asked_to_end (void)
{
  sigset_t waiting;

  return sigpending (&waiting) == 0
         && (sigismember (&waiting, SIGTERM) == 1 || sigismember (&waiting, SIGINT) == 1
             || sigismember (&waiting, SIGHUP) == 1 || sigismember (&waiting, SIGQUIT) == 1);
}

int io_timeout_write (int fd, const char *bytes, size_t len, unsigned tries)
{
  cleanup_io_timeout struct io_timeout io_timeout = { 0 };
  unsigned timer = 0;

  io_timeout_init (&io_timeout);
  while (len > 0) {
    ssize_t n;

    io_timeout_on (&io_timeout);
    n = write (fd, bytes, len);
    io_timeout_off (&io_timeout);
    if (n < 0 && errno != EINTR)
      return -errno;
    timer = n < 0 ? timer + 1 : 0;
    if (n < 0 && (is_asked_to_end () || (tries != 0 && timer >= tries)))
      return -EINTR;
    bytes += n > 0 ? n : 0;
    len -= n > 0 ? (size_t) n : 0;
  }
  return 0;
}
