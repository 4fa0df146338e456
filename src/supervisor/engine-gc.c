/* What killed supervisors have left in an engine, by a run's directory or by its owner's label. */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "engine-socket.h"
#include "state-run-record.h"

/* Looking for what was left is not worth more. */
#define LOOK_MS 10000u

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
