/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HTTP to an engine over its unix socket: the only user of libcurl.
 *
 * One call, one reply, with timeouts to connect, between bytes, and for the whole call. A reply is complete
 * or an error: one that ends before its length or its last chunk is -EPIPE, and the engine may have done what
 * it was asked to. Past LIMIT_ENGINE_REPLY_BYTES it is -EFBIG. The environment has no effect: no proxy, no
 * netrc, no other protocol, no redirection.
 *
 * A status of 400 and above is no error here: the engine's message is in the reply.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-cleanup.h"
#include "base-error.h"

#define HTTP_CONNECT_MS 10000u
#define HTTP_CALL_MS    60000u

struct http;

/* Gets the bytes of a reply as they arrive; a failure ends the call. */
typedef int http_sink (const char *bytes, size_t len, void *data, struct error *err);

/* Returns whether to give up the current call. */
typedef bool http_watch (void *data);

struct http_call {
  const char *method; /* "GET"; with "HEAD" the reply has headers only */
  const char *path;   /* from the slash on, escaped */
  const char *body;   /* JSON; NULL for none */
  unsigned total_ms;  /* 0: HTTP_CALL_MS */
  unsigned quiet_ms;  /* the longest pause between bytes, for streams; 0: only the total counts */
  http_sink *sink;    /* NULL: the reply is kept whole. Gets only replies below 400 */
  void *sink_data;
};

struct http_reply {
  unsigned status;
  char *text; /* ends with a NUL that LEN does not count; empty if a sink took it */
  size_t len;
  char *api_version;    /* Api-Version; NULL: not sent */
  char *libpod_version; /* Libpod-Api-Version */
  char *path_stat;      /* X-Docker-Container-Path-Stat, for a path in a container */
};

/* SOCKET is the path of the engine's socket. Nothing is sent yet. */
int http_open (const char *socket, struct http **ret_http, struct error *err);

/* WATCH is called about once a second while a call waits. */
void http_set_watch (struct http *http, http_watch *watch, void *data);

int http_do (struct http *http, const struct http_call *call, struct http_reply *ret_reply,
             struct error *err);

const char *http_socket (const struct http *http);

/* Escapes TEXT for a path or a query: everything but letters, digits and "-._~" becomes %XX. */
char *http_escape (const char *text);

void http_reply_clear (struct http_reply *reply);
#define cleanup_http_reply cleanup (http_reply_clear)

void http_close (struct http *http);
DEFINE_CLEANUP (struct http, http_close)
#define cleanup_http cleanup (http_close_p)
