/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a container, told by an engine that may have been started anew in the meantime.
 *
 * An answer that does not come, or not whole, says nothing: it is asked for again until the time is up. A
 * first start of Docker after a crash can fail and a second take a quarter of a minute, so there is patience.
 * The container is the one that carries the run's label, whatever it was called before.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "supervisor-process.h"

#define AGAIN_MS 250

/* Removing takes place at the end of every run; gc does it where the engine stays away. */
#define REMOVE_PATIENCE_MS 20000

/* Worth asking again: the engine was not there, or not to the end. */
static bool is_away (int code)
{
  return code == -ECONNREFUSED || code == -EPIPE || code == -ETIMEDOUT || code == -ENOENT || code == -EIO;
}

static int ask_status (struct run *run, struct engine **engine, struct container_state *ret_state,
                       struct error *err)
{
  int r = *engine ? 0 : engine_open (run->options->plan->backend, run->program, engine, err);

  return r < 0 ? r : engine_look (*engine, run->container, ret_state, err);
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
  uint64_t until = run_now_ms () + (run->stuck ? 0 : REMOVE_PATIENCE_MS);

  for (;;) {
    struct error failed = { 0 };
    int r = run->engine ? 0 : engine_open (run->options->plan->backend, run->program, &run->engine, &failed);

    if (r == 0)
      r = run->container ? engine_remove (run->engine, run->container, &failed)
                         : engine_remove_by_label (run->engine, LABEL_RUN, run->dir.id, &failed);
    if (r == 0)
      return 0;
    if (!is_away (r) || run_now_ms () >= until) {
      *err = failed;
      return error_prefix (err, "'tyrum-oci gc' finishes run '%s' when the engine is back", run->dir.id);
    }
    error_clear (&failed);
    process_pause_ms (AGAIN_MS);
  }
}
