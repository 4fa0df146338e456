/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An engine: a service behind a unix socket that makes, starts and removes containers for whoever may call
 * it.
 *
 * Docker by its Engine API, Podman by its libpod API (its imitation of the former drops what it does not
 * know). The two differ in where and how they are called, which is in a table; what they answer is read by
 * engine-reply.h. An engine is outside: what it says it has done is held against what it was asked
 * (engine_check), and what it has really done is for the posture to see.
 *
 * -EPIPE and -ETIMEDOUT of any call mean that the engine may or may not have done it.
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

/* Of a container; the run's id follows. */
#define NAME_PREFIX "tyrum-oci-"

struct engine;

/* Calls the engine at SOCKET and agrees on a version with it. */
int engine_open (const struct backend *backend, const char *socket, struct engine **ret_engine,
                 struct error *err);

/* The same with the patience of engine_set_patience from the start (0: as usual). */
int engine_open_within (const struct backend *backend, const char *socket, unsigned ms,
                        struct engine **ret_engine, struct error *err);

/* WATCH is asked while a call waits; true gives up the call. */
void engine_set_watch (struct engine *engine, http_watch *watch, void *data);

/* How long a call may take from now on, instead of HTTP_CALL_MS. */
void engine_set_patience (struct engine *engine, unsigned ms);

/* Whether RUNTIME (NULL: the engine's own choice) can be had by who has to name it; an error says how it can.
 */
int engine_check_runtime (struct engine *engine, const char *runtime, struct error *err);

/* Whether ids of a bind mount can be mapped. */
int engine_maps_ids (struct engine *engine, bool *ret_maps, struct error *err);

int engine_has_image (struct engine *engine, const char *image, bool *ret_there, struct error *err);

/* Has the engine fetch IMAGE; TELL gets a line for each step. */
typedef void engine_tell (const char *line, void *data);
int engine_pull (struct engine *engine, const char *image, engine_tell *tell, void *data, struct error *err);

/* Makes a container by DOCUMENT (render-docker.h, render-podman.h), named after RUN. */
int engine_create (struct engine *engine, const char *run, const char *document, char **ret_id,
                   struct strlist *ret_warnings, struct error *err);

/* Holds what the engine says of container ID against PLAN and the DOCUMENT made of it. */
int engine_check (struct engine *engine, const char *id, const struct plan *plan, const struct launch *launch,
                  const char *document, struct error *err);

/* Refuses an image that has a symbolic link in place of /dev, /proc or /sys, where the engine would mount
 * behind it: a runtime that then finds nothing at /dev may make its devices on the host. */
int engine_check_links (struct engine *engine, const char *id, struct error *err);

int engine_start (struct engine *engine, const char *id, struct error *err);
int engine_look (struct engine *engine, const char *id, struct container_state *ret_state, struct error *err);
int engine_kill (struct engine *engine, const char *id, int signal, struct error *err);

/* Connects the standard streams of a container that was made but not started. */
int engine_connect (struct engine *engine, const char *id, struct attached *ret_attached, struct error *err);

/* Ends container ID if it runs, and removes it with all that is its own. One that is not there is no error.
 */
int engine_remove (struct engine *engine, const char *id, struct error *err);

/* All that have LABEL with VALUE. */
int engine_remove_by_label (struct engine *engine, const char *label, const char *value, struct error *err);

/* Containers of ours with LABEL (LABEL_RUN or LABEL_OWNER) of that VALUE: their ids, and the run of each. */
int engine_find (struct engine *engine, const char *label, const char *value, struct strlist *ret_ids,
                 struct strlist *ret_runs, struct error *err);

/* "Podman 4.3.1", "Docker, API 1.41": as the engine told when it was met. To be freed; NULL: memory ran out.
 */
char *engine_version (const struct engine *engine);

const char *engine_socket (const struct engine *engine);

void engine_close (struct engine *engine);
DEFINE_CLEANUP (struct engine, engine_close)
#define cleanup_engine cleanup (engine_close_p)
