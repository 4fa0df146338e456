/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a client asks of a session: values, as texts where people write them.
 *
 * Texts and lists stay the caller's, and have to live as long as the call that they are passed to. A field
 * that is zero says nothing: the profile, the configuration or this host then decide. Streams are
 * descriptors, so a request that is made from { 0 } has to set them; SESSION_REQUEST does.
 *
 * session_request_read makes a struct request of it, which plan_build takes: root and backend may depend on
 * the profile, which can name an image or a runtime for requests that name none. A value that cannot be read
 * is the client's mistake (ERROR_USAGE).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-error.h"
#include "base-str.h"
#include "control-setting.h"

struct session_process;

/* A limit that only tightens: where something tighter is in force it has no effect. */
struct session_limit {
  enum setting setting;
  const char *text;
  const char *origin; /* shown as where the value comes from; NULL: nothing is */
};

#define SESSION_LIMITS 4

/* What the client calls the run: an object of texts in the journal. */
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
  char *const *caller_env;        /* what the profile may pass on; NULL: nothing */
  const char *cwd;                /* inside; NULL: the workspace */
  const char *workspace;          /* NULL: the current directory */
  const char *workspace_instead;  /* what the command gets in its place: profiles are still judged by
                                   * WORKSPACE, which is hostile; NULL: WORKSPACE itself */
  bool workspace_optional;        /* a current directory that cannot be the workspace is left away */
  const char *rootfs, *image;     /* one of them, or none */
  const struct strlist *mounts;   /* SRC:DST[:ro|:rw] */
  const struct strlist *secrets;  /* NAME=FILE */
  const struct strlist *limits;   /* KEY=VALUE; refused where it would loosen */
  const struct strlist *timeout;  /* the deadline; one, or none */
  const struct strlist *accepted; /* controls that may be missing */
  struct session_limit at_most[SESSION_LIMITS]; /* ends with a TEXT of NULL, or full */
  bool unconfined;                              /* the client accepts that there is no sandbox */

  const char *backend, *runtime; /* NULL: the profile's, or what is here */
  const char *engine_socket;
  bool pull;
  const char *host_facts; /* a file that describes another host: for plans, not for runs */

  int streams[3];    /* the command's; -1: none */
  bool terminal;     /* streams[0] is one, and the command gets it */
  bool capture;      /* standard output and error come as events, and standard input is INPUT */
  const char *input; /* INPUT_LEN bytes */
  size_t input_len;
  bool cut_output; /* output over its limit is cut off, whatever the profile says: the client reports it */

  int result_directory;    /* where the result is written to; -1: nowhere */
  const char *result_file; /* its name there */
  bool document;           /* the outcome has the result as text */
  bool last;               /* this process launches nothing afterwards, and may lose its privileges */
};

#define SESSION_REQUEST .streams = { -1, -1, -1 }, .result_directory = -1

struct ceiling;
struct profile;
struct request;

const char *session_request_profile (const struct session_request *asked);

/* All but argv, workspace, root and backend. */
int session_request_read (const struct session_request *asked, struct request *request, struct error *err);

/* A host that is only described: a directory is taken as it is written. */
int session_request_root (const struct session_request *asked, const struct profile *profile,
                          const struct ceiling *ceiling, struct request *request, struct error *err);

/* What is installed here says nothing about a host that is only described. */
int session_request_backend (const struct session_request *asked, const struct profile *profile,
                             const struct ceiling *ceiling, struct request *request, struct error *err);
