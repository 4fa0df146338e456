#include <config.h>

#include "base-io-timeout.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base-cleanup.h"

/* Its only effect is that a call ends. */
static void on_nudge (int signal_number)
{
  (void) signal_number;
}

void nudge_init (struct nudge *nudge)
{
  const struct sigaction action = { .sa_handler = on_nudge }; /* without SA_RESTART */
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGRTMIN);
  nudge->made = sigaction (SIGRTMIN, &action, NULL) == 0 && sigprocmask (SIG_UNBLOCK, &set, NULL) == 0
                && timer_create (CLOCK_MONOTONIC, &event, &nudge->timer) == 0;
}

void nudge_clear (struct nudge *nudge)
{
  if (nudge->made)
    timer_delete (nudge->timer);
  nudge->made = false;
}

static void set_timer (const struct nudge *nudge, long ms)
{
  const struct timespec time = { 0, ms * 1000000 };
  const struct itimerspec when = { time, time };

  if (nudge->made)
    timer_settime (nudge->timer, 0, &when, NULL);
}

void nudge_on (const struct nudge *nudge)
{
  set_timer (nudge, NUDGE_MS);
}

void nudge_off (const struct nudge *nudge)
{
  int saved = errno;

  set_timer (nudge, 0);
  errno = saved;
}

static bool is_asked_to_end (void)
{
  sigset_t waiting;

  return sigpending (&waiting) == 0
         && (sigismember (&waiting, SIGTERM) == 1 || sigismember (&waiting, SIGINT) == 1
             || sigismember (&waiting, SIGHUP) == 1 || sigismember (&waiting, SIGQUIT) == 1);
}

int nudge_write (int fd, const char *bytes, size_t len, unsigned tries)
{
  cleanup_nudge struct nudge nudge = { 0 };
  unsigned nudges = 0;

  nudge_init (&nudge);
  while (len > 0) {
    ssize_t n;

    nudge_on (&nudge);
    n = write (fd, bytes, len);
    nudge_off (&nudge);
    if (n < 0 && errno != EINTR)
      return -errno;
    nudges = n < 0 ? nudges + 1 : 0;
    if (n < 0 && (is_asked_to_end () || (tries != 0 && nudges >= tries)))
      return -EINTR;
    bytes += n > 0 ? n : 0;
    len -= n > 0 ? (size_t) n : 0;
  }
  return 0;
}
