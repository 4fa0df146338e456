/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "mount-stage.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "cgroup-view.h"
#include "mount-stage-internal.h"

/* Holds mount points, a few small files, and what the run writes to a writable layer, whose pages count
 * against the run's memory limit. */
#define STAGE_OPTIONS "mode=711"

/* Files that the command makes in a writable mount belong to that directory's owner outside. MAKER is one
 * that was started, or none. */
static int make_id_view (const struct plan *plan, const struct launch *launch, const struct helper *maker,
                         struct id_view *view, struct error *err)
{
  uint32_t uid = plan->uid, gid = plan->gid;

  view->fd = -1;
  if (plan->user_namespace) {
    uid += launch->uid_maps[0].outside;
    gid += launch->gid_maps[0].outside;
  }
  if (uid == view->owner_uid && gid == view->owner_gid)
    return 0;
  return maker->pid > 0 ? id_maker_take (maker, view->owner_uid, uid, view->owner_gid, gid, &view->fd, err)
                        : mount_id_namespace (view->owner_uid, uid, view->owner_gid, gid, &view->fd, err);
}

int stage_make_id_view (const struct plan *plan, const struct launch *launch, struct id_view *view,
                        struct error *err)
{
  return make_id_view (plan, launch, &HELPER_NONE, view, err);
}

/* Without root the id maps already map the command's id to ours. */
static bool maps_ids (const struct stage *stage, const struct plan_mount *mount)
{
  return mount->writable && !stage->launch->staged_ids && !stage->own_kernel;
}

static int idmap_for (const struct stage *stage, const struct plan_mount *mount, const struct stat *owner,
                      const struct helper *maker, int *ret_fd, struct error *err)
{
  struct id_view view = { owner->st_uid, owner->st_gid, -1 };
  int r = maps_ids (stage, mount) ? make_id_view (stage->plan, stage->launch, maker, &view, err) : 0;

  *ret_fd = view.fd;
  return r;
}

/* The mount's options, as attributes for everything that is mounted below it, too. */
static uint64_t attributes_of (const struct plan_mount *mount)
{
  uint64_t attributes = mount->writable ? 0 : MOUNT_ATTR_RDONLY;

  for (size_t i = 0; i < mount->options.count; i++)
    if (strcmp (mount->options.items[i], "noexec") == 0)
      attributes |= MOUNT_ATTR_NOEXEC;
  return attributes;
}

static int place_mount (const struct stage *stage, const struct plan_mount *mount, const struct helper *maker,
                        struct error *err)
{
  cleanup_close int fd = -1, idmap = -1;
  struct stat st;
  int r;

  fd = mount_open_known (mount->source, mount->device, mount->inode, &st, err);
  if (fd < 0)
    return fd;
  r = idmap_for (stage, mount, &st, maker, &idmap, err);
  return r < 0 ? r : mount_place (fd, mount->staged, attributes_of (mount), idmap, err);
}

int stage_take_source (const struct plan *plan, const struct launch *launch, const struct plan_mount *mount,
                       const struct id_view *view, struct error *err)
{
  const struct stage stage = { .plan = plan, .launch = launch };
  struct stat st;
  cleanup_close int fd = mount_open_known (mount->source, mount->device, mount->inode, &st, err), made = -1;
  int r = fd < 0 ? fd : 0;
  bool fits = r == 0 && mount->writable && st.st_uid == view->owner_uid && st.st_gid == view->owner_gid;

  if (r == 0 && !fits)
    r = idmap_for (&stage, mount, &st, &HELPER_NONE, &made, err);
  return r < 0 ? r : mount_take (fd, mount->target, attributes_of (mount), fits ? view->fd : made, err);
}

static int place_programs (const struct stage *stage, struct error *err)
{
  cleanup_free char *init = str_format ("%s/init", stage->directory);
  int r = init ? mount_place_own (stage->init, init, err) : error_oom (err);

  return r < 0 || stage->staged_runtime == NULL
             ? r
             : mount_place_own (stage->runtime, stage->staged_runtime, err);
}

/* The sources of the plan's mounts. The first that wants its ids mapped has MAKER for that. */
static int place_mounts (const struct stage *stage, struct helper *maker, struct error *err)
{
  int r = 0;

  for (size_t i = 0; r == 0 && i < stage->launch->mount_count; i++) {
    const struct plan_mount *mount = &stage->launch->mounts[i];
    bool maps = maps_ids (stage, mount);

    if (mount->inode == 0)
      continue;
    r = place_mount (stage, mount, maps ? maker : &HELPER_NONE, err);
    if (maps)
      *maker = HELPER_NONE;
  }
  return r;
}

static bool wants_maker (const struct stage *stage)
{
  for (size_t i = 0; i < stage->launch->mount_count; i++)
    if (stage->launch->mounts[i].inode != 0 && maps_ids (stage, &stage->launch->mounts[i]))
      return true;
  return false;
}

int stage_build (const struct stage *stage, struct error *err)
{
  cleanup_free char *mounts = str_format ("%s/mounts", stage->directory);
  cleanup (helper_clear) struct helper maker = HELPER_NONE;
  struct helper free_maker;
  int r;

  if (mounts == NULL)
    return error_oom (err);
  umask (022);
  r = wants_maker (stage) ? id_maker_start (&maker, err) : 0;
  free_maker = maker;
  if (r == 0 && stage->launch->staged_ids)
    r = stage_ids (stage->launch, stage->report, err);
  if (r == 0)
    r = mount_keep_private (err);
  if (r < 0)
    return r;
  r = mount_filesystem (stage->launch, "tmpfs", stage->directory, STAGE_OPTIONS, err);
  if (r < 0)
    return r;
  if (mkdir (mounts, 0711) < 0)
    return error_set_errno (err, errno, "make '%s'", mounts);
  r = stage_group (stage, err);
  /* After stage_group: the view hides the hierarchies that it binds. */
  if (r == 0 && stage->cgroup_view)
    r = cgroup_view_show (stage->cgroup_empty, err);
  if (r == 0)
    r = place_mounts (stage, &free_maker, err);
  if (r == 0)
    r = place_programs (stage, err);
  return r < 0 ? r : stage_root (stage->plan, stage->launch, stage->directory, err);
}
