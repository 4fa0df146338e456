/* In place of the C library's usleep.
 *
 * Only libcrun calls it; our own code pauses by process_pause_ms (supervisor-process.h). A process that
 * libcrun forks looks every millisecond whether the container's has its filter, so that it can pass the
 * listener on, and the container waits for that. The kernel takes less, so the first looks are closer
 * together. Later ones are as far apart as libcrun wants them: it counts them, and gives up after some
 * thousand.
 */
#include <config.h>

#include <time.h>
#include <unistd.h>

#define SHORT_NAPS  100
#define SHORT_NAP   20u
#define PER_SECOND  1000000u
#define NANOSECONDS 1000L

int usleep (useconds_t us)
{
  static unsigned naps;
  useconds_t nap = us > SHORT_NAP && naps < SHORT_NAPS ? SHORT_NAP : us;
  struct timespec time = { .tv_sec = nap / PER_SECOND, .tv_nsec = (long) (nap % PER_SECOND) * NANOSECONDS };

  naps++;
  return nanosleep (&time, NULL);
}
