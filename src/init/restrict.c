/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-restrict.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As the kernel has them: a static libc may come without its headers. */
#define SET_MODE_FILTER      1u
#define FLAG_NEW_LISTENER    (1ul << 3)
#define INSTRUCTIONS_MAX     4096u
#define INSTRUCTION_BYTES    8u
#define POLICY_NORMAL        0
#define POLICY_BATCH         3
#define POLICY_IDLE          5
#define POLICY_RESET_ON_FORK 0x40000000
#define PERSONALITY_ASK      0xffffffffu

struct program {
  unsigned short count;
  const unsigned char *instructions;
};

static int lower_limits (const struct handshake_restrict *wanted)
{
  for (int i = 0; i < RESTRICT_LIMITS; i++) {
    struct rlimit limit;

    if (wanted->limits[i] == UINT64_MAX)
      continue;
    if (getrlimit (i, &limit) < 0)
      return -errno;
    if (limit.rlim_max > wanted->limits[i])
      limit.rlim_max = wanted->limits[i];
    if (limit.rlim_cur > limit.rlim_max)
      limit.rlim_cur = limit.rlim_max;
    if (setrlimit (i, &limit) < 0)
      return -errno;
  }
  return 0;
}

/* Whether the profile's list refuses a call that only asks: then nothing is known, and nothing is changed. */
static bool is_refused (long result)
{
  return result < 0 && (errno == ENOSYS || errno == EPERM);
}

/* A real-time class is not bounded by the cgroup's quota, and is inherited. To leave it takes a call that
 * 'strict' refuses; the run is refused then. musl has no such functions. */
static int be_ordinary (void)
{
  int ordinary = 0;
  long policy = syscall (SYS_sched_getscheduler, 0), now;

  if (policy < 0 && !is_refused (policy))
    return -errno;
  policy &= ~(long) POLICY_RESET_ON_FORK;
  if (policy > 0 && policy != POLICY_BATCH && policy != POLICY_IDLE
      && syscall (SYS_sched_setscheduler, 0, POLICY_NORMAL, &ordinary) != 0)
    return -EPERM;
  errno = 0;
  if (getpriority (PRIO_PROCESS, 0) < 0 && errno == 0 && setpriority (PRIO_PROCESS, 0, 0) < 0)
    return -errno;
  now = personality (PERSONALITY_ASK);
  if (now < 0 && !is_refused (now))
    return -errno;
  return now > PER_LINUX && personality (PER_LINUX) < 0 ? -errno : 0;
}

/* INSTRUCTIONS need not be aligned: only the kernel reads them. */
static int load_filter (const unsigned char *instructions, size_t size)
{
  const struct program program = { (unsigned short) (size / INSTRUCTION_BYTES), instructions };
  long fd = syscall (SYS_seccomp, SET_MODE_FILTER, FLAG_NEW_LISTENER, &program);

  if (fd < 0)
    return -errno;
  /* A filter can make the call return 0 without making it, and no other number that a descriptor could have:
   * these are all in use. */
  return fd <= STATUS_FD ? -EPROTO : (int) fd;
}

int restrict_self (const unsigned char *body, size_t length, enum restrict_step *ret_step)
{
  struct handshake_restrict wanted;
  size_t size = length - sizeof wanted;
  int r;

  *ret_step = RESTRICTING_CALLS;
  if (length <= sizeof wanted || size % INSTRUCTION_BYTES != 0 || size / INSTRUCTION_BYTES > INSTRUCTIONS_MAX)
    return -EBADMSG;
  memcpy (&wanted, body, sizeof wanted);
  *ret_step = RESTRICTING_PRIVILEGES;
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
    return -errno;
  umask (022); /* as in the document */
  *ret_step = RESTRICTING_LIMITS;
  r = lower_limits (&wanted);
  if (r < 0)
    return r;
  *ret_step = RESTRICTING_CLASS;
  r = be_ordinary ();
  if (r < 0)
    return r;
  *ret_step = RESTRICTING_CALLS;
  return load_filter (body + sizeof wanted, size);
}
