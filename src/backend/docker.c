/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Docker, by its Engine API. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "backend-engines.h"
#include "render-docker.h"

/* 1.41 (Docker 20.10) is the first API version with everything that we send; a newer
 * engine is called by API_MINOR_MAX. */
#define API_MAJOR     1u
#define API_MINOR_MIN 41u
#define API_MINOR_MAX 51u

static int negotiate (struct engine *engine, const struct http_reply *reply, struct error *err)
{
  if (reply->libpod_version != NULL)
    return error_set (
        err, -EINVAL,
        "the socket '%s' is Podman's, whose Docker API drops fields that it does not support; use "
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

/* The image may have added variables. */
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
    cleanup_free char *path = str_format ("Config.%s", name);

    if (strcmp (name, "HostConfig") == 0)
      continue;
    if (path == NULL)
      return -ENOMEM;
    r = strcmp (name, "Env") == 0 ? compare_env (sent->items[i], json_get (got, name), differences)
                                  : reply_compare (path, sent->items[i], json_get (got, name), differences);
  }
  return r;
}

/* An image may declare volumes, which are writable even if the root is not. */
static int compare_volumes (const struct plan *plan, const struct json_node *inspected,
                            struct strlist *differences)
{
  const struct json_node *mounts = reply_at (inspected, "Mounts");

  for (size_t i = 0; plan->root_read_only && mounts != NULL && i < mounts->count; i++) {
    const struct json_node *type = reply_at (mounts->items[i], "Type");
    const struct json_node *target = reply_at (mounts->items[i], "Destination");
    cleanup_free char *path = NULL;

    if (type == NULL || type->type != JSON_STRING || strcmp (type->text, "volume") != 0)
      continue;
    path = str_format ("Mounts (the image's own volume '%s', which would be writable)",
                       target != NULL && target->type == JSON_STRING ? target->text : "?");
    if (path == NULL || strlist_add_take (differences, take_ptr (path)) < 0)
      return -ENOMEM;
  }
  return 0;
}

/* Docker returns the document in two parts. */
static int compare (const struct plan *plan, const struct launch *launch, const struct json_node *sent,
                    const struct json_node *inspected, struct strlist *differences)
{
  const struct json_node *config = reply_at (inspected, "Config"), *host = reply_at (inspected, "HostConfig");

  (void) launch;
  if (config == NULL || config->type != JSON_OBJECT || host == NULL || host->type != JSON_OBJECT)
    return strlist_add (differences, "everything");
  if (compare_config (sent, config, differences) < 0
      || reply_compare ("HostConfig", json_get (sent, "HostConfig"), host, differences) < 0)
    return -ENOMEM;
  return compare_volumes (plan, inspected, differences);
}

static const struct enforcement_row rows[] = {
  { CONTROL_USER_NAMESPACE, -1, ENFORCEMENT_IMPOSSIBLE, true,
    "Docker has no mapping per container; it answers 201 to UsernsMode 'private' and gives none" },
  { CONTROL_SECCOMP, -1, ENFORCEMENT_ENFORCED, true, "inline filter in SecurityOpt" },
  { CONTROL_APPARMOR, -1, ENFORCEMENT_WEAKER, true,
    "Docker starts unconfined, without an error, when the host has no AppArmor" },
  { CONTROL_WORKSPACE_BOUNDED, -1, ENFORCEMENT_ENFORCED, true,
    "bind mounts; ids are not mapped, so the workspace has to be the command's own to be written" },
  { CONTROL_NAMESPACE_MOUNT, -1, ENFORCEMENT_ENFORCED, true,
    "Docker lets the host's mounts come in below the root; our supervisor stops that while init waits" },
  { .reason = NULL },
};

static const struct backend_difference differences[] = {
  { "workspace.owner",
    "ids are not mapped: the command needs a workspace that is its own, and files that it makes are its "
    "own" },
  { "engine.restart",
    "a Docker that was killed ends the containers that it finds when it comes back, unless it has "
    "live-restore: the run then ends by that signal" },
  { NULL, NULL },
};

static const char *const own_mounts[] = { "/etc/hostname", "/etc/hosts", "/etc/resolv.conf", PLAN_GROUP_VIEW,
                                          NULL };

static const char *const sockets[] = { "/run/docker.sock", "/var/run/docker.sock", NULL };

static const struct engine_api docker = {
  .label = "Docker",
  .version_of = ", API",
  .address = "DOCKER_HOST",
  .user_socket = "docker.sock",
  .sockets = sockets,
  .ping = "/_ping",
  .negotiate = negotiate,
  .image_verb = "json",
  .pull_verb = "create?fromImage=",
  .compare = compare,
};

const struct backend backend_docker = {
  ENGINE,
  .name = "docker",
  .rows = rows,
  .differences = differences,
  .mounts = own_mounts,
  .document = "docker",
  .render = render_docker,
  .engine = &docker,
};
