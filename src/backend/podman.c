/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Podman, by its libpod API. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "backend-engines.h"
#include "render-podman.h"

#define VERSION_MIN 4u

/* The first version whose service uses the runtime in the request; earlier ones accept the field and ignore
 * it. */
#define VERSION_RUNTIME 6u

static int negotiate (struct engine *engine, const struct http_reply *reply, struct error *err)
{
  if (reply->libpod_version == NULL && reply->api_version != NULL)
    return error_set (err, -EINVAL, "the socket '%s' is Docker's; use --backend docker",
                      http_socket (engine->http));
  if (reply->libpod_version == NULL || !reply_version (reply->libpod_version, &engine->major, &engine->minor))
    return error_set (err, -EPROTO, "what answers at '%s' is not Podman", http_socket (engine->http));
  if (engine->major < VERSION_MIN)
    return error_set (err, -EOPNOTSUPP, "Podman at '%s' is version %s; %u.0 is needed",
                      http_socket (engine->http), reply->libpod_version, VERSION_MIN);
  engine->version = strdup (reply->libpod_version);
  engine->prefix = strdup ("/v4.0.0/libpod");
  return engine->version && engine->prefix ? 0 : error_oom (err);
}

static bool is_text (const struct json_node *node, const char *text)
{
  return node != NULL && node->type == JSON_STRING && strcmp (node->text, text) == 0;
}

/* The service's own runtime needs no support for naming one. */
static int check_runtime (struct engine *engine, const char *runtime, struct error *err)
{
  cleanup_json struct json_node *info = NULL;
  int r = engine->major < VERSION_RUNTIME ? engine_info (engine, &info, err) : 0;

  if (r < 0 || engine->major >= VERSION_RUNTIME || is_text (reply_at (info, "host.ociRuntime.name"), runtime)
      || is_text (reply_at (info, "host.ociRuntime.path"), runtime))
    return r;
  return error_set (
      err, -EOPNOTSUPP,
      "--runtime: Podman %s ignores a runtime that is asked for over its socket; start a service "
      "for it with 'podman --runtime %s system service unix://PATH' and use --engine-socket "
      "PATH",
      engine->version, runtime);
}

/* Of the runtimes that were tried, only crun can. */
static int maps_ids (struct engine *engine, bool *ret_maps, struct error *err)
{
  cleanup_json struct json_node *info = NULL;
  int r = engine_info (engine, &info, err);

  if (r == 0)
    *ret_maps = is_text (reply_at (info, "host.ociRuntime.name"), "crun");
  return r;
}

/* Podman's inspect uses other keys than its create, so the expected document is rendered separately. */
static int compare (const struct plan *plan, const struct launch *launch, const struct json_node *sent,
                    const struct json_node *inspected, struct strlist *differences)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_json struct json_node *expected = NULL;
  cleanup_free char *text = NULL;
  const struct json_node *part;

  (void) sent;
  if (render_podman_expect (plan, launch, &text, &ignored) < 0
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

static const struct enforcement_row rows[] = {
  { CONTROL_USER_NAMESPACE, -1, ENFORCEMENT_ENFORCED, true, "userns private with idmappings" },
  { CONTROL_SECCOMP, -1, ENFORCEMENT_ENFORCED, true,
    "a file of the run's that the service reads, as Podman takes no filter inline" },
  { CONTROL_APPARMOR, -1, ENFORCEMENT_ENFORCED, true, "Podman refuses when the host has no AppArmor" },
  { CONTROL_WORKSPACE_BOUNDED, -1, ENFORCEMENT_ENFORCED, true,
    "bind mounts; ids are mapped where its runtime is crun" },
  { CONTROL_ENVIRONMENT_CLEAN, -1, ENFORCEMENT_ENFORCED, true,
    "explicit list; passing on the host's proxy variables is switched off" },
  { .reason = NULL },
};

static const char *const own_mounts[] = { "/etc/group",       "/etc/hostname",
                                          "/etc/hosts",       "/etc/passwd",
                                          "/etc/resolv.conf", "/run/.containerenv",
                                          PLAN_GROUP_VIEW,    NULL };

static const char *const sockets[] = { "/run/podman/podman.sock", NULL };

static const struct engine_api podman = {
  .label = "Podman",
  .version_of = "",
  .address = "CONTAINER_HOST",
  .user_socket = "podman/podman.sock",
  .sockets = sockets,
  .ping = "/v4.0.0/libpod/_ping",
  .negotiate = negotiate,
  .check_runtime = check_runtime,
  .maps_ids = maps_ids,
  .image_verb = "exists",
  .pull_verb = "pull?reference=",
  .init_before_attach = true,
  .mounts_behind_links = true,
  .compare = compare,
};

const struct backend backend_podman = {
  ENGINE,
  .name = "podman",
  .rows = rows,
  .reads_filter = true,
  .mounts = own_mounts,
  .document = "podman",
  .render = render_podman,
  .engine = &podman,
};
