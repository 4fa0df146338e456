/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-restrict.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wire-init.h"

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

/* A real-time class is not bounded by the cgroup's quota, and is inherited. musl has no such functions. */
static int be_ordinary (void)
{
  int ordinary = 0;
  long policy = syscall (SYS_sched_getscheduler, 0);

  if (policy < 0)
    return -errno;
  policy &= ~(long) POLICY_RESET_ON_FORK;
  if (policy != POLICY_NORMAL && policy != POLICY_BATCH && policy != POLICY_IDLE
      && syscall (SYS_sched_setscheduler, 0, POLICY_NORMAL, &ordinary) < 0)
    return -EPERM;
  errno = 0;
  if (getpriority (PRIO_PROCESS, 0) < 0 && errno == 0 && setpriority (PRIO_PROCESS, 0, 0) < 0)
    return -errno;
  if (personality (PERSONALITY_ASK) != PER_LINUX && personality (PER_LINUX) < 0)
    return -errno;
  return 0;
}

/* INSTRUCTIONS need not be aligned: only the kernel reads them. */
static int load_filter (const unsigned char *instructions, size_t size)
{
  const struct program program = { (unsigned short) (size / INSTRUCTION_BYTES), instructions };
  long fd = syscall (SYS_seccomp, SET_MODE_FILTER, FLAG_NEW_LISTENER, &program);

  return fd < 0 ? -errno : (int) fd;
}

int restrict_self (const unsigned char *body, size_t length)
{
  struct handshake_restrict wanted;
  size_t size = length - sizeof wanted;
  int r;

  if (length <= sizeof wanted || size % INSTRUCTION_BYTES != 0 || size / INSTRUCTION_BYTES > INSTRUCTIONS_MAX)
    return -EBADMSG;
  memcpy (&wanted, body, sizeof wanted);
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
    return -errno;
  umask (022); /* as in the document */
  r = lower_limits (&wanted);
  if (r == 0)
    r = be_ordinary ();
  return r < 0 ? r : load_filter (body + sizeof wanted, size);
}
