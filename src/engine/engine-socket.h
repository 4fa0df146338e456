/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where an engine listens: the first place of a fixed order that has a socket.
 *
 * What the caller names comes first, then DOCKER_HOST or CONTAINER_HOST, then the usual places; a user's own
 * engine before the host's. Only unix sockets count: whoever is behind one is on this host, where our
 * directories are.
 */
#pragma once

#include <stdint.h>

#include "base-error.h"
#include "control-backend.h"

struct engine_place {
  const struct backend *engine;
  const char *named;   /* --engine-socket: a path, or unix://PATH; NULL: none */
  const char *address; /* DOCKER_HOST or CONTAINER_HOST; NULL: none */
  const char *runtime; /* XDG_RUNTIME_DIR; NULL: /run/user/UID */
  uint32_t uid;
};

/* What stands in the environment for ENGINE. */
struct engine_place engine_place_from_environment (const struct backend *engine, const char *named,
                                                   uint32_t uid);

/* *RET_PATH is the socket. An error says every place that was looked at. */
int engine_socket_find (const struct engine_place *place, char **ret_path, struct error *err);

/* Why others than root and UID may call the engine at PATH, for people; NULL: they may not. */
int engine_socket_judge (const char *path, uint32_t uid, char **ret_warning, struct error *err);
