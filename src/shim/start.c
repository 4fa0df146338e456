/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* start: proves the posture after everything that the engine does, and before the command runs. */
#include <config.h>

#include "shim-verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "base-number.h"
#include "shim-audit.h"
#include "shim-handover.h"
#include "shim-network.h"
#include "shim-observe.h"

static int read_pid (const char *path, pid_t *ret_pid, struct error *err)
{
  cleanup_free char *text = NULL;
  uint64_t pid = 0;
  int r = file_read (AT_FDCWD, path, 64, &text, NULL, err);

  if (r < 0)
    return r;
  text[strcspn (text, " \n")] = '\0';
  if (!number_parse (text, LIMIT_PIDS_MAX, &pid) || pid < 2)
    return error_set (err, -EINVAL, "'%s' does not hold the number of a process", path);
  *ret_pid = (pid_t) pid;
  return 0;
}

static int start_unproven (struct call *call, struct error *err)
{
  cleanup_free char *path = NULL;
  struct audit audit = { 0 };
  int status = 0, r = call_runtime (call, &path, err);

  if (r == 0)
    r = call_audit (call, &audit, err);
  if (r == 0)
    r = audit_log_started (&audit.log, NULL, err);
  call_audit_end (call, &audit);
  if (r == 0)
    r = handover_wait (path, call->command->argv, -1, &status, err);
  return r < 0 ? r : status;
}

/* Records a refusal, so that a sweep can remove the container, or that exec is allowed from now on. */
static void remember_outcome (struct call *call, bool refused)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_record struct record now = { 0 };
  bool found = false;
  cleanup_close int lock = record_hold (call->state, call->command, &now, &found, &ignored);

  if (lock < 0 || !found || !record_is_same (&now, &call->record))
    return;
  call->record.refused = now.refused = refused;
  call->record.started = now.started = !refused;
  record_write (call->state, call->command, &now, &ignored);
}

/* A container that runs already, or has ended, is not touched. The pidfd was opened before the low-level
 * runtime is asked, so the answer is about that process. */
static int check_waiting (const struct call *call, pid_t pid, int pidfd, struct error *err)
{
  struct pollfd ended = { .fd = pidfd, .events = POLLIN };
  struct low_level_state state;
  cleanup_free char *path = NULL;
  int r = call_runtime (call, &path, err);

  if (r < 0)
    return r;
  if (call_state (call, path, &state) != LOW_LEVEL_KNOWN)
    return error_set (err, -ENOENT, "the low-level runtime does not say that container '%s' is there",
                      call->command->id);
  if (strcmp (state.status, "created") != 0)
    return error_set (err, -EBUSY, "container '%s' does not wait to be started: it is %s", call->command->id,
                      state.status);
  if ((call->record.proof && state.pid != pid) || poll (&ended, 1, 0) != 0)
    return error_set (err, -ESRCH, "process %d is not the one that container '%s' waits in", (int) pid,
                      call->command->id);
  return 0;
}

static int start (struct call *call, pid_t pid, int pidfd, struct error *err)
{
  int r = call->record.no_network ? network_empty (pid, err) : 0;

  if (r == 0)
    r = call->record.proof ? observe_start (call, pid, pidfd, err) : start_unproven (call, err);
  if (r < 0)
    call_refuse (call, NULL, NULL, err);
  if (r <= 0)
    remember_outcome (call, r < 0);
  return r;
}

int call_start (struct call *call, pid_t *ret_pid, struct error *err)
{
  cleanup_close int pidfd = -1;
  pid_t pid = 0;
  int r;

  if (!call->known)
    return error_set (err, -ENOENT, "container '%s' was not made by this runtime",
                      call->command->id ? call->command->id : "");
  r = read_pid (call->record.pid_file, &pid, err);
  if (r == 0) {
    pidfd = pidfd_open (pid, 0);
    r = pidfd < 0 ? error_set_errno (err, errno, "take hold of process %d", (int) pid) : 0;
  }
  if (r == 0)
    r = check_waiting (call, pid, pidfd, err);
  if (r < 0) {
    call_refuse (call, NULL, NULL, err);
    return r;
  }
  *ret_pid = pid;
  return start (call, pid, pidfd, err);
}

int verb_start (struct call *call, struct error *err)
{
  pid_t pid = 0;

  return call_start (call, &pid, err);
}
