/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-container-stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "mount-descriptor.h"
#include "mount-trace.h"
#include "plan-launch.h"
#include "shim-container-plan.h"
#include "shim-mount-points.h"
#include "wire-init.h"

#define STAGE_OPTIONS "mode=711,size=16m"

static int open_stage (const char *directory, struct error *err)
{
  int r = mount_keep_private (err);

  if (r == 0 && mount ("tyrum-oci-stage", directory, "tmpfs", MS_NOSUID | MS_NODEV, STAGE_OPTIONS) < 0)
    r = error_set_errno (err, errno, "mount tmpfs on '%s'", directory);
  return r;
}

/* What PATH is, and where it lies, in the stage's own mount namespace: nothing is mounted there any more but
 * by us. */
static int look_again (const char *path, struct host_facts *facts, const struct path_fact **ret_fact,
                       struct error *err)
{
  int r = host_look_path (facts, path, err);

  if (r == 0)
    r = trace_paths (facts, err);
  if (r == 0)
    *ret_fact = path_facts_find (&facts->paths, path);
  return r;
}

/* The engine's own directory, which links may lead to. */
static int place_root (const struct container_stage *stage, struct json_node *config, struct error *err)
{
  struct json_node *root = json_edit (config, "root");
  const struct json_node *path = json_get (root, "path");
  cleanup_free char *target = str_format ("%s/rootfs", stage->directory), *full = NULL;
  cleanup_host_facts struct host_facts *facts = calloc (1, sizeof (*facts));
  const struct path_fact *fact = NULL;
  cleanup_close int fd = -1;
  int r;

  if (path == NULL || path->type != JSON_STRING)
    return error_set (err, -EINVAL, "config.json: root has no path");
  full = path->text[0] == '/' ? strdup (path->text) : str_format ("%s/%s", stage->bundle, path->text);
  if (target == NULL || full == NULL || facts == NULL)
    return error_oom (err);
  r = look_again (full, facts, &fact, err);
  if (r == 0 && fact->real == NULL)
    r = error_set_errno (err, ENOENT, "find the root '%s'", full);
  if (r == 0)
    r = spec_check_root (fact, err);
  if (r < 0)
    return r;
  fd = mount_open_source (fact->real, err);
  r = fd < 0 ? fd : mount_place (fd, target, 0, -1, err);
  if (r == 0 && json_set (root, "path", json_new_text (JSON_STRING, target)) < 0)
    r = error_oom (err);
  return r;
}

/* Files that the container makes in a directory belong to the directory's owner outside. */
static void map_owner (const struct container_stage *stage, const struct json_node *config,
                       const struct stat *owner, int *ret_fd)
{
  const struct json_node *map = json_get (json_get (config, "linux"), "uidMappings");
  const struct value *own = &stage->policy->settings.values[SETTING_USER];
  uint32_t uid = own->uid, gid = own->gid;
  cleanup_error struct error ignored = { 0 };

  if (map != NULL && map->count > 0) {
    if (stage->policy->spec.ids.count == 0)
      return; /* the engine's own namespace: its volumes are its own business */
    uid += stage->policy->spec.ids.outside;
    gid += stage->policy->spec.ids.outside;
  }
  if (uid == owner->st_uid && gid == owner->st_gid)
    return;
  /* A file system or kernel that cannot leaves the directory as it is: readable, as others may. */
  if (mount_id_namespace (owner->st_uid, uid, owner->st_gid, gid, ret_fd, &ignored) < 0)
    *ret_fd = -1;
}

static int place_source (const struct container_stage *stage, const struct json_node *config,
                         struct json_node *mount, const char *target, struct error *err)
{
  const char *source = json_get (mount, "source")->text;
  const struct path_fact *fact = policy_fact (stage->policy, source), *now = NULL;
  cleanup_host_facts struct host_facts *facts = calloc (1, sizeof (*facts));
  cleanup_close int fd = -1, idmap = -1;
  bool read_only = spec_mount_is_read_only (mount);
  uint64_t flags = read_only ? MOUNT_ATTR_RDONLY : 0;
  struct stat st;
  int r;

  fd = mount_open_known (source, fact ? fact->device : 0, fact ? fact->inode : 0, &st, err);
  r = fd < 0 ? fd : facts ? look_again (source, facts, &now, err) : error_oom (err);
  if (r == 0 && !trace_same (fact, now))
    r = error_set (err, -ESTALE, "'%s' is not what it was when it was judged", source);
  if (r < 0)
    return error_prefix (err, "workspace.bounded");
  if (!read_only && S_ISDIR (st.st_mode))
    map_owner (stage, config, &st, &idmap);
  if (idmap >= 0 && mount_place (fd, target, flags, idmap, NULL) == 0)
    return 0;
  /* The target is there by now. */
  return idmap >= 0 ? mount_descriptor (fd, target, flags, -1, err)
                    : mount_place (fd, target, flags, -1, err);
}

static int place_sources (const struct container_stage *stage, struct json_node *config, struct error *err)
{
  struct json_node *mounts = json_edit (config, "mounts");
  int r = 0;

  for (size_t i = 0; r == 0 && mounts != NULL && i < mounts->count; i++) {
    cleanup_free char *target = str_format ("%s/%zu", stage->directory, i);

    if (!spec_mount_is_bind (mounts->items[i]))
      continue;
    if (target == NULL)
      return error_oom (err);
    r = place_source (stage, config, mounts->items[i], target, err);
    if (r == 0 && json_set (mounts->items[i], "source", json_new_text (JSON_STRING, target)) < 0)
      r = error_oom (err);
  }
  return r;
}

static struct json_node *new_mount (const char *source, const char *dest, const char *last_option)
{
  static const char *const options[] = { "bind", "ro", "nosuid", "nodev" };
  struct json_node *mount = json_new (JSON_OBJECT), *list = json_new (JSON_ARRAY);
  bool failed = mount == NULL || list == NULL;

  for (size_t i = 0; i < ARRAY_LEN (options) && !failed; i++)
    failed = json_append (list, json_new_text (JSON_STRING, options[i])) < 0;
  if (!failed && last_option != NULL)
    failed = json_append (list, json_new_text (JSON_STRING, last_option)) < 0;
  failed = failed || json_set (mount, "destination", json_new_text (JSON_STRING, dest)) < 0
           || json_set (mount, "type", json_new_text (JSON_STRING, "bind")) < 0
           || json_set (mount, "source", json_new_text (JSON_STRING, source)) < 0;
  if (!failed)
    failed = json_set (mount, "options", take_ptr (list)) < 0;
  if (!failed)
    return mount;
  json_free (mount);
  json_free (list);
  return NULL;
}

static bool is_text (const struct json_node *node, const char *text)
{
  return node != NULL && node->type == JSON_STRING && strcmp (node->text, text) == 0;
}

/* docker run --init binds Docker's init. Ours is the first process and does the same; started by ours,
 * Docker's would complain in the command's output that it is not process 1. */
static void leave_out_init (struct json_node *config)
{
  static const char program[] = "/sbin/docker-init";
  struct json_node *args = json_edit (json_edit (config, "process"), "args");
  const struct json_node *mounts = json_get (config, "mounts");

  if (args == NULL || args->type != JSON_ARRAY || args->count < 3 || !is_text (args->items[0], program)
      || !is_text (args->items[1], "--"))
    return;
  for (size_t i = 0; mounts != NULL && i < mounts->count; i++)
    if (is_text (json_get (mounts->items[i], "destination"), program)) {
      json_remove_at (args, 1);
      json_remove_at (args, 0);
      return;
    }
}

/* Init, then the command as it was. */
static int put_before (struct json_node *process, struct error *err)
{
  const struct json_node *terminal = json_get (process, "terminal");
  const char *const argv[] = { STAGE_INIT_TARGET, "--transport", "call", "--tty", "--" };
  struct json_node *args = json_edit (process, "args");
  size_t at = 0;

  if (args == NULL || args->type != JSON_ARRAY || args->count == 0)
    return error_set (err, -EINVAL, "config.json: the process has no command");
  for (size_t i = 0; i < ARRAY_LEN (argv); i++) {
    if (strcmp (argv[i], "--tty") == 0 && (terminal == NULL || !terminal->flag))
      continue;
    if (json_insert (args, at++, json_new_text (JSON_STRING, argv[i])) < 0)
      return error_oom (err);
  }
  return 0;
}

static int add_init (const struct container_stage *stage, struct json_node *config, struct error *err)
{
  cleanup_free char *init = str_format ("%s/init", stage->directory),
                    *rendezvous = str_format ("%s/rendezvous", stage->directory);
  struct json_node *mounts = json_edit (config, "mounts");
  int r;

  if (stage->init == NULL)
    return 0;
  if (init == NULL || rendezvous == NULL)
    return error_oom (err);
  r = mount_place_own (stage->init, init, err);
  if (r == 0)
    r = mount_place_own (stage->rendezvous, rendezvous, err);
  if (r == 0
      && (json_append (mounts, new_mount (init, STAGE_INIT_TARGET, NULL)) < 0
          || json_append (mounts, new_mount (rendezvous, RENDEZVOUS_PATH, "noexec")) < 0))
    r = error_oom (err);
  if (r < 0)
    return r;
  leave_out_init (config);
  return put_before (json_edit (config, "process"), err);
}

/* runc's default is rslave: mounts of the host would appear inside. */
static int close_root (struct json_node *config, struct error *err)
{
  struct json_node *linux_ = json_edit (config, "linux");

  return json_set (linux_, "rootfsPropagation", json_new_text (JSON_STRING, "private")) < 0 ? error_oom (err)
                                                                                            : 0;
}

/* crun before 1.9 refuses every version but 1.0. What later versions added is either removed by a profile, or
 * one of these keys: without them the document is one of 1.0. Engines still find their version in the bundle.
 */
static int lower_version (struct json_node *config, struct error *err)
{
  static const char *const later[] = { "timeOffsets", "netDevices", "memoryPolicy", "intelRdt" };
  const struct json_node *version = json_get (config, "ociVersion"), *linux_ = json_get (config, "linux");
  bool plain = json_get (config, "domainname") == NULL;

  for (size_t i = 0; i < ARRAY_LEN (later); i++)
    plain = plain && json_get (linux_, later[i]) == NULL;
  if (!plain || version == NULL || version->type != JSON_STRING || !str_has_prefix (version->text, "1.")
      || str_has_prefix (version->text, "1.0."))
    return 0;
  return json_set (config, "ociVersion", json_new_text (JSON_STRING, "1.0.2")) < 0 ? error_oom (err) : 0;
}

/* Runtimes and the proof compare mount points as text, so they get paths without links. */
static int follow_links (const struct container_stage *stage, struct json_node *config, struct error *err)
{
  struct json_node *mounts = json_edit (config, "mounts");
  int r = 0;

  for (size_t i = 0; r == 0 && mounts != NULL && i < mounts->count; i++) {
    const char *written = json_get (mounts->items[i], "destination")->text;
    const char *real = spec_point_real (stage->policy->spec.points, written);

    if (strcmp (written, real) != 0)
      r = json_set (mounts->items[i], "destination", json_new_text (JSON_STRING, real));
  }
  return r < 0 ? error_oom (err) : 0;
}

static int make_points (const struct container_stage *stage, struct json_node *config, struct error *err)
{
  cleanup_free char *root = str_format ("%s/rootfs", stage->directory);

  int r = root ? points_make (root, config, err) : error_oom (err);

  return r < 0 ? r : points_make_cwd (root, config, err);
}

static int show_config (const struct container_stage *stage, const struct json_node *config,
                        struct error *err)
{
  cleanup_free char *path = str_format ("%s/config.json", stage->directory), *text = NULL;
  int r;

  if (path == NULL)
    return error_oom (err);
  r = spec_write (config, &text, err);
  if (r == 0)
    r = file_write_passing (AT_FDCWD, path, text, strlen (text), 0600, err);
  if (r < 0)
    return r;
  if (mount (path, stage->config_path, NULL, MS_BIND, NULL) < 0)
    return error_set_errno (err, errno, "show the staged configuration at '%s'", stage->config_path);
  return 0;
}

int container_stage_build (const struct container_stage *stage, struct error *err)
{
  cleanup_json struct json_node *config = json_clone (stage->config);
  mode_t before;
  int r;

  if (config == NULL)
    return error_oom (err);
  before = umask (022);
  r = open_stage (stage->directory, err);
  if (r == 0)
    r = follow_links (stage, config, err);
  if (r == 0)
    r = container_plan_write (stage->plan, stage->policy, config, err);
  if (r == 0)
    r = place_root (stage, config, err);
  if (r == 0)
    r = place_sources (stage, config, err);
  if (r == 0)
    r = close_root (config, err);
  if (r == 0)
    r = add_init (stage, config, err);
  if (r == 0)
    r = make_points (stage, config, err);
  if (r == 0)
    r = lower_version (config, err);
  if (r == 0)
    r = show_config (stage, config, err);
  umask (before);
  /* While it is mounted its directory cannot be removed. */
  if (r < 0)
    umount2 (stage->directory, MNT_DETACH);
  return r;
}
