/* What the engines differ in. */
#pragma once

#include "backend-engine.h"

struct engine {
  const struct engine_ways *ways;
  struct http *http;
  char *prefix;          /* of every path: "/v1.41" */
  unsigned major, minor; /* of the version that was agreed on, or of Podman itself */
  char *version;         /* as the engine says it */
};

struct engine_ways {
  enum backend backend;
  const char *words; /* for people: "Docker" */
  const char *ping;
  /* Reads who answered to the ping, and sets prefix and version. */
  int (*meet) (struct engine *engine, const struct http_reply *reply, struct error *err);
  int (*check_runtime) (struct engine *engine, const char *runtime, struct error *err);
  /* Paths, to be freed; NULL when memory ran out. IMAGE and RUN are not escaped yet. */
  char *(*image_path) (const char *image);
  char *(*pull_path) (const char *image);
  char *(*create_path) (const char *run);
  const char *attach_query, *remove_query, *list_query;
  bool init_before_attach; /* a container that is only written down has no streams yet */
  /* What an inspected container must say. */
  int (*compare) (const struct plan *plan, const struct json_node *sent, const struct json_node *inspected,
                  struct strlist *differences);
};

extern const struct engine_ways engine_docker, engine_podman;

/* One call. A status of 400 and above is an error with the engine's words behind WHAT, but for ALLOWED (0:
 * none). */
int engine_call (struct engine *engine, const char *what, const char *method, const char *path,
                 const char *body, unsigned allowed, struct http_reply *ret_reply, struct error *err);
