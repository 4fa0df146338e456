/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "plan-launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan-draft-internal.h"
#include "plan-prewarmed.h"
#include "wire-init.h"

/* The runtime opens a descriptor for each mount when RLIMIT_NOFILE is already set, so it gets at least this
 * many; init sets the command's own limit. */
#define RUNTIME_FILES 1024u

/* crun would set HOME itself if it were missing. */
#define PREWARMED_VARIABLE "HOME=/"

static int copy_mount (const struct plan_mount *from, struct launch *launch)
{
  struct plan_mount *mount = &launch->mounts[launch->mount_count++];

  *mount = (struct plan_mount){ .type = strdup (from->type),
                                .source = strdup (from->source),
                                .target = strdup (from->target),
                                .writable = from->writable,
                                .device = from->device,
                                .inode = from->inode };
  return mount->type && mount->source && mount->target && strlist_copy (&from->options, &mount->options) == 0
             ? 0
             : -ENOMEM;
}

static int copy_text (const char *from, char **ret_text)
{
  *ret_text = from ? strdup (from) : NULL;
  return from == NULL || *ret_text != NULL ? 0 : -ENOMEM;
}

static int copy_command (const struct plan *plan, struct launch *launch)
{
  return strlist_copy (&plan->argv, &launch->argv) < 0 || strlist_copy (&plan->env, &launch->env) < 0
                 || copy_text (plan->cwd, &launch->cwd) < 0
                 || strlist_copy (&plan->masked, &launch->masked) < 0
             ? -ENOMEM
             : 0;
}

int launch_init (const struct plan *plan, struct launch *ret_launch, struct error *err)
{
  cleanup_launch struct launch launch = { .root = plan->root,
                                          .root_device = plan->root_device,
                                          .root_inode = plan->root_inode,
                                          .uid_map_count = plan->uid_map_count,
                                          .gid_map_count = plan->gid_map_count,
                                          .cgroup_ours = plan->cgroup_ours,
                                          .mounts = calloc (plan->mount_count + 1, sizeof (*plan->mounts)) };
  bool failed = launch.mounts == NULL || copy_command (plan, &launch) < 0
                || copy_text (plan->run_id, &launch.run_id) < 0
                || copy_text (plan->root_path, &launch.root_path) < 0
                || copy_text (plan->cgroup_path, &launch.cgroup_path) < 0
                || copy_text (plan->filter_path, &launch.filter_path) < 0;

  for (size_t i = 0; i < plan->mount_count && !failed; i++)
    failed = copy_mount (&plan->mounts[i], &launch) < 0;
  if (failed)
    return error_oom (err);
  memcpy (launch.uid_maps, plan->uid_maps, sizeof (launch.uid_maps));
  memcpy (launch.gid_maps, plan->gid_maps, sizeof (launch.gid_maps));
  *ret_launch = launch;
  launch = (struct launch){ 0 };
  return 0;
}

int launch_planned (const struct plan *plan, char **ret_text, struct error *err)
{
  cleanup_launch struct launch launch = { 0 };
  int r = launch_init (plan, &launch, err);

  return r < 0 ? r : plan->backend->render (plan, &launch, ret_text, err);
}

int launch_name (const struct plan *plan, const char *state, const char *run_id, struct launch *launch,
                 struct error *err)
{
  free (launch->run_id);
  free (launch->cgroup_path);
  free (launch->filter_path);
  launch->run_id = strdup (run_id);
  launch->cgroup_path = plan->cgroup_path ? plan_cgroup_name (plan, run_id) : NULL;
  launch->filter_path = plan->filter_path ? plan_filter_path (state, run_id) : NULL;
  return launch->run_id && !launch->cgroup_path == !plan->cgroup_path
                 && !launch->filter_path == !plan->filter_path
             ? 0
             : error_oom (err);
}

void launch_use_slot (const struct plan *plan, unsigned slot, struct launch *launch)
{
  /* May wrap around; the sum below wraps back and lies within the range of the slots. */
  uint32_t shift = (slot - plan->id_slot) * PLAN_IDS_PER_RUN;

  if (slot >= plan->id_slots)
    return;
  launch->uid_maps[0].outside = plan->uid_maps[0].outside + shift;
  launch->gid_maps[0].outside = plan->gid_maps[0].outside + shift;
}

static int move_file_limit (const struct plan *plan, struct launch *launch)
{
  for (size_t i = 0; i < plan->rlimit_count; i++) {
    const struct plan_rlimit *limit = &plan->rlimits[i];
    cleanup_free char *count = NULL;

    if (strcmp (limit->name, "RLIMIT_NOFILE") != 0 || limit->hard >= RUNTIME_FILES
        || plan->open_files_hard <= limit->hard)
      continue;
    count = str_format ("%llu", (unsigned long long) limit->hard);
    if (count == NULL || strlist_add (&launch->init, "--open-files") < 0
        || strlist_add (&launch->init, count) < 0)
      return -ENOMEM;
    launch->runtime_files = plan->open_files_hard < RUNTIME_FILES ? plan->open_files_hard : RUNTIME_FILES;
  }
  return 0;
}

/* Comma-separated: syntax_is_variable allows no comma in a name. */
static int keep_env (struct launch *launch)
{
  cleanup_strbuf struct strbuf names = { 0 };

  strbuf_add (&names, "");
  for (size_t i = 0; i < launch->env.count; i++)
    strbuf_addf (&names, "%s%.*s", i > 0 ? "," : "", (int) strcspn (launch->env.items[i], "="),
                 launch->env.items[i]);
  return strlist_add (&launch->init, "--keep-env") < 0
                 || strlist_add_take (&launch->init, strbuf_take (&names)) < 0
             ? -ENOMEM
             : 0;
}

static int set_init (const struct plan *plan, enum init_transport transport, struct launch *launch)
{
  struct strlist *init = &launch->init;
  bool failed = strlist_add (init, STAGE_INIT_TARGET) < 0;

  if (transport != INIT_OVER_FDS)
    failed = failed || strlist_add (init, "--transport") < 0
             || strlist_add (init, transport == INIT_OVER_STDIO ? "stdio" : "socket") < 0;
  if (plan->backend->adds_env)
    failed = failed || keep_env (launch) < 0;
  if (plan->terminal)
    failed = failed || strlist_add (init, "--tty") < 0;
  if (launch->prewarmed)
    failed = failed || strlist_add (init, "--prewarmed") < 0;
  failed = failed || move_file_limit (plan, launch) < 0;
  return failed || strlist_add (init, "--") < 0 ? -ENOMEM : 0;
}

static int set_staged (struct launch *launch, const char *directory)
{
  for (size_t i = 0; i < launch->mount_count; i++) {
    struct plan_mount *mount = &launch->mounts[i];
    bool group = strcmp (mount->type, "cgroup") == 0;

    if (strcmp (mount->type, "bind") != 0 && !group)
      continue;
    /* The runtime makes no cgroup mount itself: it binds the one on the stage. */
    if (group && strlist_add (&mount->options, "bind") < 0)
      return -ENOMEM;
    mount->staged = str_format ("%s/mounts/%zu", directory, i);
    if (mount->staged == NULL)
      return -ENOMEM;
  }
  launch->staged_root = str_format ("%s/rootfs", directory);
  return launch->staged_root ? 0 : -ENOMEM;
}

static int add_mount (struct launch *launch, const char *type, const char *source, const char *target,
                      const char *options, struct error *err)
{
  return plan_append_mount (&launch->mounts, &launch->mount_count, type, source, target, options, err);
}

/* One mount per hierarchy, not one recursive bind of the parent: in a user namespace crun 1.8.1 does not bind
 * submounts, and the kernel does not allow runc to omit them. */
static int show_hierarchies (const struct strlist *hierarchies, const char *directory, struct launch *launch,
                             struct error *err)
{
  for (size_t i = 0; i < hierarchies->count; i++) {
    cleanup_free char *target = str_format (PLAN_GROUP_VIEW "/%s", hierarchies->items[i]);
    cleanup_free char *staged = str_format ("%s/mounts/%zu", directory, launch->mount_count);
    int r = target && staged
                ? add_mount (launch, "cgroup", "cgroup", target, "nosuid,nodev,noexec,ro,bind", err)
                : error_oom (err);

    if (r < 0)
      return r;
    launch->mounts[launch->mount_count - 1].staged = take_ptr (staged);
  }
  return 0;
}

int launch_stage (const struct plan *plan, const char *directory, enum init_transport transport,
                  const struct strlist *hierarchies, struct launch *launch, struct error *err)
{
  cleanup_free char *init = str_format ("%s/init", directory);
  int r;

  if (init == NULL || set_staged (launch, directory) < 0 || set_init (plan, transport, launch) < 0)
    return error_oom (err);
  r = show_hierarchies (hierarchies, directory, launch, err);
  if (r == 0)
    r = add_mount (launch, "bind", init, STAGE_INIT_TARGET, "bind,ro,nosuid,nodev", err);
  if (r < 0)
    return r;
  launch->passed_descriptors = transport == INIT_OVER_FDS;
  launch->staged_ids = plan->unprivileged;
  /* The last mount is init's, whose source exists only on the stage. */
  launch->mounts[launch->mount_count - 1].staged = take_ptr (init);
  return 0;
}

int launch_stage_engine (const struct plan *plan, const char *init, const char *rendezvous,
                         enum init_transport transport, struct launch *launch, struct error *err)
{
  int r = set_init (plan, transport, launch) < 0 ? error_oom (err) : 0;

  if (r == 0)
    r = add_mount (launch, "bind", init, STAGE_INIT_TARGET, "bind,ro,nosuid,nodev", err);
  if (r == 0 && rendezvous != NULL)
    r = add_mount (launch, "bind", rendezvous, RENDEZVOUS_PATH, "bind,ro,nosuid,nodev,noexec", err);
  launch->over_streams = transport == INIT_OVER_STDIO;
  return r;
}

struct plan_mount *launch_mount_at (const struct launch *launch, const char *target)
{
  for (size_t i = 0; i < launch->mount_count; i++)
    if (strcmp (launch->mounts[i].target, target) == 0)
      return &launch->mounts[i];
  return NULL;
}

static void drop_command (struct launch *launch)
{
  strlist_clear (&launch->argv);
  strlist_clear (&launch->env);
  strlist_clear (&launch->masked);
  free (launch->cwd);
  launch->cwd = NULL;
}

static int set_source (struct launch *launch, const struct plan_mount *source)
{
  struct plan_mount *workspace = launch_mount_at (launch, PLAN_WORKSPACE);

  if (workspace == NULL)
    return 0;
  free (workspace->source);
  workspace->source = strdup (source ? source->source : "");
  workspace->device = source ? source->device : 0;
  workspace->inode = source ? source->inode : 0;
  return workspace->source ? 0 : -ENOMEM;
}

int launch_hold (struct launch *launch, struct error *err)
{
  launch->prewarmed = true;
  strlist_clear (&launch->argv);
  strlist_clear (&launch->env);
  return strlist_add (&launch->env, PREWARMED_VARIABLE) < 0 || set_source (launch, NULL) < 0 ? error_oom (err)
                                                                                             : 0;
}

int launch_tell (const struct plan *plan, struct launch *launch, struct error *err)
{
  drop_command (launch);
  return copy_command (plan, launch) < 0 || set_source (launch, plan_workspace (plan)) < 0 ? error_oom (err)
                                                                                           : 0;
}

void launch_clear (struct launch *launch)
{
  drop_command (launch);
  strlist_clear (&launch->init);
  for (size_t i = 0; i < launch->mount_count; i++)
    plan_mount_clear (&launch->mounts[i]);
  free (launch->mounts);
  free (launch->run_id);
  free (launch->root_path);
  free (launch->staged_root);
  free (launch->cgroup_path);
  free (launch->filter_path);
  free (launch->program);
  *launch = (struct launch){ 0 };
}
