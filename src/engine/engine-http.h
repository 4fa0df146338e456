/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HTTP to an engine over its unix socket: the only user of libcurl.
 *
 * One call, one reply, each with deadlines: to connect, between bytes, and for all of it. A reply is whole or
 * an error: one that ends before its length or its last chunk is -EPIPE, which says nothing about what the
 * engine has done. Past LIMIT_ENGINE_REPLY_BYTES it is -EFBIG. Nothing of the environment counts: no proxy,
 * no netrc, no other protocol, no redirection.
 *
 * A status of 400 and above is no error here: its words are in the reply.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-cleanup.h"
#include "base-error.h"

#define HTTP_CONNECT_MS 10000u
#define HTTP_CALL_MS    60000u

struct http;

/* Bytes of a reply as they come; a failure ends the call. */
typedef int http_sink (const char *bytes, size_t len, void *data, struct error *err);

/* Whether to give up a call that is under way. */
typedef bool http_watch (void *data);

struct http_call {
  const char *method; /* "GET"; with "HEAD" there is no text, only headers */
  const char *path;   /* from the slash on, escaped */
  const char *body;   /* JSON; NULL for none */
  unsigned total_ms;  /* 0: HTTP_CALL_MS */
  unsigned quiet_ms;  /* the longest without a byte, for streams that have no total; 0: the total decides */
  http_sink *sink;    /* NULL: the reply is kept whole. Only replies below 400 go there */
  void *sink_data;
};

struct http_reply {
  unsigned status;
  char *text; /* with a NUL behind it that LEN does not count; empty where a sink took it */
  size_t len;
  char *api_version;    /* Api-Version; NULL: the engine did not say */
  char *libpod_version; /* Libpod-Api-Version */
  char *path_stat;      /* X-Docker-Container-Path-Stat, of a path in a container */
};

/* SOCKET is the path of the engine's socket. Nothing is sent yet. */
int http_open (const char *socket, struct http **ret_http, struct error *err);

/* WATCH is asked about once a second while a call waits. */
void http_set_watch (struct http *http, http_watch *watch, void *data);

int http_do (struct http *http, const struct http_call *call, struct http_reply *ret_reply,
             struct error *err);

const char *http_socket (const struct http *http);

/* TEXT as one part of a path or a query: everything but letters, digits and "-._~" as %XX. */
char *http_escape (const char *text);

void http_reply_clear (struct http_reply *reply);
#define cleanup_http_reply cleanup (http_reply_clear)

void http_close (struct http *http);
DEFINE_CLEANUP (struct http, http_close)
#define cleanup_http cleanup (http_close_p)
