/* Podman, by its libpod API. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend-engine-internal.h"
#include "target-podman.h"

#define VERSION_MIN 4u

/* The first whose service takes a runtime by name; those before take the field and do nothing. */
#define VERSION_RUNTIME 6u

static int meet (struct engine *engine, const struct http_reply *reply, struct error *err)
{
  if (reply->libpod_version == NULL || !reply_version (reply->libpod_version, &engine->major, &engine->minor))
    return error_set (err, -EPROTO, "what answers at '%s' is not Podman", http_socket (engine->http));
  if (engine->major < VERSION_MIN)
    return error_set (err, -EOPNOTSUPP, "Podman at '%s' is version %s; %u.0 is needed",
                      http_socket (engine->http), reply->libpod_version, VERSION_MIN);
  engine->version = strdup (reply->libpod_version);
  engine->prefix = strdup ("/v4.0.0/libpod");
  return engine->version && engine->prefix ? 0 : error_oom (err);
}

/* The one that the service uses is fine whoever named it. */
static int check_runtime (struct engine *engine, const char *runtime, struct error *err)
{
  cleanup_http_reply struct http_reply reply = { 0 };
  cleanup_json struct json_node *tree = NULL;
  const struct json_node *name, *path;
  int r;

  if (runtime == NULL || engine->major >= VERSION_RUNTIME)
    return 0;
  r = engine_call (engine, "tell of itself", "GET", "/info", NULL, 0, &reply, err);
  if (r == 0)
    r = reply_read (reply.text, reply.len, &tree, err);
  if (r < 0)
    return r;
  name = reply_at (tree, "host.ociRuntime.name");
  path = reply_at (tree, "host.ociRuntime.path");
  if ((name != NULL && name->type == JSON_STRING && strcmp (name->text, runtime) == 0)
      || (path != NULL && path->type == JSON_STRING && strcmp (path->text, runtime) == 0))
    return 0;
  return error_set (
      err, -EOPNOTSUPP,
      "--runtime: Podman %s ignores a runtime that is asked for over its socket; start a service "
      "of its own with 'podman --runtime %s system service unix://PATH' and say --engine-socket "
      "PATH",
      engine->version, runtime);
}

static char *image_path (const char *image)
{
  cleanup_free char *name = http_escape (image);

  return name ? str_format ("/images/%s/exists", name) : NULL;
}

static char *pull_path (const char *image)
{
  cleanup_free char *name = http_escape (image);

  return name ? str_format ("/images/pull?reference=%s", name) : NULL;
}

static char *create_path (const char *run)
{
  (void) run; /* the name is in the document */
  return strdup ("/containers/create");
}

/* Podman shows a container in other words than it was asked for it. */
static int compare (const struct plan *plan, const struct json_node *sent, const struct json_node *inspected,
                    struct strlist *differences)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_json struct json_node *expected = NULL;
  cleanup_free char *text = NULL;
  const struct json_node *part;

  (void) sent;
  if (target_podman_expect (plan, &text, &ignored) < 0
      || reply_read (text, strlen (text), &expected, &ignored) < 0)
    return -ENOMEM;
  for (size_t i = 0; i < expected->count; i++) {
    const char *name = expected->keys[i].name;

    part = json_get (inspected, name);
    if (reply_compare (name, expected->items[i], part, differences) < 0)
      return -ENOMEM;
  }
  return 0;
}

const struct engine_ways engine_podman = {
  .backend = BACKEND_PODMAN,
  .words = "Podman",
  .ping = "/v4.0.0/libpod/_ping",
  .meet = meet,
  .check_runtime = check_runtime,
  .image_path = image_path,
  .pull_path = pull_path,
  .create_path = create_path,
  .attach_query = "stream=true&stdin=true&stdout=true&stderr=true",
  .remove_query = "force=true&v=true&timeout=0",
  .list_query = "all=true",
  .init_before_attach = true,
  .compare = compare,
};
