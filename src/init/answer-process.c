/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "init-answer.h"

#define FNV_START 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

#define HASH_DIGITS 16

int answer_connect (const struct asked *asked, struct answers *answers)
{
  struct sockaddr_storage address;

  (void) answers;
  if (asked->length < sizeof address.ss_family || asked->length > sizeof address)
    return -EINVAL;
  memcpy (&address, asked->bytes, asked->length);
  int fd = socket (address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return -errno;
  int r = connect (fd, (const struct sockaddr *) &address, (socklen_t) asked->length) < 0 ? -errno : 0;
  close (fd);
  return r;
}

/* FNV-1a: the supervisor knows the value that it set, and only compares. */
static void hash_text (const char *text, char ret_digits[HASH_DIGITS])
{
  uint64_t hash = FNV_START;

  for (; *text; text++)
    hash = (hash ^ (unsigned char) *text) * FNV_PRIME;
  for (int i = HASH_DIGITS - 1; i >= 0; i--, hash >>= 4)
    ret_digits[i] = "0123456789abcdef"[hash & 15];
}

int answer_environment (const struct asked *asked, struct answers *answers)
{
  int r = asked->length > 0 ? -EINVAL : 0;

  for (char **variable = environ; *variable && r == 0; variable++) {
    size_t name = strcspn (*variable, "=");
    char rest[1 + HASH_DIGITS + 1] = "=";

    hash_text (*variable + name + ((*variable)[name] == '='), rest + 1);
    r = answers_add (answers, *variable, name);
    if (r == 0)
      r = answers_add (answers, rest, sizeof rest);
  }
  return r;
}

int answer_limits (const struct asked *asked, struct answers *answers)
{
  int r = asked->length > 0 ? -EINVAL : 0;

  /* The kernel's struct is the same as the report's. */
  for (long resource = 0; resource < RLIM_NLIMITS && r == 0; resource++) {
    struct report_limit limit;

    if (syscall (SYS_prlimit64, 0, resource, NULL, &limit) < 0)
      return -errno;
    r = answers_add (answers, &limit, sizeof limit);
  }
  return r;
}

int answer_names (const struct asked *asked, struct answers *answers)
{
  struct utsname names;

  if (asked->length > 0)
    return -EINVAL;
  if (uname (&names) < 0)
    return -errno;
  return answers_add (answers, &names, sizeof names);
}
