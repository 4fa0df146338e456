/* Docker, by its Engine API. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend-engine-backend-internal.h"

/* 1.41 (Docker 20.10) is the first that has all we send; a newer one is only asked for what we know of. */
#define API_MAJOR     1u
#define API_MINOR_MIN 41u
#define API_MINOR_MAX 51u

static int meet (struct engine *engine, const struct http_reply *reply, struct error *err)
{
  if (reply->libpod_version != NULL)
    return error_set (
        err, -EINVAL,
        "the socket '%s' is Podman's, whose imitation of Docker drops what it does not know; use "
        "--backend podman",
        http_socket (engine->http));
  if (reply->api_version == NULL || !reply_version (reply->api_version, &engine->major, &engine->minor))
    return error_set (err, -EPROTO, "what answers at '%s' is not Docker", http_socket (engine->http));
  if (engine->major != API_MAJOR || engine->minor < API_MINOR_MIN)
    return error_set (err, -EOPNOTSUPP, "Docker at '%s' speaks version %s; %u.%u (Docker 20.10) is needed",
                      http_socket (engine->http), reply->api_version, API_MAJOR, API_MINOR_MIN);
  if (engine->minor > API_MINOR_MAX)
    engine->minor = API_MINOR_MAX;
  engine->version = strdup (reply->api_version);
  engine->prefix = str_format ("/v%u.%u", engine->major, engine->minor);
  return engine->version && engine->prefix ? 0 : error_oom (err);
}

/* What the image adds to the environment and labels is there as well. */
static int compare_env (const struct json_node *sent, const struct json_node *got,
                        struct strlist *differences)
{
  for (size_t i = 0; i < sent->count; i++) {
    bool there = false;

    for (size_t k = 0; got != NULL && got->type == JSON_ARRAY && k < got->count; k++)
      there = there || str_equal (sent->items[i]->text, got->items[k]->text);
    if (!there)
      return strlist_add (differences, "Config.Env");
  }
  return 0;
}

static int compare_config (const struct json_node *sent, const struct json_node *got,
                           struct strlist *differences)
{
  int r = 0;

  for (size_t i = 0; r == 0 && i < sent->count; i++) {
    const char *name = sent->keys[i].name;
    cleanup_free char *way = str_format ("Config.%s", name);

    if (strcmp (name, "HostConfig") == 0)
      continue;
    if (way == NULL)
      return -ENOMEM;
    r = strcmp (name, "Env") == 0 ? compare_env (sent->items[i], json_get (got, name), differences)
                                  : reply_compare (way, sent->items[i], json_get (got, name), differences);
  }
  return r;
}

/* An image may bring volumes along, which are writable whatever the root is. */
static int compare_volumes (const struct plan *plan, const struct json_node *inspected,
                            struct strlist *differences)
{
  const struct json_node *mounts = reply_at (inspected, "Mounts");

  for (size_t i = 0; plan->root_read_only && mounts != NULL && i < mounts->count; i++) {
    const struct json_node *type = reply_at (mounts->items[i], "Type");
    const struct json_node *target = reply_at (mounts->items[i], "Destination");
    cleanup_free char *way = NULL;

    if (type == NULL || type->type != JSON_STRING || strcmp (type->text, "volume") != 0)
      continue;
    way = str_format ("Mounts (the image's own volume '%s', which would be writable)",
                      target != NULL && target->type == JSON_STRING ? target->text : "?");
    if (way == NULL || strlist_add_take (differences, take_ptr (way)) < 0)
      return -ENOMEM;
  }
  return 0;
}

/* The document comes back in two parts. */
static int compare (const struct plan *plan, const struct json_node *sent, const struct json_node *inspected,
                    struct strlist *differences)
{
  const struct json_node *config = reply_at (inspected, "Config"), *host = reply_at (inspected, "HostConfig");

  if (config == NULL || config->type != JSON_OBJECT || host == NULL || host->type != JSON_OBJECT)
    return strlist_add (differences, "everything");
  if (compare_config (sent, config, differences) < 0
      || reply_compare ("HostConfig", json_get (sent, "HostConfig"), host, differences) < 0)
    return -ENOMEM;
  return compare_volumes (plan, inspected, differences);
}

const struct engine_ways engine_docker = {
  .backend = BACKEND_DOCKER,
  .argv = "Docker",
  .ping = "/_ping",
  .meet = meet,
  .image_verb = "json",
  .pull_verb = "create?fromImage=",
  .compare = compare,
};
