/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input of a session: values only, as text where users write text.
 *
 * The caller owns strings and lists, and keeps them until the call returns. A field that is zero is unset:
 * the profile, the configuration or the host decides. Streams are descriptors, for which zero is a value:
 * initialise a request with SESSION_REQUEST.
 *
 * session_request_read converts it to a struct request for plan_build. Root and backend are separate, because
 * the profile can name an image or a runtime. A value that cannot be parsed is a usage error (ERROR_USAGE).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "base-str.h"
#include "control-setting.h"

struct session_process;

/* A limit that can only tighten: it has no effect where a tighter one is in force. */
struct session_limit {
  enum setting setting;
  const char *text;
  const char *origin; /* shown as the value's origin; NULL: none */
};

#define SESSION_LIMITS 4

/* The client's names for the run: an object of strings in the journal. */
struct session_label {
  const char *key, *value;
};

#define SESSION_LABELS 4

struct session_request {
  struct session_process *process; /* never NULL */
  const char *via;                 /* the client, as the journal names it */
  const char *labels_key;          /* NULL: no labels */
  struct session_label labels[SESSION_LABELS];

  const char *profile;            /* name or file; NULL: baseline */
  const struct strlist *argv;     /* the command */
  const struct strlist *env;      /* NAME or NAME=VALUE */
  char *const *caller_env;        /* from which the profile may pass variables on; NULL: none */
  const char *cwd;                /* inside; NULL: the workspace */
  const char *workspace;          /* NULL: the current directory */
  const char *workspace_instead;  /* mounted in place of WORKSPACE, which is still the untrusted one
                                   * when profiles are looked for; NULL: WORKSPACE itself */
  bool workspace_optional;        /* no workspace, if the current directory cannot be one */
  const char *rootfs, *image;     /* at most one of them */
  const struct strlist *mounts;   /* SRC:DST[:ro|:rw] */
  const struct strlist *secrets;  /* NAME=FILE */
  const struct strlist *limits;   /* KEY=VALUE; an error where it would loosen */
  const struct strlist *timeout;  /* the deadline; at most one */
  const char *grace;              /* from TERM to KILL; NULL: RUN_GRACE_MS */
  const struct strlist *accepted; /* controls that need not be enforced */
  struct session_limit at_most[SESSION_LIMITS]; /* ends with a TEXT of NULL, or full */
  bool unconfined;                              /* the client accepts a run without a sandbox */

  const char *backend, *runtime; /* NULL: the profile's, or the first that is ready */
  const char *engine_socket;
  bool pull;
  const char *host_facts; /* a file that describes another host; nothing can be run there */

  int streams[3];    /* the command's; -1: none */
  bool terminal;     /* streams[0] is a terminal, and the command gets one */
  bool capture;      /* output comes as events; standard input is INPUT */
  const char *input; /* INPUT_LEN bytes */
  size_t input_len;
  bool wide_output; /* the command may end before its output was read: its pipe holds as much as it can */
  bool cut_output;  /* truncate output over the limit, whatever the profile says: the client reports it */

  int events;           /* where events are written as JSON lines; from event_target_open, or -1: nowhere */
  int result_directory; /* where the result is written; -1: nowhere */
  const char *result_file; /* its name there */
  bool document;           /* the outcome gets the result as text */
  bool last;               /* no run follows in this process, so it may drop its privileges */
};

#define SESSION_REQUEST .streams = { -1, -1, -1 }, .events = -1, .result_directory = -1

struct ceiling;
struct profile;
struct request;

const char *session_request_profile (const struct session_request *asked);

/* Converts everything except argv, workspace, root and backend. */
int session_request_read (const struct session_request *asked, struct request *request, struct error *err);

/* Milliseconds. */
int session_request_grace (const struct session_request *asked, uint64_t *ret_ms, struct error *err);

/* On a described host a directory is taken literally. */
int session_request_root (const struct session_request *asked, const struct profile *profile,
                          const struct ceiling *ceiling, struct request *request, struct error *err);

/* For a described host, what is installed here is ignored. */
int session_request_backend (const struct session_request *asked, const struct profile *profile,
                             const struct ceiling *ceiling, struct request *request, struct error *err);
