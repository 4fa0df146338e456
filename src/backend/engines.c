/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "backend-engines.h"

#include <unistd.h>

#include "backend-program.h"
#include "engine-socket.h"

const struct enforcement_row engines_rows[] = {
  { CONTROL_TOOLS, -1, ENFORCEMENT_IMPOSSIBLE, false,
    "not tried through an engine: its default filter may refuse Landlock, and a file in memory has no path" },
  { CONTROL_MOUNTS_NOSUID_NODEV, -1, ENFORCEMENT_ENFORCED, true,
    "engines have no setting for them on the root, and some runtimes drop them; our supervisor sets them "
    "while "
    "init waits" },
  { CONTROL_NETWORK_MODE, NETWORK_ENGINE, ENFORCEMENT_ENFORCED, false,
    "the network that the engine gives by default" },
  { CONTROL_LIMITS_DISK, -1, ENFORCEMENT_IMPOSSIBLE, true,
    "needs a storage driver with quotas, and never covers the workspace" },
  { .reason = NULL },
};

int engines_version (const struct backend_question *question, char **ret_text, struct error *err)
{
  struct engine_place place = engine_place_from_environment (question->backend, question->socket, geteuid ());
  cleanup_engine struct engine *engine = NULL;
  cleanup_free char *socket = NULL;
  cleanup_free char *version = NULL;
  int r = engine_socket_find (&place, &socket, err);

  if (r == 0)
    r = engine_open (question->backend, socket, &engine, err);
  if (r < 0)
    return r;
  version = engine_version (engine);
  *ret_text = version ? str_format ("%s%s%s (%s)", version, question->runtime ? ", runtime " : "",
                                    question->runtime ? question->runtime : "", socket)
                      : NULL;
  return *ret_text ? 0 : error_oom (err);
}
