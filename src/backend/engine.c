#include <config.h>

#include "backend-engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend-engine-internal.h"
#include "base-json-write.h"
#include "engine-values.h"

/* A registry may keep an engine waiting, but not for ever. */
#define PULL_QUIET_MS 120000u

#define CONNECT_MS 20000u

#define STATUS_NOT_FOUND    404u
#define STATUS_NOT_MODIFIED 304u

static const struct engine_ways *const kinds[] = { &engine_docker, &engine_podman };

static int refuse (const struct engine *engine, const char *what, const struct http_reply *reply,
                   struct error *err)
{
  cleanup_free char *message = reply_message (reply->text, reply->len);

  if (message == NULL)
    return error_oom (err);
  return error_set (err, -EIO, "%s could not %s: %s", engine->ways->words, what, message);
}

int engine_call (struct engine *engine, const char *what, const char *method, const char *path,
                 const char *body, unsigned allowed, struct http_reply *ret_reply, struct error *err)
{
  cleanup_free char *whole = str_format ("%s%s", engine->prefix ? engine->prefix : "", path);
  cleanup_http_reply struct http_reply reply = { 0 };
  struct http_call call = { .method = method, .path = whole, .body = body };
  int r = whole ? http_do (engine->http, &call, &reply, err) : error_oom (err);

  if (r < 0)
    return error_prefix (err, "%s: %s", backend_name (engine->ways->backend), what);
  if ((reply.status < 200 || reply.status >= 300) && reply.status != allowed)
    return refuse (engine, what, &reply, err);
  *ret_reply = reply;
  reply = (struct http_reply){ 0 };
  return 0;
}

/* The same where only the success counts. */
static int command (struct engine *engine, const char *what, const char *method, const char *path,
                    unsigned allowed, struct error *err)
{
  cleanup_http_reply struct http_reply reply = { 0 };

  return engine_call (engine, what, method, path, NULL, allowed, &reply, err);
}

int engine_open (enum backend backend, const char *socket, struct engine **ret_engine, struct error *err)
{
  cleanup_engine struct engine *engine = calloc (1, sizeof (*engine));
  cleanup_http_reply struct http_reply reply = { 0 };
  int r;

  if (engine == NULL)
    return error_oom (err);
  for (size_t i = 0; i < ARRAY_LEN (kinds); i++)
    if (kinds[i]->backend == backend)
      engine->ways = kinds[i];
  if (engine->ways == NULL)
    return error_set (err, -EOPNOTSUPP, "'%s' is no engine", backend_name (backend));
  r = http_open (socket, &engine->http, err);
  if (r == 0)
    r = engine_call (engine, "answer", "GET", engine->ways->ping, NULL, 0, &reply, err);
  if (r == 0)
    r = engine->ways->meet (engine, &reply, err);
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

char *engine_version (const struct engine *engine)
{
  return str_format ("%s%s %s", engine->ways->words, engine->ways->backend == BACKEND_DOCKER ? ", API" : "",
                     engine->version);
}

const char *engine_socket (const struct engine *engine)
{
  return http_socket (engine->http);
}

int engine_check_runtime (struct engine *engine, const char *runtime, struct error *err)
{
  return engine->ways->check_runtime (engine, runtime, err);
}

int engine_maps_ids (struct engine *engine, bool *ret_maps, struct error *err)
{
  cleanup_http_reply struct http_reply reply = { 0 };
  cleanup_json struct json_node *tree = NULL;
  const struct json_node *name;
  int r;

  *ret_maps = false;
  if (engine->ways->backend != BACKEND_PODMAN)
    return 0;
  r = engine_call (engine, "tell of itself", "GET", "/info", NULL, 0, &reply, err);
  if (r == 0)
    r = reply_read (reply.text, reply.len, &tree, err);
  if (r < 0)
    return r;
  name = reply_at (tree, "host.ociRuntime.name");
  *ret_maps = name != NULL && name->type == JSON_STRING && strcmp (name->text, "crun") == 0;
  return 0;
}

int engine_has_image (struct engine *engine, const char *image, bool *ret_there, struct error *err)
{
  cleanup_http_reply struct http_reply reply = { 0 };
  cleanup_free char *path = engine->ways->image_path (image);
  int r = path ? engine_call (engine, "look for the image", "GET", path, NULL, STATUS_NOT_FOUND, &reply, err)
               : error_oom (err);

  if (r < 0)
    return r;
  *ret_there = reply.status != STATUS_NOT_FOUND;
  return 0;
}

struct pull {
  struct values values;
  engine_tell *tell;
  void *data;
};

static int on_step (const char *text, size_t len, void *data, struct error *err)
{
  struct pull *pull = data;
  cleanup_free char *line = NULL;
  int r = reply_progress (text, len, &line, err);

  if (r == 0 && line != NULL && pull->tell != NULL)
    pull->tell (line, pull->data);
  return r;
}

static int on_bytes (const char *bytes, size_t len, void *data, struct error *err)
{
  struct pull *pull = data;

  return values_take (&pull->values, bytes, len, err);
}

int engine_pull (struct engine *engine, const char *image, engine_tell *tell, void *data, struct error *err)
{
  struct pull pull = { .values = { .each = on_step }, .tell = tell, .data = data };
  cleanup_free char *path = engine->ways->pull_path (image);
  cleanup_free char *whole = path ? str_format ("%s%s", engine->prefix, path) : NULL;
  cleanup_http_reply struct http_reply reply = { 0 };
  struct http_call call = { .method = "POST", .path = whole, .quiet_ms = PULL_QUIET_MS, .sink = on_bytes };
  bool whole_values;
  int r;

  pull.values.data = &pull;
  call.sink_data = &pull;
  r = whole ? http_do (engine->http, &call, &reply, err) : error_oom (err);
  whole_values = values_are_whole (&pull.values);
  values_clear (&pull.values);
  if (r == 0 && reply.status >= 400)
    r = refuse (engine, "pull the image", &reply, err);
  else if (r < 0)
    r = error_prefix (err, "pull image '%s'", image);
  else if (!whole_values)
    r = error_set (err, -EPIPE, "pull image '%s': the engine stopped in the middle of a word", image);
  return r;
}

int engine_create (struct engine *engine, const char *run, const char *document, char **ret_id,
                   struct strlist *ret_warnings, struct error *err)
{
  cleanup_http_reply struct http_reply reply = { 0 };
  cleanup_free char *path = engine->ways->create_path (run);
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
    return error_set (err, -ENOENT, "%s has no such container any more", engine->ways->words);
  return r < 0 ? r : reply_read (reply.text, reply.len, ret_tree, err);
}

/* All differences in one message. */
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
                    engine->ways->words, text.text, differences->count == 1 ? "s" : "");
}

/* A runtime with a kernel of its own keeps other promises, so it has to be named when the run is planned. */
static int check_kernel (const struct engine *engine, const struct plan *plan, const struct json_node *tree,
                         struct error *err)
{
  cleanup_container_state struct container_state state = { 0 };
  int r = reply_state (tree, &state, err);

  if (r < 0 || state.runtime == NULL || !runtime_has_own_kernel (state.runtime)
      || runtime_has_own_kernel (plan->runtime))
    return r;
  return error_set (err, -EINVAL,
                    "%s would use its runtime '%s', which has a kernel of its own; say --runtime %s",
                    engine->ways->words, state.runtime, state.runtime);
}

int engine_check (struct engine *engine, const char *id, const struct plan *plan, const char *document,
                  struct error *err)
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
  if (engine->ways->compare (plan, sent, got, &differences) < 0)
    return error_oom (err);
  return judge (engine, &differences, err);
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
  cleanup_free char *path =
      str_format ("%s/containers/%s/attach?%s", engine->prefix, id, engine->ways->attach_query);
  int r = 0;

  if (path == NULL)
    return error_oom (err);
  if (engine->ways->init_before_attach)
    r = on_container (engine, "set the container up", id, "init", STATUS_NOT_MODIFIED, err);
  return r < 0 ? r : engine_attach (engine_socket (engine), path, CONNECT_MS, ret_attached, err);
}

int engine_remove (struct engine *engine, const char *id, struct error *err)
{
  cleanup_free char *path = str_format ("/containers/%s?%s", id, engine->ways->remove_query);

  return path ? command (engine, "remove the container", "DELETE", path, STATUS_NOT_FOUND, err)
              : error_oom (err);
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
  path = escaped ? str_format ("/containers/json?%s&filters=%s", engine->ways->list_query, escaped) : NULL;
  r = wanted && path ? engine_call (engine, "list containers", "GET", path, NULL, 0, &reply, err)
                     : error_oom (err);
  return r < 0 ? r : reply_containers (reply.text, reply.len, LABEL_RUN, ret_ids, ret_runs, err);
}

int engine_remove_by_label (struct engine *engine, const char *label, const char *value, struct error *err)
{
  cleanup_strlist struct strlist ids = { 0 }, runs = { 0 };
  int r = engine_find (engine, label, value, &ids, &runs, err);

  for (size_t i = 0; r == 0 && i < ids.count; i++)
    r = engine_remove (engine, ids.items[i], err);
  return r;
}
