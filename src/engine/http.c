/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "engine-http.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-str.h"

#if HAVE_LIBCURL

#include <curl/curl.h>
#include <dlfcn.h>

/* libcurl pulls in two dozen other libraries, which takes longer to load than most of our commands run. So it
 * is loaded when the first engine is called. Debian has two builds of it, of which one may be missing. */
static const char *const libraries[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };

#define FUNCTIONS(X)                                                                                         \
  X (curl_easy_cleanup)                                                                                      \
  X (curl_easy_getinfo)                                                                                      \
  X (curl_easy_perform)                                                                                      \
  X (curl_easy_reset)                                                                                        \
  X (curl_easy_setopt)                                                                                       \
  X (curl_easy_strerror)                                                                                     \
  X (curl_slist_append)                                                                                      \
  X (curl_slist_free_all)                                                                                    \
  X (curl_easy_init)

/* The headers wrap some of these in macros that check types; we need the functions. */
#undef curl_easy_getinfo
#undef curl_easy_setopt

static struct {
#define X(name) __typeof__ (name) *name;
  FUNCTIONS (X)
#undef X
} lib;

#define set_option(http, option, value) lib.curl_easy_setopt ((http)->curl, option, value)

struct http {
  CURL *curl;
  char *socket;
  http_watch *watch;
  void *watch_data;

  /* Of the current call. */
  const struct http_call *call;
  struct strbuf text;
  struct http_reply *reply;
  struct error *err; /* callbacks store the first cause here */
};

static int load_library (struct error *err)
{
  static const struct {
    const char *name;
    size_t offset;
  } functions[] = {
#define X(name) { #name, offsetof (__typeof__ (lib), name) },
    FUNCTIONS (X)
#undef X
  };
  void *handle = NULL;

  /* Set last. */
  if (lib.curl_easy_init != NULL)
    return 0;
  for (size_t i = 0; i < ARRAY_LEN (libraries) && handle == NULL; i++)
    handle = dlopen (libraries[i], RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL)
    return error_set (err, -ENOTSUP, "engines need %s, which cannot be loaded: install it", libraries[0]);
  for (size_t i = 0; i < ARRAY_LEN (functions); i++) {
    void *function = dlsym (handle, functions[i].name);

    if (function == NULL)
      return error_set (err, -ENOTSUP, "this host's %s has no '%s'", libraries[0], functions[i].name);
    memcpy ((char *) &lib + functions[i].offset, &function, sizeof (function));
  }
  return 0;
}

int http_open (const char *socket, struct http **ret_http, struct error *err)
{
  cleanup_http struct http *http = NULL;
  int r = load_library (err);

  if (r < 0)
    return r;
  http = calloc (1, sizeof (*http));
  if (http == NULL)
    return error_oom (err);
  http->socket = strdup (socket);
  http->curl = lib.curl_easy_init ();
  if (http->socket == NULL || http->curl == NULL)
    return error_oom (err);
  *ret_http = take_ptr (http);
  return 0;
}

void http_close (struct http *http)
{
  if (http == NULL)
    return;
  if (http->curl != NULL)
    lib.curl_easy_cleanup (http->curl);
  strbuf_clear (&http->text);
  free (http->socket);
  free (http);
}

void http_set_watch (struct http *http, http_watch *watch, void *data)
{
  http->watch = watch;
  http->watch_data = data;
}

/* Gets a piece of the body. Any return value but its size ends the call. */
static size_t on_body (char *bytes, size_t one, size_t len, void *data)
{
  struct http *http = data;
  long status = 0;

  (void) one;
  lib.curl_easy_getinfo (http->curl, CURLINFO_RESPONSE_CODE, &status);
  if (http->call->sink != NULL && status < 400)
    return http->call->sink (bytes, len, http->call->sink_data, http->err) < 0 ? 0 : len;
  if (len > LIMIT_ENGINE_REPLY_BYTES - http->text.len) {
    error_set (http->err, -EFBIG, "the engine's reply has more than %zu bytes", LIMIT_ENGINE_REPLY_BYTES);
    return 0;
  }
  strbuf_add_bytes (&http->text, bytes, len);
  if (http->text.failed)
    error_oom (http->err);
  return http->text.failed ? 0 : len;
}

/* The value of header NAME in LINE, or NULL. */
static char *header_value (const char *line, size_t len, const char *name)
{
  size_t at = strlen (name);

  if (len <= at || strncasecmp (line, name, at) != 0 || line[at] != ':')
    return NULL;
  at++;
  while (at < len && (line[at] == ' ' || line[at] == '\t'))
    at++;
  while (len > at && isspace ((unsigned char) line[len - 1]))
    len--;
  return memchr (line + at, '\0', len - at) == NULL ? strndup (line + at, len - at) : NULL;
}

static size_t on_header (char *line, size_t one, size_t len, void *data)
{
  struct http *http = data;
  const struct {
    const char *name;
    char **at;
  } wanted[] = { { "Api-Version", &http->reply->api_version },
                 { "Libpod-Api-Version", &http->reply->libpod_version },
                 { "X-Docker-Container-Path-Stat", &http->reply->path_stat } };

  (void) one;
  for (size_t i = 0; i < ARRAY_LEN (wanted); i++) {
    char *value = header_value (line, len, wanted[i].name);

    if (value != NULL) {
      free (*wanted[i].at);
      *wanted[i].at = value;
    }
  }
  return len;
}

static int on_progress (void *data, curl_off_t down_all, curl_off_t down, curl_off_t up_all, curl_off_t up)
{
  struct http *http = data;

  (void) down_all;
  (void) down;
  (void) up_all;
  (void) up;
  if (http->watch == NULL || !http->watch (http->watch_data))
    return 0;
  error_set (http->err, -EINTR, "interrupted while waiting for the engine");
  return 1;
}

/* Translates curl's result; after -EPIPE the engine may or may not have done what it was asked to. */
static int judge (struct http *http, CURLcode code, struct error *err)
{
  const char *socket = http->socket;

  switch (code) {
  case CURLE_OK: return 0;
  case CURLE_COULDNT_CONNECT:
    return error_set (err, -ECONNREFUSED, "no engine answers at '%s'; is it running?", socket);
  case CURLE_OPERATION_TIMEDOUT:
    return error_set (err, -ETIMEDOUT, "the engine at '%s' did not answer in time", socket);
  case CURLE_GOT_NOTHING:
  case CURLE_PARTIAL_FILE:
  case CURLE_RECV_ERROR:
  case CURLE_SEND_ERROR:
    return error_set (err, -EPIPE, "the engine at '%s' went away before its answer was complete", socket);
  case CURLE_OUT_OF_MEMORY: return error_oom (err);
  case CURLE_FILESIZE_EXCEEDED:
    return error_set (err, -EFBIG, "the engine's reply has more than %zu bytes", LIMIT_ENGINE_REPLY_BYTES);
  default:
    return error_set (err, -EPROTO, "the engine at '%s' sent an invalid reply: %s", socket,
                      lib.curl_easy_strerror (code));
  }
}

static void set_transport (struct http *http)
{
  set_option (http, CURLOPT_UNIX_SOCKET_PATH, http->socket);
  set_option (http, CURLOPT_PROXY, "");
  set_option (http, CURLOPT_NETRC, (long) CURL_NETRC_IGNORED);
  set_option (http, CURLOPT_FOLLOWLOCATION, 0L);
  set_option (http, CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_1_1);
  set_option (http, CURLOPT_NOSIGNAL, 1L);
  set_option (http, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t) LIMIT_ENGINE_REPLY_BYTES);
  set_option (http, CURLOPT_CONNECTTIMEOUT_MS, (long) HTTP_CONNECT_MS);
  set_option (http, CURLOPT_NOPROGRESS, 0L);
  set_option (http, CURLOPT_XFERINFOFUNCTION, on_progress);
  set_option (http, CURLOPT_XFERINFODATA, http);
  set_option (http, CURLOPT_WRITEFUNCTION, on_body);
  set_option (http, CURLOPT_WRITEDATA, http);
  set_option (http, CURLOPT_HEADERFUNCTION, on_header);
  set_option (http, CURLOPT_HEADERDATA, http);
}

static void set_deadlines (struct http *http, const struct http_call *call)
{
  if (call->quiet_ms > 0) {
    set_option (http, CURLOPT_LOW_SPEED_LIMIT, 1L);
    set_option (http, CURLOPT_LOW_SPEED_TIME, (long) (call->quiet_ms / 1000 + (call->quiet_ms % 1000 != 0)));
  }
  if (call->total_ms > 0 || call->quiet_ms == 0)
    set_option (http, CURLOPT_TIMEOUT_MS, (long) (call->total_ms > 0 ? call->total_ms : HTTP_CALL_MS));
}

static void set_request (struct http *http, const struct http_call *call, const char *url,
                         struct curl_slist *headers)
{
  set_option (http, CURLOPT_URL, url);
  set_option (http, CURLOPT_HTTPHEADER, headers);
  /* Without this, curl would read the body of a POST from its read callback. */
  if (call->body != NULL || strcmp (call->method, "POST") == 0) {
    set_option (http, CURLOPT_POSTFIELDS, call->body ? call->body : "");
    set_option (http, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) (call->body ? strlen (call->body) : 0));
  }
  /* With CUSTOMREQUEST alone, curl would wait for the body that Content-Length announces. */
  if (strcmp (call->method, "HEAD") == 0)
    set_option (http, CURLOPT_NOBODY, 1L);
  set_option (http, CURLOPT_CUSTOMREQUEST, call->method);
  /* On a reused connection curl repeats a call that got no answer. Only a GET may be repeated; anything else
   * may have been done already. */
  set_option (http, CURLOPT_FRESH_CONNECT, strcmp (call->method, "GET") == 0 ? 0L : 1L);
}

static int perform (struct http *http, const struct http_call *call, struct error *err)
{
  cleanup_free char *url = str_format ("http://engine%s", call->path);
  struct curl_slist *headers = lib.curl_slist_append (NULL, "Content-Type: application/json");
  /* Do not ask the engine first whether it accepts a body. */
  struct curl_slist *more = headers ? lib.curl_slist_append (headers, "Expect:") : NULL;
  long status = 0;
  CURLcode code;

  if (url == NULL || more == NULL) {
    lib.curl_slist_free_all (headers);
    return error_oom (err);
  }
  lib.curl_easy_reset (http->curl);
  set_transport (http);
  set_deadlines (http, call);
  set_request (http, call, url, more);
  code = lib.curl_easy_perform (http->curl);
  lib.curl_slist_free_all (more);
  lib.curl_easy_getinfo (http->curl, CURLINFO_RESPONSE_CODE, &status);
  if (error_is_set (err))
    return err->code;
  http->reply->status = (unsigned) status;
  return judge (http, code, err);
}

int http_do (struct http *http, const struct http_call *call, struct http_reply *ret_reply, struct error *err)
{
  cleanup_http_reply struct http_reply reply = { 0 };
  int r;

  strbuf_clear (&http->text);
  http->call = call;
  http->reply = &reply;
  http->err = err;
  r = perform (http, call, err);
  http->call = NULL;
  http->reply = NULL;
  http->err = NULL;
  if (r < 0)
    return r;
  strbuf_add (&http->text, "");
  reply.len = http->text.len;
  reply.text = strbuf_take (&http->text);
  if (reply.text == NULL)
    return error_oom (err);
  *ret_reply = reply;
  reply = (struct http_reply){ 0 };
  return 0;
}

const char *http_socket (const struct http *http)
{
  return http->socket;
}

#else

struct http {
  int unused;
};

int http_open (const char *socket, struct http **ret_http, struct error *err)
{
  (void) socket;
  (void) ret_http;
  return error_set (err, -ENOTSUP, "this build cannot call engines; configure it with libcurl");
}

void http_close (struct http *http)
{
  (void) http;
}

void http_set_watch (struct http *http, http_watch *watch, void *data)
{
  (void) http;
  (void) watch;
  (void) data;
}

int http_do (struct http *http, const struct http_call *call, struct http_reply *ret_reply, struct error *err)
{
  (void) http;
  (void) call;
  (void) ret_reply;
  return error_set (err, -ENOTSUP, "this build cannot call engines");
}

const char *http_socket (const struct http *http)
{
  (void) http;
  return "";
}

#endif

char *http_escape (const char *text)
{
  cleanup_strbuf struct strbuf escaped = { 0 };

  strbuf_add (&escaped, "");
  for (; *text != '\0'; text++) {
    unsigned char c = (unsigned char) *text;

    if ((c < 0x80 && isalnum (c)) || strchr ("-._~", c) != NULL)
      strbuf_add_bytes (&escaped, text, 1);
    else
      strbuf_addf (&escaped, "%%%02X", c);
  }
  return strbuf_take (&escaped);
}

void http_reply_clear (struct http_reply *reply)
{
  free (reply->text);
  free (reply->api_version);
  free (reply->libpod_version);
  free (reply->path_stat);
  *reply = (struct http_reply){ 0 };
}
