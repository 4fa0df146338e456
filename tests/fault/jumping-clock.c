/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library to be preloaded: the time of day jumps between any two looks at it.
 *
 * JUMPING_CLOCK is a list of seconds since 1970, with commas between; each look at the time of day gives the
 * next one, over and over. Clocks that only go forward are left alone: a time namespace moves those.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t next_time (void)
{
  static const char *at;
  const char *list = getenv ("JUMPING_CLOCK");
  char *end;
  long long seconds;

  if (list == NULL)
    list = "0";
  if (at == NULL || *at == '\0')
    at = list;
  seconds = strtoll (at, &end, 10);
  at = *end == ',' ? end + 1 : end;
  return (time_t) seconds;
}

int clock_gettime (clockid_t clock, struct timespec *ret_time)
{
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
    return (int) syscall (SYS_clock_gettime, clock, ret_time);
  *ret_time = (struct timespec){ .tv_sec = next_time () };
  return 0;
}

int gettimeofday (struct timeval *restrict ret_time, void *restrict zone)
{
  (void) zone;
  *ret_time = (struct timeval){ .tv_sec = next_time () };
  return 0;
}

time_t time (time_t *ret_time)
{
  time_t now = next_time ();

  if (ret_time != NULL)
    *ret_time = now;
  return now;
}
