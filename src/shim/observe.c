/* SPDX-License-Identifier: LGPL-2.1-or-later */
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "base-path.h"
#include "proof-proof.h"
#include "shim-audit.h"
#include "shim-container-plan.h"
#include "shim-handover.h"
#include "shim-log.h"
#include "shim-promised.h"
#include "shim-tmp-mode.h"

/* A container that has been started calls within milliseconds; a loaded host may take its time. */
#define CALL_MS  30000
#define SLICE_MS 50

struct observer {
  struct call *call;
  pid_t pid;
  int pidfd; /* the caller's */
  int directory, rendezvous, socket;
  pid_t starter; /* the low-level runtime's start; 0: it has ended */
  int status;    /* with this */
  struct policy policy;
  struct json_node *config;
  struct promised promised;
  struct talk talk;
  struct proof proof;
  struct error *err;
};

static void observer_clear (struct observer *o)
{
  if (o->directory >= 0)
    unlinkat (o->directory, RENDEZVOUS_SOCKET, 0);
  close_p (&o->directory);
  close_p (&o->rendezvous);
  close_p (&o->socket);
  talk_clear (&o->talk);
  proof_clear (&o->proof);
  promised_clear (&o->promised);
  json_free (o->config);
  policy_clear (&o->policy);
}
#define cleanup_observer cleanup (observer_clear)

static int open_rendezvous (struct observer *o)
{
  cleanup_free char *directory = record_directory (o->call->state, o->call->command);
  cleanup_free char *rendezvous = directory ? str_format ("%s/rendezvous", directory) : NULL;

  if (rendezvous == NULL)
    return error_oom (o->err);
  o->directory = open (rendezvous, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (o->directory < 0)
    return error_set_errno (o->err, errno, "open the way to the container");
  o->rendezvous = rendezvous_open (o->directory, o->err);
  return o->rendezvous < 0 ? o->rendezvous : 0;
}

static int load (struct observer *o)
{
  cleanup_free char *directory = record_directory (o->call->state, o->call->command);
  cleanup_free char *plan = directory ? str_format ("%s/" CONTAINER_PLAN, directory) : NULL;
  int r = plan ? container_plan_read (plan, &o->config, o->err) : error_oom (o->err);

  return r < 0 ? r : call_policy (o->call, &o->policy, o->err);
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

static int make_promises (struct observer *o)
{
  cleanup_free char *path = str_format ("/proc/%d/cgroup", (int) o->pid), *group = NULL;
  int r = path ? file_read (AT_FDCWD, path, LIMIT_STATE_BYTES, &group, NULL, o->err) : error_oom (o->err);

  if (r == 0)
    r = promised_by_spec (&o->policy, o->config, group, &o->promised, o->err);
  return r < 0 ? r : resolve_cwd (o);
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

/* The first hook that runs inside between our start and init's call. */
static const char *start_hook (const struct json_node *config)
{
  const struct json_node *hooks = json_get (json_get (config, "hooks"), "startContainer");
  const struct json_node *path = hooks != NULL && hooks->type == JSON_ARRAY && hooks->count > 0
                                     ? json_get (hooks->items[0], "path")
                                     : NULL;

  return path != NULL && path->type == JSON_STRING ? path->text : NULL;
}

static int ended_early (struct observer *o)
{
  const char *hook = start_hook (o->config);

  return hook ? error_set (o->err, -EPIPE,
                           "the container ended before its posture was proven: its startContainer hook '%s' "
                           "failed, or another that follows it",
                           hook)
              : error_set (o->err, -EPIPE, "the container ended before its posture was proven");
}

/* Waits for FD while the container's process lives and the low-level runtime has not failed. */
static int await (struct observer *o, int fd)
{
  for (int waited = 0; waited < CALL_MS; waited += SLICE_MS) {
    struct pollfd fds[2] = { { fd, POLLIN, 0 }, { o->pidfd, POLLIN, 0 } };
    int n = poll (fds, 2, SLICE_MS);

    if (n > 0 && fds[0].revents != 0)
      return 0;
    if (n > 0 && fds[1].revents != 0)
      return ended_early (o);
    if (starter_ended (o, WNOHANG) && o->status != 0)
      return error_set (o->err, -ECHILD, "the low-level runtime could not start the container");
  }
  return error_set (o->err, -ETIMEDOUT, "init did not call within %d seconds", CALL_MS / 1000);
}

/* Connections of other processes than the container's first are closed. */
static int accept_call (struct observer *o)
{
  while (o->socket < 0) {
    int r = await (o, o->rendezvous);

    if (r < 0)
      return r;
    o->socket = rendezvous_accept (o->rendezvous, o->pid);
  }
  o->talk.from = o->talk.to = o->socket;
  o->talk.pid = o->pid;
  return 0;
}

static int ask (struct observer *o)
{
  const struct promises *promises = &o->promised.promises;
  int r;

  while ((r = talk_receive (&o->talk, HANDSHAKE_HELLO, 0, o->err)) == 0)
    if (await (o, o->socket) < 0)
      return o->err->code;
  if (r > 0)
    r = proof_begin (&o->proof, promises, NULL, &o->talk, o->err);
  if (r < 0)
    return r;
  while ((r = proof_receive (&o->proof, promises, &o->talk, o->pidfd, o->err)) == 0)
    if (await (o, o->socket) < 0)
      return o->err->code;
  return r < 0 ? r : 0;
}

static int write_start (struct observer *o, const struct posture *posture)
{
  struct audit audit = { 0 };
  int r = call_audit (o->call, &audit, o->err);

  if (r == 0)
    r = audit_log_started (&audit.log, posture, o->err);
  call_audit_end (o->call, &audit);
  return r;
}

static int judge (struct observer *o)
{
  cleanup_free char *init = handover_init (o->err), *broken = NULL, *line = NULL;
  cleanup_posture struct posture *posture = NULL;
  const struct promises *promises = &o->promised.promises;
  const struct outside_subject subject = {
    .promises = promises, .pid = o->pid, .init = init, .state = o->call->state
  };
  int r = init ? proof_look (&o->proof, &subject, o->err) : error_oom (o->err);

  if (r == 0)
    r = proof_judge (&o->proof, promises, o->pid, &posture, o->err);
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
  int r = load (o);

  if (r == 0)
    r = make_promises (o);
  if (r == 0)
    r = open_rendezvous (o);
  if (r < 0)
    return r;
  tmp_mode_restore (&o->promised.promises, o->pidfd);
  start_low_level (o, path);
  if (o->starter < 0)
    return error_set_errno (o->err, errno, "start '%s'", path);
  r = accept_call (o);
  if (r == 0)
    r = ask (o);
  if (r == 0)
    r = judge (o);
  unlinkat (o->directory, RENDEZVOUS_SOCKET, 0);
  return r < 0 ? r : talk_send (&o->talk, HANDSHAKE_GO, NULL, 0, o->err);
}

int observe_start (struct call *call, pid_t pid, int pidfd, struct error *err)
{
  cleanup_observer struct observer o = { .call = call,
                                         .pid = pid,
                                         .pidfd = pidfd,
                                         .directory = -1,
                                         .rendezvous = -1,
                                         .socket = -1,
                                         .talk = TALK_NONE,
                                         .proof = PROOF_NONE,
                                         .err = err };
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
