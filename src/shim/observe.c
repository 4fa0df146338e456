#include <config.h>

#include "shim-observe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "base-path.h"
#include "posture-posture.h"
#include "proof-outside.h"
#include "shim-audit.h"
#include "shim-handover.h"
#include "shim-log.h"
#include "shim-promised.h"
#include "shim-remount.h"
#include "wire-init.h"

/* A container that has been started calls within milliseconds; a loaded host may take its time. */
#define CALL_MS  30000
#define SLICE_MS 50

struct observer {
  struct call *call;
  pid_t pid;
  int pidfd; /* the caller's */
  int directory, rendezvous, talk;
  pid_t starter; /* the low-level runtime's start; 0: it has ended */
  int status;    /* with this */
  struct policy policy;
  struct json_node *config;
  struct promised promised;
  struct inside inside;
  size_t asked;
  struct error *err;
};

static void observer_clear (struct observer *o)
{
  if (o->directory >= 0)
    unlinkat (o->directory, RENDEZVOUS_SOCKET, 0);
  close_p (&o->directory);
  close_p (&o->rendezvous);
  close_p (&o->talk);
  promised_clear (&o->promised);
  inside_clear (&o->inside);
  json_free (o->config);
  policy_clear (&o->policy);
}
#define cleanup_observer cleanup (observer_clear)

/* The path may be longer than a socket's address can be; the directory's descriptor is not. */
static int open_rendezvous (struct observer *o)
{
  cleanup_free char *directory = record_directory (o->call->state, o->call->command);
  cleanup_free char *rendezvous = directory ? str_format ("%s/door", directory) : NULL;
  struct sockaddr_un address = { .sun_family = AF_UNIX };

  if (rendezvous == NULL)
    return error_oom (o->err);
  o->directory = open (rendezvous, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  o->rendezvous = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (o->directory < 0 || o->rendezvous < 0)
    return error_set_errno (o->err, errno, "open the way to the container");
  unlinkat (o->directory, RENDEZVOUS_SOCKET, 0);
  snprintf (address.sun_path, sizeof (address.sun_path), "/proc/self/fd/%d/" RENDEZVOUS_SOCKET, o->directory);
  /* The container's user is nobody here; who calls is asked of the kernel. */
  if (bind (o->rendezvous, (const struct sockaddr *) &address, sizeof (address)) < 0
      || fchmodat (o->directory, RENDEZVOUS_SOCKET, 0666, 0) < 0 || listen (o->rendezvous, 4) < 0)
    return error_set_errno (o->err, errno, "listen for the container");
  return 0;
}

/* The profile and the specification once more: nothing of create's is left in memory. */
static int load (struct observer *o)
{
  cleanup_free char *text = NULL;
  cleanup_strlist struct strlist sources = { 0 };
  size_t len = 0;
  int r = file_read (AT_FDCWD, o->call->record.config, LIMIT_SPEC_BYTES, &text, &len, o->err);

  if (r == 0)
    r = spec_read ("config.json", text, len, &o->config, o->err);
  if (r == 0)
    r = call_policy (o->call, &o->policy, o->err);
  if (r == 0)
    r = spec_sources (o->config, &sources, o->err);
  for (size_t i = 0; r == 0 && i < sources.count; i++)
    r = host_look_path (o->policy.host, sources.items[i], o->err);
  return r;
}

/* A working directory by way of a link of the image's shows as what the link leads to. What cannot be found
 * stays as it was written: the runtime makes it. */
static int resolve_cwd (struct observer *o)
{
  struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
  cleanup_free char *path = str_format ("/proc/%d/root", (int) o->pid);
  cleanup_close int root = path ? open (path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1, fd = -1;
  char link[64], found[LIMIT_PATH_BYTES + 1];
  ssize_t n;
  char *cwd;

  if (root >= 0)
    fd = (int) syscall (SYS_openat2, root, o->promised.cwd, &how, sizeof (how));
  if (fd < 0)
    return 0;
  snprintf (link, sizeof (link), "/proc/self/fd/%d", fd);
  n = readlink (link, found, sizeof (found) - 1);
  if (n <= 0)
    return 0;
  found[n] = '\0';
  if (!path_is_normal (found))
    return 0;
  cwd = strdup (found);
  if (cwd == NULL)
    return error_oom (o->err);
  free (o->promised.cwd);
  o->promised.promises.cwd = o->promised.cwd = cwd;
  return 0;
}

static int make_questions (struct observer *o)
{
  cleanup_free char *path = str_format ("/proc/%d/cgroup", (int) o->pid), *group = NULL;
  cleanup_questions struct questions questions = { 0 };
  int r = path ? file_read (AT_FDCWD, path, LIMIT_STATE_BYTES, &group, NULL, o->err) : error_oom (o->err);

  if (r == 0)
    r = promised_by_spec (&o->policy, o->config, group, &o->promised, o->err);
  if (r == 0)
    r = resolve_cwd (o);
  if (r == 0)
    r = questions_make (&o->promised.promises, &questions, o->err);
  return r < 0 ? r : inside_new (&questions, &o->inside, o->err);
}

static void start_low_level (struct observer *o, const char *path)
{
  o->starter = fork ();
  if (o->starter == 0) {
    handover_exec (path, o->call->command->argv, NULL);
    _exit (127);
  }
}

/* Whether the starter has ended by now. */
static bool starter_ended (struct observer *o, int flags)
{
  int status;

  if (o->starter == 0 || waitpid (o->starter, &status, flags) != o->starter)
    return o->starter == 0;
  o->starter = 0;
  o->status = WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
  return true;
}

/* Waits for FD, as long as there is somebody to wait for. */
static int await (struct observer *o, int fd)
{
  for (int waited = 0; waited < CALL_MS; waited += SLICE_MS) {
    struct pollfd fds[2] = { { fd, POLLIN, 0 }, { o->pidfd, POLLIN, 0 } };
    int n = poll (fds, 2, SLICE_MS);

    if (n > 0 && fds[0].revents != 0)
      return 0;
    if (n > 0 && fds[1].revents != 0)
      return error_set (o->err, -EPIPE, "the container ended before its posture was proven");
    if (starter_ended (o, WNOHANG) && o->status != 0)
      return error_set (o->err, -ECHILD, "the low-level runtime could not start the container");
  }
  return error_set (o->err, -ETIMEDOUT, "init did not call within %d seconds", CALL_MS / 1000);
}

static int accept_call (struct observer *o)
{
  for (;;) {
    cleanup_close int fd = -1;
    struct ucred who;
    socklen_t size = sizeof (who);
    int r = await (o, o->rendezvous);

    if (r < 0)
      return r;
    fd = accept4 (o->rendezvous, NULL, NULL, SOCK_CLOEXEC);
    /* Somebody else who found the way is not listened to. */
    if (fd < 0 || getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0 || who.pid != o->pid)
      continue;
    o->talk = take_fd (&fd);
    return 0;
  }
}

static int hear (struct observer *o, void *bytes, size_t size)
{
  for (char *at = bytes; size > 0;) {
    int r = await (o, o->talk);
    ssize_t n = r < 0 ? 0 : recv (o->talk, at, size, MSG_DONTWAIT);

    if (r < 0)
      return r;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
      continue;
    if (n <= 0)
      return error_set (o->err, -EPIPE, "init ended before the command was started");
    at += n;
    size -= (size_t) n;
  }
  return 0;
}

/* One packet, as init reads one. */
static int say (struct observer *o, enum handshake_type type, const void *bytes, size_t length)
{
  const struct handshake_header header = { HANDSHAKE_MAGIC, HANDSHAKE_VERSION, (uint16_t) type,
                                           (uint32_t) length };
  cleanup_free char *packet = malloc (sizeof (header) + length);

  if (packet == NULL)
    return error_oom (o->err);
  memcpy (packet, &header, sizeof (header));
  if (length > 0)
    memcpy (packet + sizeof (header), bytes, length);
  if (send (o->talk, packet, sizeof (header) + length, MSG_NOSIGNAL) != (ssize_t) (sizeof (header) + length))
    return error_set_errno (o->err, errno, "speak to init");
  return 0;
}

static int receive_header (struct observer *o, enum handshake_type type, uint32_t most, uint32_t *ret_length)
{
  struct handshake_header header;
  int r = hear (o, &header, sizeof (header));

  if (r < 0)
    return r;
  if (header.magic != HANDSHAKE_MAGIC || header.version != HANDSHAKE_VERSION || header.type != type
      || header.length > most)
    return error_set (o->err, -EPROTO, "init said something that was not asked");
  *ret_length = header.length;
  return 0;
}

static int ask_all (struct observer *o)
{
  cleanup_free uint8_t *batch = malloc (LIMIT_ASK_BYTES), *bytes = malloc (LIMIT_REPORT_BYTES);

  if (batch == NULL || bytes == NULL)
    return error_oom (o->err);
  while (o->asked < o->inside.questions.count) {
    size_t from = o->asked, used = questions_write (&o->inside.questions, &o->asked, batch, LIMIT_ASK_BYTES);
    uint32_t length = 0;
    int r;

    if (o->asked == from)
      return error_set (o->err, -E2BIG, "a question to init is longer than %u bytes", LIMIT_ASK_BYTES);
    r = say (o, HANDSHAKE_ASK, batch, used);
    if (r == 0)
      r = receive_header (o, HANDSHAKE_ANSWER, LIMIT_REPORT_BYTES, &length);
    if (r == 0)
      r = hear (o, bytes, length);
    if (r == 0)
      r = inside_read (&o->inside, from, o->asked, bytes, length, o->err);
    if (r < 0)
      return r;
  }
  return 0;
}

static int write_start (struct observer *o, const struct posture *posture)
{
  struct audit audit = { 0 };
  int r = call_audit (o->call, &audit, o->err);

  if (r == 0)
    r = audit_log_started (&audit.trail, posture, o->err);
  call_audit_end (o->call, &audit);
  return r;
}

static int judge (struct observer *o)
{
  cleanup_free char *init = handover_init (o->err), *broken = NULL, *line = NULL;
  cleanup_outside struct outside outside = { 0 };
  cleanup_posture struct posture *posture = NULL;
  const struct promises *promises = &o->promised.promises;
  const struct outside_subject subject = {
    .promises = promises, .pid = o->pid, .init = init, .state = o->call->state
  };
  int r = init ? outside_look_around (promises, &outside, o->err) : error_oom (o->err);

  if (r == 0)
    r = outside_look (&subject, &outside, o->err);
  if (r == 0)
    r = posture_judge (promises, &o->inside, &outside, &posture, o->err);
  if (r < 0)
    return r;
  if (posture->overall == OVERALL_VIOLATED) {
    broken = posture_broken_text (posture);
    if (broken == NULL)
      return error_oom (o->err);
    r = error_set (o->err, -EPERM,
                   "a promise of profile '%s' does not hold, and the command was not started: %s",
                   o->policy.spec.profile, broken);
    call_refuse (o->call, NULL, posture, o->err);
    return r;
  }
  r = write_start (o, posture);
  if (r < 0)
    return r;
  line = str_format ("tyrum: posture %s", overall_text (posture->overall));
  if (line != NULL)
    log_write (o->call->command, LOG_LEVEL_INFO, line);
  return 0;
}

static int observe (struct observer *o, const char *path)
{
  uint32_t none = 0;
  int r = load (o);

  if (r == 0)
    r = make_questions (o);
  if (r == 0)
    r = open_rendezvous (o);
  if (r < 0)
    return r;
  remount_mounts (&o->promised.promises, o->pidfd);
  start_low_level (o, path);
  if (o->starter < 0)
    return error_set_errno (o->err, errno, "start '%s'", path);
  r = accept_call (o);
  if (r == 0)
    r = receive_header (o, HANDSHAKE_HELLO, 0, &none);
  if (r == 0)
    r = ask_all (o);
  if (r == 0)
    r = judge (o);
  unlinkat (o->directory, RENDEZVOUS_SOCKET, 0);
  return r < 0 ? r : say (o, HANDSHAKE_GO, NULL, 0);
}

int observe_start (struct call *call, pid_t pid, int pidfd, struct error *err)
{
  cleanup_observer struct observer o = {
    .call = call, .pid = pid, .pidfd = pidfd, .directory = -1, .rendezvous = -1, .talk = -1, .err = err
  };
  cleanup_free char *path = NULL;
  int r;

  r = call_runtime (call, &path, err);
  if (r == 0)
    r = observe (&o, path);
  if (r < 0)
    pidfd_send_signal (o.pidfd, SIGKILL, NULL, 0);
  while (o.starter > 0 && !starter_ended (&o, 0))
    continue;
  return r < 0 ? r : o.status;
}
