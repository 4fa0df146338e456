/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An engine: a service at a unix socket that makes, starts and removes containers.
 *
 * Docker is called by its Engine API, Podman by its libpod API (its Docker API drops fields that it does not
 * support). struct engine_api holds what differs; engine-reply.h reads the replies. An engine is not trusted:
 * engine_check compares what it reports with what it was sent, and the posture shows what it has really done.
 *
 * After -EPIPE and -ETIMEDOUT of any call, the engine may or may not have done what it was asked to.
 */
#pragma once

#include <stdbool.h>

#include "base-cleanup.h"
#include "base-error.h"
#include "base-str.h"
#include "control-backend.h"
#include "engine-attach.h"
#include "engine-http.h"
#include "engine-reply.h"
#include "plan-launch.h"

#define LABEL_RUN   "io.tyrum.run"
#define LABEL_OWNER "io.tyrum.owner"

/* The name of a container: this and the run's id. */
#define NAME_PREFIX "tyrum-oci-"

struct engine;

/* Connects to the engine at SOCKET and agrees on an API version. */
int engine_open (const struct backend *backend, const char *socket, struct engine **ret_engine,
                 struct error *err);

/* The same, with the timeout of engine_set_timeout from the start (0: the default). */
int engine_open_within (const struct backend *backend, const char *socket, unsigned ms,
                        struct engine **ret_engine, struct error *err);

/* WATCH is called while a call waits; if it returns true, the call is given up. */
void engine_set_watch (struct engine *engine, http_watch *watch, void *data);

/* The timeout of each later call, instead of HTTP_CALL_MS. */
void engine_set_timeout (struct engine *engine, unsigned ms);

/* Whether the engine can use RUNTIME (NULL: its default); an error tells how to get it. */
int engine_check_runtime (struct engine *engine, const char *runtime, struct error *err);

/* Whether the engine can map the ids of a bind mount. */
int engine_maps_ids (struct engine *engine, bool *ret_maps, struct error *err);

int engine_has_image (struct engine *engine, const char *image, bool *ret_there, struct error *err);

/* Makes the engine pull IMAGE; TELL gets a line for each step. */
typedef void engine_tell (const char *line, void *data);
int engine_pull (struct engine *engine, const char *image, engine_tell *tell, void *data, struct error *err);

/* Makes a container from DOCUMENT (render-docker.h, render-podman.h), named after RUN. */
int engine_create (struct engine *engine, const char *run, const char *document, char **ret_id,
                   struct strlist *ret_warnings, struct error *err);

/* Compares what the engine reports about container ID with PLAN and the DOCUMENT made of it. */
int engine_check (struct engine *engine, const char *id, const struct plan *plan, const struct launch *launch,
                  const char *document, struct error *err);

/* Refuses an image that has a symbolic link at /dev, /proc or /sys, where the engine would mount on the
 * link's target: a runtime that then finds nothing at /dev may make its devices on the host. */
int engine_check_links (struct engine *engine, const char *id, struct error *err);

int engine_start (struct engine *engine, const char *id, struct error *err);
int engine_look (struct engine *engine, const char *id, struct container_state *ret_state, struct error *err);
int engine_kill (struct engine *engine, const char *id, int signal, struct error *err);

/* Connects the standard streams of a container that was made but not started. */
int engine_connect (struct engine *engine, const char *id, struct attached *ret_attached, struct error *err);

/* Kills container ID if it runs, and removes it with its volumes. A missing container is no error. */
int engine_remove (struct engine *engine, const char *id, struct error *err);

/* Removes all containers whose LABEL has VALUE. */
int engine_remove_by_label (struct engine *engine, const char *label, const char *value, struct error *err);

/* Finds our containers whose LABEL (LABEL_RUN or LABEL_OWNER) has VALUE: their ids, and the run of each. */
int engine_find (struct engine *engine, const char *label, const char *value, struct strlist *ret_ids,
                 struct strlist *ret_runs, struct error *err);

/* "Podman 4.3.1", "Docker, API 1.41". To be freed; NULL: out of memory. */
char *engine_version (const struct engine *engine);

const char *engine_socket (const struct engine *engine);

void engine_close (struct engine *engine);
DEFINE_CLEANUP (struct engine, engine_close)
#define cleanup_engine cleanup (engine_close_p)
