/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a run has on the host under its own name: a directory, a range of ids, a cgroup. What cannot be
 * removed is left to gc, which finds it by the directory. */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base-cleanup.h"

/* Whatever the caller's umask: with an engine init passes through it, under another id. */
int run_make_directory (struct run *run, const char *name, char **ret_path)
{
  if (mkdirat (run->dir->fd, name, 0711) < 0 || fchmodat (run->dir->fd, name, 0711, 0) < 0)
    return error_set_errno (run->err, errno, "make '%s' of run '%s'", name, run->dir->id);
  *ret_path = str_format ("%s/%s", run->dir->path, name);
  return *ret_path ? 0 : error_oom (run->err);
}

static void init_directory (struct run *run, void *state)
{
  run->dir = state;
  run->dir->fd = run->dir->lock_fd = -1;
}

static int prepare_directory (struct run *run, void *state, struct error *err)
{
  const struct run_options *options = run->options;
  int r = run_dir_create (options->host->state_dir, options->id, state, err);

  if (r < 0)
    return r;
  run->result.id = strdup (run->dir->id);
  return launch_name (options->plan, options->host->state_dir, run->dir->id, &run->launch, err);
}

static void undo_directory (struct run *run, void *state, struct error *err)
{
  if (run->keep_dir)
    run_dir_clear (state);
  else if (run->dir->fd >= 0)
    run_dir_remove (state, err);
}

const struct run_part directory_part = { .name = "directory",
                                         .size = sizeof (struct run_dir),
                                         .init = init_directory,
                                         .prepare = prepare_directory,
                                         .undo = undo_directory };

struct run_ids {
  unsigned slot;
  int fd; /* holds it; -1: there is none */
};

static void init_id_range (struct run *run, void *state)
{
  struct run_ids *range = state;

  (void) run;
  range->fd = -1;
}

static int prepare_id_range (struct run *run, void *state, struct error *err)
{
  const struct plan *plan = run->options->plan;
  struct run_ids *range = state;
  int r;

  if (plan->id_slots == 0)
    return 0;
  r = run_slot_take (run->options->host->state_dir, plan->id_slots, &range->slot, &range->fd, err);
  if (r == 0)
    launch_use_slot (plan, range->slot, &run->launch);
  return r;
}

static void undo_id_range (struct run *run, void *state, struct error *err)
{
  struct run_ids *range = state;

  (void) err;
  if (range->fd >= 0 && run->keep_dir)
    run_slot_keep (run->dir->id, &range->fd);
  else if (range->fd >= 0)
    run_slot_release (run->options->host->state_dir, range->slot, &range->fd);
}

const struct run_part id_range_part = { .name = "id range",
                                        .size = sizeof (struct run_ids),
                                        .init = init_id_range,
                                        .prepare = prepare_id_range,
                                        .undo = undo_id_range };

struct run_cgroup {
  struct cgroup group;
  bool ours; /* made by us or by the runtime: we remove it */
};

extern const struct run_part cgroup_part;

static void init_cgroup (struct run *run, void *state)
{
  run->group = &((struct run_cgroup *) state)->group;
}

const struct cgroup *run_group (struct run *run)
{
  cgroup_open (run->options->plan->cgroup, run->launch.cgroup_path, run->group);
  return run->group;
}

int run_make_group (struct run *run)
{
  struct run_cgroup *cgroup = run_part_state (run, &cgroup_part);

  cgroup->ours = true;
  return cgroup_make (run->options->plan, &run->launch, run->group, run->err);
}

static void count_cgroup (struct run *run, void *state)
{
  (void) state;
  cgroup_count (run_group (run), &run->result.counters);
}

static void undo_cgroup (struct run *run, void *state, struct error *err)
{
  const struct plan *plan = run->options->plan;
  const struct run_cgroup *cgroup = state;

  /* Without the directory gc would not know of the cgroup. */
  if (cgroup->ours && !cgroup_remove (run->group, run->launch.cgroup_path)
      && cgroup_destroy (plan->cgroup, run->launch.cgroup_path, err) < 0)
    run->keep_dir = true;
  if (cgroup->ours)
    cgroup_give_back (plan->cgroup_delegated);
  cgroup_close (run->group);
}

const struct run_part cgroup_part = { .name = "cgroup",
                                      .size = sizeof (struct run_cgroup),
                                      .init = init_cgroup,
                                      .ended = count_cgroup,
                                      .undo = undo_cgroup };
