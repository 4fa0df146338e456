/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "libcrun-helper-compat.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libcrun's headers expect this from their own config.h. */
#define LIBCRUN_PUBLIC
#ifndef HAVE_ERROR_H
#define HAVE_ERROR_H 1
#endif
#include <libcrun/container.h>

#include "base-cleanup.h"
#include "base-str.h"

#define ERRNO_MAX 4095 /* the kernel's limit */

/* One call: libcrun's context, and its output. */
struct call {
  libcrun_context_t context;
  struct strbuf log;
  FILE *stream; /* what stderr is replaced with; writes to the log */
  FILE *before; /* the original stderr */
  pid_t pid;    /* of this process */
};

static void call_clear (struct call *call)
{
  if (call->before != NULL)
    stderr = call->before;
  if (call->stream != NULL)
    fclose (call->stream);
  strbuf_clear (&call->log);
}

/* The container's first process inherits the stream, but its copy of the log is never read. */
static ssize_t collect (void *cookie, const char *text, size_t len)
{
  struct call *call = cookie;

  if (getpid () != call->pid)
    return write (STDERR_FILENO, text, len);
  strbuf_add_bytes (&call->log, text, len);
  return (ssize_t) len;
}

/* libcrun has a handler for log messages, but some versions also write errors to stderr, and others use the
 * handler's argument as a stream. All of them work with stderr, so that is replaced: glibc allows to assign
 * it. */
static int call_init (struct call *call, const struct helper_request *request, struct error *err)
{
  call->pid = getpid ();
  call->stream = fopencookie (call, "w", (cookie_io_functions_t){ .write = collect });
  if (call->stream == NULL)
    return error_oom (err);
  setvbuf (call->stream, NULL, _IONBF, 0);
  call->before = stderr;
  stderr = call->stream;
  call->context.output_handler = log_write_to_stderr;
  call->context.state_root = request->state;
  call->context.id = request->id;
  call->context.bundle = request->bundle;
  call->context.console_socket = request->console_socket;
  call->context.preserve_fds = request->preserve_fds;
  call->context.force_no_cgroup = request->no_cgroup;
  call->context.fifo_exec_wait_fd = -1;
  call->context.detach = true;
  /* Otherwise the container would have the keys in the caller's keyring. */
  call->context.no_new_keyring = false;
  return 0;
}

/* Joins the lines of TEXT: libcrun and its parsers write several, with arrows to the position. */
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

/* Turns libcrun's error into ours, and frees it. */
static int call_failed (struct call *call, const char *what, libcrun_error_t said, struct error *err)
{
  int errnum = said != NULL ? said->status : 0;
  char *why = said != NULL ? said->msg : NULL;
  char *log = call->log.len > 0 ? call->log.text : NULL;

  /* Some of libcrun's errors have no errno, or an invalid one. */
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

int helper_create (const struct helper_request *request, const char *spec, const char *pid_file,
                   struct error *err)
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
  call.context.pid_file = pid_file;
  /* Without the option to fork: this process exists for this call only, and must get the error. */
  if (libcrun_container_create (&call.context, container, 0, &said) < 0)
    return call_failed (&call, "cannot create the container", said, err);
  return 0;
}

/* A hook that ends without reading its input must not end this process. Only for start and delete: a
 * container inherits the disposition at create, where libcrun blocks all signals anyway. */
static void ignore_broken_pipes (void)
{
  signal (SIGPIPE, SIG_IGN);
}

int helper_start (const struct helper_request *request, struct error *err)
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

int helper_delete (const struct helper_request *request, struct error *err)
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
