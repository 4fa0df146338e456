/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tyrum-oci-libcrun-helper: makes one container through libcrun and starts it.
 *
 * Started by the supervisor, never by hand, with the descriptors that wire-libcrun-helper.h describes. It is
 * the only program that links libcrun, because libcrun changes and may end the process that calls it.
 * Single-threaded. It reports each step over the socket, and ends when the container's program runs or cannot
 * be started.
 *
 * Must never: leave a container that it has not reported, write to the standard streams once it has the
 * socket, or outlive the supervisor by more than the time it takes to remove what it made.
 */
#include <config.h>

#include "libcrun-helper-helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-number.h"
#include "base-str.h"
#include "libcrun-helper-child.h"
#include "libcrun-helper-clean.h"
#include "libcrun-helper-compat.h"
#include "libcrun-helper-control.h"
#include "libcrun-helper-helper-request.h"
#include "wire-libcrun-helper.h"

enum { EXIT_USAGE = 2 };

#define PID_BYTES ((size_t) 32)

static int read_pid (const char *path, pid_t *ret_pid, struct error *err)
{
  cleanup_free char *text = NULL;
  uint64_t pid;
  int r = file_read (AT_FDCWD, path, PID_BYTES, &text, NULL, err);

  if (r < 0)
    return r;
  if (!number_parse (text, INT32_MAX, &pid) || pid == 0)
    return error_set (err, -EIO, "cannot read '%s': '%s' is not a process id", path, text);
  *ret_pid = (pid_t) pid;
  return 0;
}

/* Both in one process. The supervisor learns of the container after the start, or after its failure. */
static int call_create_and_start (const struct helper_request *request, const char *spec, pid_t *ret_pid,
                                  struct error *err)
{
  cleanup_free char *pid_file = str_format ("%s/%s.pid", request->state, request->id);
  int r;

  if (pid_file == NULL)
    return error_oom (err);
  r = helper_create (request, spec, pid_file, err);
  if (r == 0)
    r = read_pid (pid_file, ret_pid, err);
  unlink (pid_file);
  if (r < 0)
    return r;
  helper_let_go (request->control_fd);
  return helper_start (request, err);
}

static int call_delete (const struct helper_request *request, const char *spec, pid_t *ret_pid,
                        struct error *err)
{
  (void) spec;
  (void) ret_pid;
  return helper_delete (request, err);
}

static int report (int sent, struct error *err)
{
  return sent < 0 ? error_set_errno (err, -sent, "cannot report to the supervisor") : 0;
}

static int prepare (const struct helper_request *request, struct error *err)
{
  int r;

  prctl (PR_SET_NAME, "tyrum-libcrun");
  /* Until there is something to remove. After that child_run watches the socket. */
  if (prctl (PR_SET_PDEATHSIG, SIGKILL) < 0)
    return error_set_errno (err, errno, "cannot set the parent-death signal");
  if (control_is_closed (request->control_fd))
    return error_set (err, -ECANCELED, "the supervisor has ended");
  r = helper_close_from (request->control_fd + 1, err);
  if (r == 0)
    r = helper_check_open (request->control_fd, err);
  if (r == 0)
    r = helper_clean_process (err);
  if (r == 0 && chdir (request->bundle) < 0)
    r = error_set_errno (err, errno, "cannot enter the bundle '%s'", request->bundle);
  return r;
}

static int read_spec (const struct helper_request *request, char **ret_spec, struct error *err)
{
  cleanup_free char *spec = NULL;
  size_t len;
  int r = file_read (AT_FDCWD, "config.json", LIMIT_HELPER_SPEC_BYTES, &spec, &len, err);

  if (r == 0 && strlen (spec) != len)
    r = error_set (err, -EINVAL, "cannot read 'config.json': there is a NUL in it");
  if (r < 0) {
    error_prefix (err, "bundle '%s'", request->bundle);
    return r;
  }
  *ret_spec = take_ptr (spec);
  return 0;
}

/* An existing container of this name is not ours, and must not be deleted after a failure. */
static int check_id_is_free (const struct helper_request *request, struct error *err)
{
  cleanup_free char *directory = str_format ("%s/%s", request->state, request->id);
  struct stat st;

  if (directory == NULL)
    return error_oom (err);
  if (lstat (directory, &st) == 0)
    return error_set (err, -EEXIST, "a container '%s' exists already in '%s'", request->id, request->state);
  if (errno != ENOENT)
    return error_set_errno (err, errno, "cannot look for '%s'", directory);
  return 0;
}

/* Reports the container even if it could not be started. Returns the first error. */
static int report_created (const struct helper_request *request, pid_t pid, int made, struct error *err)
{
  int sent = control_send_created (request->control_fd, pid);

  return made < 0 ? made : report (sent, err);
}

/* From the first call on, every failure is followed by a delete. */
static int make_container (const struct helper_request *request, const char *spec, struct error *err)
{
  pid_t pid = 0;
  int made, r;

  prctl (PR_SET_PDEATHSIG, 0);
  made = child_run (call_create_and_start, request, spec, &pid, err);
  r = pid > 0 ? report_created (request, pid, made, err) : made;
  if (r == 0)
    r = report (control_send_started (request->control_fd, pid), err);
  if (r < 0) {
    struct error ignored = { 0 };

    /* The first error counts; the supervisor removes what cannot be deleted here. */
    child_run (call_delete, request, spec, &pid, &ignored);
    error_clear (&ignored);
  }
  return r;
}

static int launch (const struct helper_request *request, struct error *err)
{
  cleanup_free char *spec = NULL;
  int r = prepare (request, err);

  if (r == 0)
    r = read_spec (request, &spec, err);
  if (r == 0)
    r = check_id_is_free (request, err);
  if (r == 0)
    r = make_container (request, spec, err);
  return r;
}

int helper_main (int argc, char **argv)
{
  cleanup_error struct error err = { 0 };
  struct helper_request request;

  if (helper_request_parse (argv + (argc > 0), &request, &err) < 0
      || control_adopt (request.control_fd, &err) < 0) {
    fprintf (stderr, "tyrum-oci-libcrun-helper: %s (this program is started by tyrum-oci, not by hand)\n",
             error_text (&err));
    return EXIT_USAGE;
  }
  if (launch (&request, &err) == 0)
    return EXIT_SUCCESS;
  control_send_failed (request.control_fd, &err);
  return EXIT_FAILURE;
}
