/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "wire-daemon-client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "wire-daemon.h"
#include "wire-receive.h"

/* How long to wait for DAEMON_TAKEN. The daemon forks before it does anything else, so one that takes longer
 * hangs. A caller that closes the connection before DAEMON_TAKEN is not served. */
#define TAKEN_MS 2000

int hand_over_connect (const char *path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  cleanup_close int fd = -1;
  struct ucred peer;
  socklen_t size = sizeof (peer);

  if (strlen (path) >= sizeof (address.sun_path))
    return -ENAMETOOLONG;
  memcpy (address.sun_path, path, strlen (path) + 1);
  /* Non-blocking: a full queue belongs to a daemon that hangs. */
  fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 || connect (fd, (const struct sockaddr *) &address, sizeof (address)) < 0
      || fcntl (fd, F_SETFL, 0) < 0)
    return -errno;
  if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.uid != geteuid ())
    return -EPERM;
  return take_fd (&fd);
}

static size_t add_all (struct strbuf *text, char *const *argv)
{
  size_t count = 0;

  for (; argv[count] != NULL; count++)
    strbuf_add_bytes (text, argv[count], strlen (argv[count]) + 1);
  return count;
}

static int write_memory (const struct strbuf *text)
{
  cleanup_close int fd = memfd_create ("tyrum-oci-argv", MFD_CLOEXEC);

  for (size_t done = 0; fd >= 0 && done < text->len;) {
    ssize_t n = write (fd, text->text + done, text->len - done);

    if (n <= 0)
      return -1;
    done += (size_t) n;
  }
  return take_fd (&fd);
}

static bool take_limits (struct daemon_request *request)
{
  for (unsigned i = 0; i < RLIM_NLIMITS; i++) {
    struct rlimit limit;

    if (getrlimit (i, &limit) < 0)
      return false;
    request->limits[i].soft = limit.rlim_cur;
    request->limits[i].hard = limit.rlim_max;
  }
  return true;
}

/* Everything that the daemon's process takes over. */
static bool send_request (int connection, char *const *argv)
{
  struct daemon_request request = { .magic = DAEMON_MAGIC, .version = DAEMON_VERSION };
  cleanup_strbuf struct strbuf text = { 0 };
  cleanup_close int directory = open (".", O_PATH | O_DIRECTORY | O_CLOEXEC), memory = -1;
  int fds[DAEMON_FDS];

  request.argv = (uint32_t) add_all (&text, argv);
  request.env = (uint32_t) add_all (&text, environ);
  if (directory < 0 || text.failed || text.len > LIMIT_DAEMON_BYTES || !take_limits (&request))
    return false;
  memory = write_memory (&text);
  if (memory < 0)
    return false;
  request.size = (uint32_t) text.len;
  request.umask = umask (0);
  umask (request.umask);
  request.nice = getpriority (PRIO_PROCESS, 0);
  fds[DAEMON_IN] = STDIN_FILENO;
  fds[DAEMON_OUT] = STDOUT_FILENO;
  fds[DAEMON_ERR] = STDERR_FILENO;
  fds[DAEMON_DIRECTORY] = directory;
  fds[DAEMON_ARGV] = memory;
  return descriptors_send (connection, &request, sizeof (request), fds, DAEMON_FDS, 0) == 0;
}

/* False at the end of the connection, or if the packet is no reply. */
static bool receive_reply (int connection, struct daemon_reply *ret_reply)
{
  ssize_t n;

  do
    n = recv (connection, ret_reply, sizeof (*ret_reply), 0);
  while (n < 0 && errno == EINTR);
  return n == (ssize_t) sizeof (*ret_reply) && ret_reply->magic == DAEMON_MAGIC
         && ret_reply->version == DAEMON_VERSION;
}

/* Signals are forwarded to the daemon's process, except those that concern only this one. */
static int watch_signals (sigset_t *ret_before)
{
  static const int not_blocked[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
  static const int not_forwarded[] = { SIGCHLD, SIGPIPE, SIGXFSZ, SIGTSTP, SIGTTIN, SIGTTOU, SIGWINCH };
  sigset_t set;

  sigfillset (&set);
  for (size_t i = 0; i < ARRAY_LEN (not_blocked); i++)
    sigdelset (&set, not_blocked[i]);
  if (sigprocmask (SIG_SETMASK, &set, ret_before) < 0)
    return -1;
  for (size_t i = 0; i < ARRAY_LEN (not_forwarded); i++)
    sigdelset (&set, not_forwarded[i]);
  return signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

struct passing {
  pid_t parent; /* of this process, at first */
  int last;     /* the last signal; 0: none came */
  bool ending;  /* one that asks for the end was passed on */
};

/* A repeated signal would kill the run at once. That of --die-with-parent is no repetition of one that the
 * parent sent before it ended. */
static bool is_repetition_of_parent (const struct passing *passing, const struct signalfd_siginfo *info)
{
  return passing->ending && info->ssi_signo == SIGTERM && info->ssi_code == SI_USER
         && (pid_t) info->ssi_pid == passing->parent && getppid () != passing->parent;
}

static void pass_signals (int signals, int process, struct passing *passing)
{
  struct signalfd_siginfo info;

  while (read (signals, &info, sizeof (info)) == (ssize_t) sizeof (info)) {
    int number = (int) info.ssi_signo;

    passing->last = number;
    if (process < 0 || is_repetition_of_parent (passing, &info))
      continue;
    passing->ending |= number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGQUIT;
    (void) syscall (SYS_pidfd_send_signal, process, number, NULL, 0);
  }
}

/* Until there is something to tear down, a signal ends the daemon's process by its default action; end this
 * one in the same way. */
static void end_likewise (int signal_number)
{
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, signal_number);
  signal (signal_number, SIG_DFL);
  raise (signal_number);
  sigprocmask (SIG_UNBLOCK, &set, NULL);
}

/* From DAEMON_TAKEN to DAEMON_ENDED. */
static int attend (int connection, int signals, pid_t pid, int *ret_status, struct error *err)
{
  cleanup_close int process = (int) syscall (SYS_pidfd_open, pid, 0);
  struct pollfd fds[] = { { connection, POLLIN, 0 }, { signals, POLLIN, 0 } };
  struct passing passing = { .parent = getppid () };
  struct daemon_reply reply;

  for (;;) {
    if (poll (fds, ARRAY_LEN (fds), -1) < 0 && errno != EINTR)
      return error_set_errno (err, errno, "wait for the daemon");
    if (fds[1].revents != 0)
      pass_signals (signals, process, &passing);
    if (fds[0].revents == 0)
      continue;
    if (!receive_reply (connection, &reply) || reply.type != DAEMON_ENDED) {
      if (passing.last != 0)
        end_likewise (passing.last);
      return error_set (err, -EPIPE,
                        "the daemon's process %d for this run was lost; 'tyrum-oci gc' finishes what it left",
                        (int) pid);
    }
    *ret_status = reply.value;
    return 1;
  }
}

/* The run must not be made twice. After a timeout this shuts the connection down for reading: a daemon that
 * cannot send DAEMON_TAKEN from then on does not make the run, and one that has sent it before is still
 * received. */
static bool was_taken (int connection, struct daemon_reply *ret_reply)
{
  struct pollfd wait = { connection, POLLIN, 0 };

  if (poll (&wait, 1, TAKEN_MS) <= 0 && poll (&wait, 1, 0) <= 0 && shutdown (connection, SHUT_RD) < 0)
    return false;
  return receive_reply (connection, ret_reply) && ret_reply->type == DAEMON_TAKEN;
}

int hand_over (int connection, char *const *argv, int *ret_status, struct error *err)
{
  struct daemon_reply reply;
  cleanup_close int signals = -1;
  sigset_t before;
  int r = 0;

  /* Before the request is sent, so that no signal is lost while the daemon's process starts. */
  signals = watch_signals (&before);
  if (signals >= 0 && send_request (connection, argv) && was_taken (connection, &reply))
    r = attend (connection, signals, reply.value, ret_status, err);
  if (r == 0)
    sigprocmask (SIG_SETMASK, &before, NULL);
  return r;
}
