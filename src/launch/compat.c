#include <config.h>

#include "launch-compat.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What libcrun's headers expect of their own config.h. */
#define LIBCRUN_PUBLIC
#ifndef HAVE_ERROR_H
#define HAVE_ERROR_H 1
#endif
#include <libcrun/container.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-number.h"

#define ERRNO_MAX 4095 /* the kernel's bound */
#define PID_BYTES ((size_t) 32)

/* One call: what libcrun is told, and what it said. The log has to be a stream, for libcrun takes the
 * argument of the handler for one when it writes warnings. */
struct call {
  libcrun_context_t context;
  FILE *log;
  char *text; /* of the log, whole after a flush */
  size_t len;
  char *pid_file;
};

static void call_clear (struct call *call)
{
  if (call->pid_file != NULL)
    unlink (call->pid_file);
  free (call->pid_file);
  if (call->log != NULL)
    fclose (call->log);
  free (call->text);
}

static void collect (int errnum, const char *message, LIBCRUN_LOG_LEVEL level, void *stream)
{
  (void) level;
  if (errnum != 0)
    fprintf (stream, "%s: %s\n", message, strerror (errnum));
  else
    fprintf (stream, "%s\n", message);
}

static int call_init (struct call *call, const struct launch_request *request, struct error *err)
{
  call->log = open_memstream (&call->text, &call->len);
  if (call->log == NULL || asprintf (&call->pid_file, "%s/%s.pid", request->state, request->id) < 0) {
    call->pid_file = NULL;
    return error_oom (err);
  }
#if LIBCRUN_SET_HANDLER_ARGUMENTS == 3
  crun_set_output_handler (collect, call->log, false);
#else
  crun_set_output_handler (collect, call->log);
#endif
  call->context.output_handler = collect;
  call->context.output_handler_arg = call->log;
  call->context.state_root = request->state;
  call->context.id = request->id;
  call->context.bundle = request->bundle;
  call->context.console_socket = request->console_socket;
  call->context.preserve_fds = request->preserve_fds;
  call->context.force_no_cgroup = request->no_cgroup;
  call->context.fifo_exec_wait_fd = -1;
  call->context.detach = true;
  /* A keyring of the container's own, or it would have the keys in the caller's. */
  call->context.no_new_keyring = false;
  return 0;
}

/* libcrun and the parsers below it write over several lines, with arrows to the place. */
static void squeeze (char *text)
{
  char *to = text;

  for (const char *from = text; *from != '\0'; from++) {
    bool blank = (unsigned char) *from <= ' ';

    if (!blank)
      *to++ = *from;
    else if (to > text && to[-1] != ' ')
      *to++ = ' ';
  }
  if (to > text && to[-1] == ' ')
    to--;
  *to = '\0';
}

/* Turns what libcrun says into an error of ours, and frees it. */
static int call_failed (struct call *call, const char *what, libcrun_error_t said, struct error *err)
{
  int errnum = said != NULL ? said->status : 0;
  char *why = said != NULL ? said->msg : NULL;
  char *log = fflush (call->log) == 0 && call->len > 0 ? call->text : NULL;

  /* Some of libcrun's errors carry no errno, or a number that is none. */
  if (errnum <= 0 || errnum > ERRNO_MAX)
    errnum = EIO;
  if (why != NULL)
    squeeze (why);
  if (log != NULL)
    squeeze (log);
  error_set (err, -errnum, "%s: %s%s%s%s%s", what, why != NULL ? why : "",
             why != NULL && log != NULL ? "; " : "", log != NULL ? log : "", errnum != EIO ? ": " : "",
             errnum != EIO ? strerror (errnum) : "");
  libcrun_error_release (&said);
  return -errnum;
}

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

int launch_create (const struct launch_request *request, const char *spec, pid_t *ret_pid, struct error *err)
{
  cleanup (call_clear) struct call call = { 0 };
  cleanup (cleanup_containerp) libcrun_container_t *container = NULL;
  libcrun_error_t said = NULL;
  int r = call_init (&call, request, err);

  if (r < 0)
    return r;
  container = libcrun_container_load_from_memory (spec, &said);
  if (container == NULL)
    return call_failed (&call, "cannot read config.json", said, err);
  call.context.pid_file = call.pid_file;
  /* Without the option to fork: this process is there for nothing else, and the error stays in it. */
  if (libcrun_container_create (&call.context, container, 0, &said) < 0)
    return call_failed (&call, "cannot create the container", said, err);
  return read_pid (call.pid_file, ret_pid, err);
}

/* A hook that ends without reading its input would end this process, too. What is made here is no
 * container, which would inherit it; for the time of launch_create libcrun blocks all signals. */
static void ignore_broken_pipes (void)
{
  signal (SIGPIPE, SIG_IGN);
}

int launch_start (const struct launch_request *request, struct error *err)
{
  cleanup (call_clear) struct call call = { 0 };
  libcrun_error_t said = NULL;
  int r = call_init (&call, request, err);

  if (r < 0)
    return r;
  ignore_broken_pipes ();
  if (libcrun_container_start (&call.context, request->id, &said) < 0)
    return call_failed (&call, "cannot start the container", said, err);
  return 0;
}

int launch_delete (const struct launch_request *request, struct error *err)
{
  cleanup (call_clear) struct call call = { 0 };
  libcrun_error_t said = NULL;
  int r = call_init (&call, request, err);

  if (r < 0)
    return r;
  ignore_broken_pipes ();
#if LIBCRUN_DELETE_TAKES_SPEC
  r = libcrun_container_delete (&call.context, NULL, request->id, true, &said);
#else
  r = libcrun_container_delete (&call.context, request->id, true, &said);
#endif
  if (r < 0)
    return call_failed (&call, "cannot delete the container", said, err);
  return 0;
}
