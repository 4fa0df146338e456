/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where an engine listens: the first socket found in a fixed order.
 *
 * The caller's choice comes first, then DOCKER_HOST or CONTAINER_HOST, then the usual places; a user's own
 * engine before the host's. Only unix sockets are accepted, because the engine has to be on this host, where
 * the directories to mount are.
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

/* Reads the environment variables of ENGINE. */
struct engine_place engine_place_from_environment (const struct backend *engine, const char *named,
                                                   uint32_t uid);

/* *RET_PATH is the socket. An error lists every place that was tried. */
int engine_socket_find (const struct engine_place *place, char **ret_path, struct error *err);

/* A warning if users other than root and UID may call the engine at PATH; NULL: they may not. */
int engine_socket_judge (const char *path, uint32_t uid, char **ret_warning, struct error *err);
