/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What differs between engines, for struct backend; and what their functions share. */
#pragma once

#include "engine-client.h"

struct engine {
  const struct backend *backend;
  const struct engine_api *api;
  struct http *http;
  char *prefix;          /* of every path: "/v1.41" */
  unsigned major, minor; /* of the API version agreed on, or of Podman itself */
  char *version;         /* as the engine reports it */
  unsigned timeout_ms;   /* for one call; 0: the default */
};

struct engine_api {
  const char *label;          /* in messages: "Docker" */
  const char *version_of;     /* between the label and the version: ", API" */
  const char *address;        /* the environment variable with its socket: "DOCKER_HOST" */
  const char *user_socket;    /* of a user's own engine, below XDG_RUNTIME_DIR */
  const char *const *sockets; /* of the host's engine; ends with NULL */
  const char *ping;
  /* Checks which engine answered the ping, and sets prefix and version. */
  int (*negotiate) (struct engine *engine, const struct http_reply *reply, struct error *err);
  /* Whether the engine accepts a runtime by name; NULL: its own error tells which it does not have. */
  int (*check_runtime) (struct engine *engine, const char *runtime, struct error *err);
  /* Whether the engine can map the ids of a bind mount; NULL: never. */
  int (*maps_ids) (struct engine *engine, bool *ret_maps, struct error *err);
  const char *image_verb;   /* after an image's name: asks whether it is there */
  const char *pull_verb;    /* before an image's name */
  bool init_before_attach;  /* a created container has no streams before "init" */
  bool mounts_behind_links; /* where the image has a link at a mount point, mounts on its target */
  /* Compares an inspected container with what was sent, and adds the differences. */
  int (*compare) (const struct plan *plan, const struct launch *launch, const struct json_node *sent,
                  const struct json_node *inspected, struct strlist *differences);
};

/* One call. A status of 400 and above, except ALLOWED (0: none), is an error with WHAT and the engine's
 * message. */
int engine_call (struct engine *engine, const char *what, const char *method, const char *path,
                 const char *body, unsigned allowed, struct http_reply *ret_reply, struct error *err);

/* The engine's "/info". */
int engine_info (struct engine *engine, struct json_node **ret_tree, struct error *err);

/* Sets the error that the engine could not do WHAT, with the message in its REPLY. */
int engine_refuse (const struct engine *engine, const char *what, const struct http_reply *reply,
                   struct error *err);

#define STATUS_NOT_FOUND 404u
