/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an engine says of a container that it has made, as any bytes: whoever holds it against what was asked
 * for lets nothing pass that is not what was asked for, in the places that matter most. */
#include <config.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine-api.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static const char sent_text[] =
    "{\"User\":\"10001:10001\",\"Entrypoint\":[\"/run/tyrum/init\",\"true\"],\"Env\":[\"HOME=/workspace\"],"
    "\"Tty\":false,\"WorkingDir\":\"/workspace\",\"HostConfig\":{\"Privileged\":false,\"CapAdd\":[],"
    "\"CapDrop\":[\"ALL\"],\"NetworkMode\":\"none\",\"Memory\":1048576,\"ReadonlyRootfs\":true,"
    "\"SecurityOpt\":[\"no-new-privileges\"],\"Mounts\":[{\"Type\":\"bind\",\"Source\":\"/w\",\"Target\":"
    "\"/workspace\",\"ReadOnly\":true,\"BindOptions\":{\"Propagation\":\"rprivate\"}}]}}";

static void must (bool holds)
{
  if (!holds)
    abort ();
}

static bool is_text (const struct json_node *tree, const char *way, const char *text)
{
  const struct json_node *node = reply_at (tree, way);

  return node != NULL && node->type == JSON_STRING && strcmp (node->text, text) == 0;
}

static bool is_flag (const struct json_node *tree, const char *way)
{
  const struct json_node *node = reply_at (tree, way);

  return node != NULL && node->type == JSON_BOOL && node->flag;
}

static void check (const struct engine_api *ways, const struct plan *plan, const struct launch *launch,
                   const struct json_node *sent, const struct json_node *inspected)
{
  cleanup_strlist struct strlist differences = { 0 };

  must (ways->compare (plan, launch, sent, inspected, &differences) == 0);
  must (differences.count > 0
        || (is_text (inspected, "Config.User", "10001:10001")
            && is_text (inspected, "HostConfig.NetworkMode", "none")
            && is_flag (inspected, "HostConfig.ReadonlyRootfs")
            && !is_flag (inspected, "HostConfig.Privileged")));
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static char hostname[] = "tyrum", cwd[] = "/workspace";
  static struct plan plan = {
    .root_read_only = true, .hostname = hostname, .uid = 10001, .gid = 10001, .memory = 1048576
  };
  static const struct launch launch = { .cwd = cwd };
  static struct json_node *sent;
  cleanup_error struct error err = { 0 };
  cleanup_json struct json_node *inspected = NULL;

  plan.settings.values[SETTING_NO_NEW_PRIVILEGES].flag = true;
  if (sent == NULL)
    must (reply_read (sent_text, strlen (sent_text), &sent, &err) == 0);
  if (reply_read ((const char *) data, size, &inspected, &err) < 0)
    return 0;
  check (backend_named ("docker")->engine, &plan, &launch, sent, inspected);
  check (backend_named ("podman")->engine, &plan, &launch, sent, inspected);
  return 0;
}
