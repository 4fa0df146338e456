/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "daemon-caller-request.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon-peer.h"
#include "wire-daemon-text.h"
#include "wire-receive.h"

void handed_clear (struct handed *handed)
{
  for (size_t i = 0; i < DAEMON_FDS; i++)
    close_p (&handed->fds[i]);
  close_p (&handed->connection);
  free (handed->argv);
  free (handed->env);
  free (handed->text);
  *handed = (struct handed) HANDED_NONE;
}

/* Read only once: the caller can still write to its memory file. */
static int read_text (struct handed *handed)
{
  size_t size = handed->request.size;
  int fd = handed->fds[DAEMON_ARGV];

  /* Only memory files have seals, and reading one never blocks. */
  if (fcntl (fd, F_GET_SEALS) < 0)
    return -EPROTO;
  handed->text = malloc (size + 1);
  if (handed->text == NULL)
    return -ENOMEM;
  for (size_t done = 0; done < size;) {
    ssize_t n = pread (fd, handed->text + done, size - done, (off_t) done);

    if (n <= 0)
      return n < 0 ? -errno : -EPROTO;
    done += (size_t) n;
  }
  handed->text[size] = '\0';
  return 0;
}

static int read_strings (struct handed *handed)
{
  int r = daemon_request_check (&handed->request);

  if (r == 0)
    r = read_text (handed);
  return r < 0 ? r : daemon_request_split (&handed->request, handed->text, &handed->argv, &handed->env);
}

static int receive (int from, struct handed *handed)
{
  ssize_t n = descriptors_receive (from, &handed->request, sizeof (handed->request), handed->fds, DAEMON_FDS,
                                   MSG_DONTWAIT);

  if (n != (ssize_t) sizeof (handed->request) || handed->fds[0] < 0)
    return n < 0 ? (int) n : -EPROTO;
  return read_strings (handed);
}

int handed_receive (int connection, struct handed *ret_handed)
{
  cleanup_handed struct handed handed = HANDED_NONE;
  int r;

  handed.connection = connection;
  /* Before the request is read, because requests decide which sandboxes are prewarmed. */
  if (!peer_is_same_user (connection, &handed.caller) || !peer_is_like_us (connection, handed.caller)) {
    handed_tell (connection, DAEMON_DECLINED, 0);
    return -EPERM;
  }
  r = receive (connection, &handed);
  if (r == 0) {
    *ret_handed = handed;
    handed = (struct handed) HANDED_NONE;
  }
  return r;
}

int handed_pass (const struct handed *handed, int to)
{
  int fds[DAEMON_FDS + 1];

  memcpy (fds, handed->fds, sizeof (handed->fds));
  fds[DAEMON_FDS] = handed->connection;
  return descriptors_send (to, &handed->request, sizeof (handed->request), fds, DAEMON_FDS + 1, MSG_DONTWAIT);
}

int handed_take (int from, struct handed *ret_handed)
{
  cleanup_handed struct handed handed = HANDED_NONE;
  int fds[DAEMON_FDS + 1], r;
  ssize_t n = descriptors_receive (from, &handed.request, sizeof (handed.request), fds, DAEMON_FDS + 1, 0);

  if (n != (ssize_t) sizeof (handed.request) || fds[0] < 0)
    return n < 0 ? (int) n : -EPIPE;
  memcpy (handed.fds, fds, sizeof (handed.fds));
  handed.connection = fds[DAEMON_FDS];
  if (!peer_is_same_user (handed.connection, &handed.caller))
    return -EPERM;
  r = read_strings (&handed);
  if (r == 0) {
    *ret_handed = handed;
    handed = (struct handed) HANDED_NONE;
  }
  return r;
}

static int take_limits (const struct daemon_request *request)
{
  for (unsigned i = 0; i < RLIM_NLIMITS; i++) {
    const struct rlimit wanted = { request->limits[i].soft, request->limits[i].hard };
    struct rlimit have;

    if (getrlimit (i, &have) < 0)
      return -errno;
    if ((have.rlim_cur != wanted.rlim_cur || have.rlim_max != wanted.rlim_max) && setrlimit (i, &wanted) < 0)
      return -errno;
  }
  return 0;
}

bool handed_has_our_processors (const struct handed *handed)
{
  cpu_set_t ours, theirs;

  return sched_getaffinity (handed->caller, sizeof (theirs), &theirs) == 0
         && sched_getaffinity (0, sizeof (ours), &ours) == 0 && CPU_EQUAL (&ours, &theirs);
}

static int take_processors (const struct handed *handed)
{
  cpu_set_t theirs;

  if (handed_has_our_processors (handed))
    return 0;
  return sched_getaffinity (handed->caller, sizeof (theirs), &theirs) < 0
                 || sched_setaffinity (0, sizeof (theirs), &theirs) < 0
             ? -errno
             : 0;
}

static int take_streams (struct handed *handed)
{
  unsigned connection = (unsigned) handed->connection;

  for (int i = DAEMON_IN; i <= DAEMON_ERR; i++) {
    if (handed->fds[i] <= STDERR_FILENO || dup2 (handed->fds[i], i) < 0)
      return -EBADF;
    close_p (&handed->fds[i]);
    handed->fds[i] = -1;
  }
  return connection <= STDERR_FILENO ? -EBADF : 0;
}

int handed_become (struct handed *handed)
{
  const struct daemon_request *request = &handed->request;
  int r = take_streams (handed);

  if (r == 0)
    r = take_limits (request);
  if (r == 0)
    r = take_processors (handed);
  if (r == 0 && getpriority (PRIO_PROCESS, 0) != request->nice
      && setpriority (PRIO_PROCESS, 0, request->nice) < 0)
    r = -errno;
  if (r == 0 && fchdir (handed->fds[DAEMON_DIRECTORY]) < 0)
    r = -errno;
  if (r < 0)
    return r;
  umask (request->umask & 0777);
  environ = handed->env;
  for (int i = DAEMON_DIRECTORY; i < DAEMON_FDS; i++) {
    close_p (&handed->fds[i]);
    handed->fds[i] = -1;
  }
  return 0;
}

bool handed_tell (int connection, enum daemon_type type, int value)
{
  const struct daemon_reply reply = {
    .magic = DAEMON_MAGIC, .version = DAEMON_VERSION, .type = (uint16_t) type, .value = value
  };

  return send (connection, &reply, sizeof (reply), MSG_NOSIGNAL) == (ssize_t) sizeof (reply);
}
