/* What engines differ in, for struct backend; and what their functions share. */
#pragma once

#include "engine-client.h"

struct engine {
  const struct backend *backend;
  const struct engine_ways *ways;
  struct http *http;
  char *prefix;          /* of every path: "/v1.41" */
  unsigned major, minor; /* of the version that was agreed on, or of Podman itself */
  char *version;         /* as the engine says it */
  unsigned patience_ms;  /* for one call; 0: as usual */
};

struct engine_ways {
  const char *label;          /* for people: "Docker" */
  const char *version_of;     /* between that and the version: ", API" */
  const char *address;        /* the variable that names its socket: "DOCKER_HOST" */
  const char *user_socket;    /* of a user's own engine, in XDG_RUNTIME_DIR */
  const char *const *sockets; /* of the host's; ends with NULL */
  const char *ping;
  /* Reads who answered to the ping, and sets prefix and version. */
  int (*meet) (struct engine *engine, const struct http_reply *reply, struct error *err);
  /* Whether the engine can be asked for a runtime by name; NULL: it says itself which it does not have. */
  int (*check_runtime) (struct engine *engine, const char *runtime, struct error *err);
  /* Whether ids of a bind mount can be mapped; NULL: never. */
  int (*maps_ids) (struct engine *engine, bool *ret_maps, struct error *err);
  const char *image_verb;   /* behind an image's name: asks whether it is there */
  const char *pull_verb;    /* before an image's name */
  bool init_before_attach;  /* a container that is only written down has no streams yet */
  bool mounts_behind_links; /* not on a directory of its own in place of the image's link */
  /* What an inspected container must say. */
  int (*compare) (const struct plan *plan, const struct launch *launch, const struct json_node *sent,
                  const struct json_node *inspected, struct strlist *differences);
};

/* One call. A status of 400 and above is an error with the engine's words behind WHAT, but for ALLOWED (0:
 * none). */
int engine_call (struct engine *engine, const char *what, const char *method, const char *path,
                 const char *body, unsigned allowed, struct http_reply *ret_reply, struct error *err);

/* What the engine says of itself. */
int engine_info (struct engine *engine, struct json_node **ret_tree, struct error *err);

/* The engine could not do WHAT, in the words of its REPLY. */
int engine_refuse (const struct engine *engine, const char *what, const struct http_reply *reply,
                   struct error *err);

#define STATUS_NOT_FOUND 404u
