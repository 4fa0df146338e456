/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a container of an engine, which may have been restarted in the meantime, and what killed
 * supervisors have left in one.
 *
 * An answer that does not come, or not whole, means nothing: it is asked for again until the time is up. A
 * first start of Docker after a crash can fail and a second take a quarter of a minute, so there is patience.
 * The container is the one that carries the run's label, whatever it was called before.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "engine-socket.h"
#include "state-run-record.h"
#include "supervisor-process.h"

#define AGAIN_MS 250

/* Removing takes place at the end of every run; gc does it where the engine stays away. */
#define REMOVE_PATIENCE_MS 20000

/* Looking for what was left is not worth more. */
#define LOOK_MS 10000u

/* Worth asking again: the engine was not there, or not to the end. */
static bool is_away (int code)
{
  return code == -ECONNREFUSED || code == -EPIPE || code == -ETIMEDOUT || code == -ENOENT || code == -EIO;
}

static int ask_status (struct run *run, struct engine **engine, struct container_state *ret_state,
                       struct error *err)
{
  int r = *engine ? 0 : engine_open (run->options->plan->backend, run->program, engine, err);

  return r < 0 ? r : engine_look (*engine, run->engine->container, ret_state, err);
}

int run_engine_status (struct run *run, struct engine **engine, uint64_t until_ms,
                       struct container_state *ret_state, struct error *err)
{
  for (;;) {
    cleanup_container_state struct container_state state = { 0 };
    struct error failed = { 0 };
    int r = ask_status (run, engine, &state, &failed);

    if (r == 0 && !state.running && state.started) {
      *ret_state = state;
      state = (struct container_state){ 0 };
      return 0;
    }
    if ((r < 0 && !is_away (r)) || run_now_ms () >= until_ms) {
      if (r == 0)
        return error_set (err, -ETIMEDOUT, "%s still says that the container runs", run->name);
      *err = failed;
      return r;
    }
    error_clear (&failed);
    process_pause_ms (AGAIN_MS);
  }
}

int run_engine_remove (struct run *run, struct error *err)
{
  uint64_t until = run_now_ms () + (run->init->stuck ? 0 : REMOVE_PATIENCE_MS);

  for (;;) {
    struct error failed = { 0 };
    int r = run->engine->client
                ? 0
                : engine_open (run->options->plan->backend, run->program, &run->engine->client, &failed);

    if (r == 0)
      r = run->engine->container
              ? engine_remove (run->engine->client, run->engine->container, &failed)
              : engine_remove_by_label (run->engine->client, LABEL_RUN, run->dir->id, &failed);
    if (r == 0)
      return 0;
    if (!is_away (r) || run_now_ms () >= until) {
      *err = failed;
      return error_prefix (err, "'tyrum-oci gc' finishes run '%s' when the engine is back", run->dir->id);
    }
    error_clear (&failed);
    process_pause_ms (AGAIN_MS);
  }
}

static int open_left (struct left_walk *walk, const struct backend *backend, const char *socket,
                      struct engine **ret_engine, struct error *err)
{
  int r;

  if (str_equal (walk->hanging, socket))
    return error_set (err, -ETIMEDOUT, "the engine at '%s' did not answer in time", socket);
  r = engine_open_within (backend, socket, walk->patience_ms, ret_engine, err);
  if (r == -ETIMEDOUT && walk->hanging == NULL)
    walk->hanging = strdup (socket);
  return r;
}

int run_engine_remove_left (struct left_walk *walk, const struct backend *backend,
                            const struct run_record *record, const struct run_dir *dir, struct error *err)
{
  cleanup_engine struct engine *engine = NULL;
  int r = record->program ? open_left (walk, backend, record->program, &engine, err) : 0;

  if (r == 0 && engine != NULL)
    r = engine_remove_by_label (engine, LABEL_RUN, dir->id, err);
  return r < 0 ? error_prefix (err, "finish run '%s'", dir->id) : 0;
}

/* One that runs, or was left, has a directory: that comes before the container and goes after it. */
static int sweep_engine (struct engine *engine, const struct backend *backend, const struct host_facts *host,
                         bool remove, struct run_left *left, struct error *err)
{
  cleanup_strlist struct strlist ids = { 0 }, runs = { 0 };
  cleanup_free char *owner = plan_owner (host);
  int r = owner ? engine_find (engine, LABEL_OWNER, owner, &ids, &runs, err) : error_oom (err);

  for (size_t i = 0; r == 0 && i < ids.count; i++) {
    cleanup_free char *directory = str_format ("%s/runs/%s", host->state_dir, runs.items[i]);

    if (directory == NULL)
      return error_oom (err);
    if (!run_id_is_valid (runs.items[i]) || access (directory, F_OK) == 0)
      continue;
    r = remove ? engine_remove (engine, ids.items[i], err) : 0;
    if (r == 0
        && (strlist_add (&left->runs, runs.items[i]) < 0 || strlist_add (&left->backends, backend->name) < 0))
      r = error_oom (err);
  }
  return r;
}

int run_engine_sweep (const struct backend *backend, const struct host_facts *host, const char *engine_socket,
                      bool remove, struct run_left *left, struct error *err)
{
  const struct engine_place place = engine_place_from_environment (backend, engine_socket, host->uid);
  cleanup_engine struct engine *engine = NULL;
  cleanup_error struct error away = { 0 };
  cleanup_free char *socket = NULL;

  if (engine_socket_find (&place, &socket, &away) < 0
      || engine_open_within (backend, socket, LOOK_MS, &engine, &away) < 0)
    return 0;
  return sweep_engine (engine, backend, host, remove, left, err);
}
