/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "engine-client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine-api.h"
#include "base-json-write.h"

#define CONNECT_MS 20000u

#define REMOVE_TRIES    5u
#define REMOVE_PAUSE_NS 100000000

#define STATUS_NOT_MODIFIED 304u

int engine_refuse (const struct engine *engine, const char *what, const struct http_reply *reply,
                   struct error *err)
{
  cleanup_free char *message = reply_message (reply->text, reply->len);

  if (message == NULL)
    return error_oom (err);
  return error_set (err, -EIO, "%s could not %s: %s", engine->api->label, what, message);
}

int engine_call (struct engine *engine, const char *what, const char *method, const char *path,
                 const char *body, unsigned allowed, struct http_reply *ret_reply, struct error *err)
{
  cleanup_free char *whole = str_format ("%s%s", engine->prefix ? engine->prefix : "", path);
  cleanup_http_reply struct http_reply reply = { 0 };
  struct http_call call = { .method = method, .path = whole, .body = body, .total_ms = engine->timeout_ms };
  int r = whole ? http_do (engine->http, &call, &reply, err) : error_oom (err);

  if (r < 0)
    return error_prefix (err, "%s: %s", engine->backend->name, what);
  if ((reply.status < 200 || reply.status >= 300) && reply.status != allowed)
    return engine_refuse (engine, what, &reply, err);
  *ret_reply = reply;
  reply = (struct http_reply){ 0 };
  return 0;
}

/* The same, without the reply. */
static int command (struct engine *engine, const char *what, const char *method, const char *path,
                    unsigned allowed, struct error *err)
{
  cleanup_http_reply struct http_reply reply = { 0 };

  return engine_call (engine, what, method, path, NULL, allowed, &reply, err);
}

int engine_open (const struct backend *backend, const char *socket, struct engine **ret_engine,
                 struct error *err)
{
  return engine_open_within (backend, socket, 0, ret_engine, err);
}

int engine_open_within (const struct backend *backend, const char *socket, unsigned ms,
                        struct engine **ret_engine, struct error *err)
{
  cleanup_engine struct engine *engine = calloc (1, sizeof (*engine));
  cleanup_http_reply struct http_reply reply = { 0 };
  int r;

  if (engine == NULL)
    return error_oom (err);
  engine->timeout_ms = ms;
  engine->backend = backend;
  engine->api = backend->engine;
  if (engine->api == NULL)
    return error_set (err, -EOPNOTSUPP, "'%s' is no engine", backend->name);
  r = http_open (socket, &engine->http, err);
  if (r == 0)
    /* An unknown path may mean another engine; NEGOTIATE reports that. */
    r = engine_call (engine, "answer", "GET", engine->api->ping, NULL, STATUS_NOT_FOUND, &reply, err);
  if (r == 0)
    r = engine->api->negotiate (engine, &reply, err);
  if (r < 0)
    return r;
  *ret_engine = take_ptr (engine);
  return 0;
}

void engine_close (struct engine *engine)
{
  if (engine == NULL)
    return;
  http_close (engine->http);
  free (engine->prefix);
  free (engine->version);
  free (engine);
}

void engine_set_watch (struct engine *engine, http_watch *watch, void *data)
{
  http_set_watch (engine->http, watch, data);
}

void engine_set_timeout (struct engine *engine, unsigned ms)
{
  engine->timeout_ms = ms;
}

char *engine_version (const struct engine *engine)
{
  return str_format ("%s%s %s", engine->api->label, engine->api->version_of, engine->version);
}

const char *engine_socket (const struct engine *engine)
{
  return http_socket (engine->http);
}

int engine_info (struct engine *engine, struct json_node **ret_tree, struct error *err)
{
  cleanup_http_reply struct http_reply reply = { 0 };
  int r = engine_call (engine, "describe itself", "GET", "/info", NULL, 0, &reply, err);

  return r < 0 ? r : reply_read (reply.text, reply.len, ret_tree, err);
}

int engine_check_runtime (struct engine *engine, const char *runtime, struct error *err)
{
  return engine->api->check_runtime && runtime ? engine->api->check_runtime (engine, runtime, err) : 0;
}

int engine_maps_ids (struct engine *engine, bool *ret_maps, struct error *err)
{
  *ret_maps = false;
  return engine->api->maps_ids ? engine->api->maps_ids (engine, ret_maps, err) : 0;
}

int engine_create (struct engine *engine, const char *run, const char *document, char **ret_id,
                   struct strlist *ret_warnings, struct error *err)
{
  cleanup_http_reply struct http_reply reply = { 0 };
  /* Podman only reads the name in the document. */
  cleanup_free char *path = str_format ("/containers/create?name=" NAME_PREFIX "%s", run);
  int r = path ? engine_call (engine, "make the container", "POST", path, document, 0, &reply, err)
               : error_oom (err);

  return r < 0 ? r : reply_created (reply.text, reply.len, ret_id, ret_warnings, err);
}

static int inspect (struct engine *engine, const char *id, struct json_node **ret_tree, struct error *err)
{
  cleanup_http_reply struct http_reply reply = { 0 };
  cleanup_free char *path = str_format ("/containers/%s/json", id);
  int r = path ? engine_call (engine, "show the container", "GET", path, NULL, STATUS_NOT_FOUND, &reply, err)
               : error_oom (err);

  if (r == 0 && reply.status == STATUS_NOT_FOUND)
    return error_set (err, -ENOENT, "%s has no such container any more", engine->api->label);
  return r < 0 ? r : reply_read (reply.text, reply.len, ret_tree, err);
}

/* Puts all differences into one message. */
static int judge (const struct engine *engine, const struct strlist *differences, struct error *err)
{
  cleanup_strbuf struct strbuf text = { 0 };

  if (differences->count == 0)
    return 0;
  for (size_t i = 0; i < differences->count; i++)
    strbuf_addf (&text, "%s%s", i > 0 ? ", " : "", differences->items[i]);
  if (text.failed)
    return error_oom (err);
  return error_set (err, -EPROTO, "%s did not make the container as it was asked to: %s differ%s",
                    engine->api->label, text.text, differences->count == 1 ? "s" : "");
}

/* A runtime with its own kernel enforces other controls, so the plan must know of it. */
static int check_kernel (const struct engine *engine, const struct plan *plan, const struct json_node *tree,
                         struct error *err)
{
  cleanup_container_state struct container_state state = { 0 };
  int r = reply_state (tree, &state, err);

  if (r < 0 || state.runtime == NULL || !backend_of_runtime (state.runtime)->own_kernel
      || plan_has_own_kernel (plan))
    return r;
  return error_set (err, -EINVAL,
                    "%s would use its runtime '%s', which has a kernel of its own; use --runtime %s",
                    engine->api->label, state.runtime, state.runtime);
}

int engine_check (struct engine *engine, const char *id, const struct plan *plan, const struct launch *launch,
                  const char *document, struct error *err)
{
  cleanup_strlist struct strlist differences = { 0 };
  cleanup_json struct json_node *sent = NULL, *got = NULL;
  int r = reply_read (document, strlen (document), &sent, err);

  if (r == 0)
    r = inspect (engine, id, &got, err);
  if (r == 0)
    r = check_kernel (engine, plan, got, err);
  if (r < 0)
    return r;
  if (engine->api->compare (plan, launch, sent, got, &differences) < 0)
    return error_oom (err);
  return judge (engine, &differences, err);
}

/* NEEDED: NAME certainly exists, so "not found" is not a valid answer. */
static int check_link (struct engine *engine, const char *id, const char *name, bool needed,
                       struct error *err)
{
  cleanup_http_reply struct http_reply reply = { 0 };
  cleanup_free char *path = str_format ("/containers/%s/archive?path=%s", id, name);
  bool link = false;
  int r = path
              ? engine_call (engine, "look into the image", "HEAD", path, NULL, STATUS_NOT_FOUND, &reply, err)
              : error_oom (err);

  if (r < 0)
    return r;
  /* A dangling link is "not found" too, but the reply describes it. */
  if (reply.path_stat != NULL)
    r = reply_is_link (reply.path_stat, &link, err);
  else if (reply.status != STATUS_NOT_FOUND || needed)
    r = error_set (err, -EPROTO, "%s does not say what '%s' is in the image", engine->api->label, name);
  if (r == 0 && link)
    r = error_set (err, -ELOOP,
                   "the image has a symbolic link in place of '%s', where something is to be mounted", name);
  return r;
}

int engine_check_links (struct engine *engine, const char *id, struct error *err)
{
  static const char *const names[] = { "/dev", "/proc", "/sys" };
  int r = engine->api->mounts_behind_links ? check_link (engine, id, "/", true, err) : 0;

  for (size_t i = 0; r == 0 && engine->api->mounts_behind_links && i < ARRAY_LEN (names); i++)
    r = check_link (engine, id, names[i], false, err);
  return r;
}

static int on_container (struct engine *engine, const char *what, const char *id, const char *verb,
                         unsigned allowed, struct error *err)
{
  cleanup_free char *path = str_format ("/containers/%s/%s", id, verb);

  return path ? command (engine, what, "POST", path, allowed, err) : error_oom (err);
}

int engine_start (struct engine *engine, const char *id, struct error *err)
{
  return on_container (engine, "start the container", id, "start", STATUS_NOT_MODIFIED, err);
}

int engine_look (struct engine *engine, const char *id, struct container_state *ret_state, struct error *err)
{
  cleanup_json struct json_node *tree = NULL;
  int r = inspect (engine, id, &tree, err);

  return r < 0 ? r : reply_state (tree, ret_state, err);
}

int engine_kill (struct engine *engine, const char *id, int signal, struct error *err)
{
  cleanup_free char *verb = str_format ("kill?signal=%d", signal);

  return verb ? on_container (engine, "signal the container", id, verb, 0, err) : error_oom (err);
}

int engine_connect (struct engine *engine, const char *id, struct attached *ret_attached, struct error *err)
{
  cleanup_free char *path = str_format (
      "%s/containers/%s/attach?stream=true&stdin=true&stdout=true&stderr=true", engine->prefix, id);
  int r = 0;

  if (path == NULL)
    return error_oom (err);
  if (engine->api->init_before_attach)
    r = on_container (engine, "set the container up", id, "init", STATUS_NOT_MODIFIED, err);
  return r < 0 ? r : engine_attach (engine_socket (engine), path, CONNECT_MS, ret_attached, err);
}

int engine_remove (struct engine *engine, const char *id, struct error *err)
{
  /* Only Podman reads the timeout; without it, it would let the container end by itself first. */
  cleanup_free char *path = str_format ("/containers/%s?force=true&v=true&timeout=0", id);
  const struct timespec pause = { 0, REMOVE_PAUSE_NS };

  if (path == NULL)
    return error_oom (err);
  /* An engine reports a failure if the container ends by itself meanwhile. */
  for (unsigned tries = 1;; tries++) {
    struct error failed = { 0 };
    int r = command (engine, "remove the container", "DELETE", path, STATUS_NOT_FOUND, &failed);

    if (r != -EIO || tries == REMOVE_TRIES) {
      if (r < 0)
        *err = failed;
      return r;
    }
    error_clear (&failed);
    nanosleep (&pause, NULL);
  }
}

int engine_find (struct engine *engine, const char *label, const char *value, struct strlist *ret_ids,
                 struct strlist *ret_runs, struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_free char *wanted = str_format ("%s=%s", label, value), *filter = NULL, *escaped = NULL,
                    *path = NULL;
  cleanup_http_reply struct http_reply reply = { 0 };
  int r;

  json_object_begin (&w, NULL);
  json_array_begin (&w, "label");
  json_string (&w, NULL, wanted);
  json_array_end (&w);
  json_object_end (&w);
  r = json_finish (&w, &filter, err);
  if (r < 0)
    return r;
  filter[strcspn (filter, "\n")] = '\0';
  escaped = http_escape (filter);
  path = escaped ? str_format ("/containers/json?all=true&filters=%s", escaped) : NULL;
  r = wanted && path ? engine_call (engine, "list containers", "GET", path, NULL, 0, &reply, err)
                     : error_oom (err);
  return r < 0 ? r : reply_containers (reply.text, reply.len, LABEL_RUN, NAME_PREFIX, ret_ids, ret_runs, err);
}

int engine_remove_by_label (struct engine *engine, const char *label, const char *value, struct error *err)
{
  cleanup_strlist struct strlist ids = { 0 }, runs = { 0 };
  int r = engine_find (engine, label, value, &ids, &runs, err);

  for (size_t i = 0; r == 0 && i < ids.count; i++)
    r = engine_remove (engine, ids.items[i], err);
  return r;
}
