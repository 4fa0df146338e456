/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mounts: the kernel's own file systems where they belong and nowhere else, memory with a size, and binds.
 *
 * A fresh /dev closes the tricks with links and devices that an image brings along, so it is always there.
 */
#include <config.h>

#include "restrict-internal.h"

#include <errno.h>
#include <string.h>

#include "base-limits.h"
#include "base-path.h"

#define TERMINATION_LOG "/dev/termination-log"
#define SECRETS_DEST    "/run/secrets"
#define SECRETS_SIZE    65536u /* for mount points alone */

/* What may be mounted on the places that programs take the kernel for. */
struct place {
  const char *dest;
  const char *types[3];
  bool device_nodes; /* those on it work */
  bool executable;
  bool read_only;
};

static const struct place places[] = {
  { "/proc", { "proc" }, false, false, false },
  { "/sys", { "sysfs" }, false, false, true },
  { "/sys/fs/cgroup", { "cgroup", "cgroup2" }, false, false, true },
  { "/dev", { "tmpfs" }, true, false, false },
  { "/dev/pts", { "devpts" }, true, false, false },
  { "/dev/shm", { "tmpfs" }, false, false, false },
  { "/dev/mqueue", { "mqueue" }, false, false, false },
};

static const struct place *find_place (const char *dest)
{
  for (size_t i = 0; i < ARRAY_LEN (places); i++)
    if (strcmp (places[i].dest, dest) == 0)
      return &places[i];
  return NULL;
}

static bool place_takes (const struct place *place, const char *type)
{
  for (size_t i = 0; i < ARRAY_LEN (place->types) && place->types[i] != NULL; i++)
    if (strcmp (place->types[i], type) == 0)
      return true;
  return false;
}

static uint64_t tmp_size (const struct meet *m)
{
  return restrict_number (m, SETTING_TMP, 64 * 1024 * 1024);
}

static void bound_size (struct meet *m, struct json_node *mount, const char *dest)
{
  if (option_bound_size (m, mount, tmp_size (m)))
    restrict_note (m, CONTROL_TMP_BOUNDED, "%s gets no more than %" PRIu64 " bytes", dest, tmp_size (m));
}

/* MOUNT becomes memory of its own, of SIZE bytes at most. */
static int replace (struct meet *m, struct json_node *mount, const char *dest, const char *mode,
                    const char *exec, uint64_t size)
{
  const char *const options[] = { "nosuid", "nodev", exec, mode };
  struct json_node *list = json_new (JSON_ARRAY);

  restrict_set (m, mount, "type", json_new_text (JSON_STRING, "tmpfs"));
  restrict_set (m, mount, "source", json_new_text (JSON_STRING, strrchr (dest, '/') + 1));
  restrict_set (m, mount, "options", list);
  for (size_t i = 0; i < ARRAY_LEN (options) && !m->failed; i++)
    restrict_append_text (m, list, options[i]);
  if (m->failed)
    return error_oom (m->err);
  restrict_note (m, CONTROL_TMP_BOUNDED, "what is bound on %s becomes memory of its own", dest);
  (void) option_bound_size (m, mount, size);
  return 0;
}

static size_t force_flags (struct meet *m, struct json_node *mount, bool device_nodes, bool executable)
{
  size_t changed = option_force (m, mount, "nosuid", "suid");

  if (!device_nodes)
    changed += option_force (m, mount, "nodev", "dev");
  if (!executable)
    changed += option_force (m, mount, "noexec", "exec");
  return changed > 0;
}

/* FLAGGED counts mounts that got flags. */
static int restrict_place (struct meet *m, struct json_node *mount, const struct place *place,
                           const char *type, size_t *flagged)
{
  bool shm = strcmp (place->dest, "/dev/shm") == 0;

  /* Podman binds a directory of its own there, which may be another container's. */
  if (shm && spec_mount_is_bind (mount))
    return replace (m, mount, place->dest, "mode=1777", "noexec", tmp_size (m));
  if (!place_takes (place, type) || spec_mount_is_bind (mount))
    return restrict_refuse (m, CONTROL_DEVICES_MINIMAL,
                            "'%s' cannot be mounted on '%s'; start it without that mount", type, place->dest);
  *flagged += force_flags (m, mount, place->device_nodes, place->executable);
  if (place->read_only && !spec_mount_is_read_only (mount)) {
    option_force (m, mount, "ro", "rw");
    restrict_note (m, CONTROL_PATHS_MASKED, "%s is made read-only", place->dest);
  }
  if (shm)
    bound_size (m, mount, place->dest);
  return 0;
}

static bool is_noexec (const struct meet *m, const char *dest)
{
  return strset_has (&restrict_value (m, SETTING_NOEXEC)->set, dest);
}

/* Below the kernel's own places nothing is mounted but the file to which a container of Kubernetes writes why
 * it ended. */
static int check_dest (struct meet *m, const struct json_node *mount, const char *dest)
{
  const struct json_node *source = json_get (mount, "source");
  const struct path_fact *fact = NULL;

  if (strcmp (dest, "/") == 0 || path_is_within (dest, "/proc") || path_is_within (dest, "/sys"))
    return restrict_refuse (m, CONTROL_PATHS_MASKED,
                            "nothing can be mounted on '%s'; start it without that mount", dest);
  if (!path_is_within (dest, "/dev"))
    return 0;
  if (strcmp (dest, TERMINATION_LOG) == 0 && source != NULL && source->type == JSON_STRING
      && spec_mount_is_bind (mount))
    fact = path_facts_find (&m->policy->host->paths, source->text);
  if (fact != NULL && fact->type == PATH_FILE)
    return 0;
  return restrict_refuse (m, CONTROL_DEVICES_MINIMAL,
                          "nothing can be mounted on '%s'; start it without that mount", dest);
}

static int hide_below (struct meet *m, const char *dest)
{
  const struct strlist *hide = &restrict_value (m, SETTING_HIDE)->set;
  struct json_node *linux_ = json_edit (m->config, "linux"), *masked = NULL;
  int r = restrict_make (m, linux_, "maskedPaths", JSON_ARRAY, &masked);

  for (size_t i = 0; r == 0 && i < hide->count; i++) {
    bool absolute = hide->items[i][0] == '/';
    cleanup_free char *path =
        str_format ("%s%s%s", absolute ? "" : dest, absolute ? "" : "/", hide->items[i]);

    if (path == NULL)
      return error_oom (m->err);
    if (texts_have (masked, path))
      continue;
    restrict_append_text (m, masked, path);
    restrict_note (m, CONTROL_PATHS_HIDDEN, "'%s' is covered", path);
  }
  return r;
}

static bool is_empty_dir (struct meet *m, const struct json_node *mount)
{
  const struct path_fact *fact = bind_fact (m, mount);

  return fact != NULL && kubelet_is_empty_dir (m, fact->path);
}

/* Either name counts: the engine chose the one, the image's links lead to the other. */
static bool is_secrets (const struct meet *m, const char *dest)
{
  return strcmp (dest, SECRETS_DEST) == 0 || strcmp (m->written, SECRETS_DEST) == 0;
}

static int restrict_other (struct meet *m, struct json_node *mount, const char *dest, const char *type,
                           size_t *flagged)
{
  bool tmp = strcmp (dest, "/tmp") == 0, directory = false;
  int r = check_dest (m, mount, dest);

  if (r < 0)
    return r;
  /* Podman's directory holds secrets of the host's own (subscriptions), and takes the mount points of the
   * container's. */
  if (is_secrets (m, dest) && bind_is_brought (m, mount, dest))
    return replace (m, mount, dest, "mode=755", "noexec", SECRETS_SIZE);
  if (tmp && is_empty_dir (m, mount))
    return replace (m, mount, dest, "mode=1777", is_noexec (m, dest) ? "noexec" : "exec", tmp_size (m));
  if (tmp && (spec_mount_is_bind (mount) || strcmp (type, "tmpfs") != 0))
    return restrict_refuse (m, CONTROL_TMP_BOUNDED,
                            "/tmp is memory of the container's own, and '%s' is to be mounted there; "
                            "choose another place for it",
                            type);
  if (spec_mount_is_bind (mount))
    r = restrict_bind (m, mount, dest, &directory);
  else if (strcmp (type, "tmpfs") != 0)
    r = restrict_refuse (m, CONTROL_WORKSPACE_BOUNDED,
                         "a mount of type '%s' on '%s' is not one of a container; start it "
                         "without that mount",
                         type, dest);
  if (r == 0 && directory)
    r = hide_below (m, dest);
  if (r < 0)
    return r;
  *flagged += force_flags (m, mount, false, !is_noexec (m, dest));
  if (tmp)
    bound_size (m, mount, dest);
  return 0;
}

static int meet_one (struct meet *m, struct json_node *mount, char **ret_dest, size_t *flagged)
{
  cleanup_free char *written = NULL;
  struct json_node *options = NULL;
  const struct place *place;
  const char *text = NULL, *type = NULL;
  int r = restrict_find_text (m, mount, "destination", &text);

  if (r == 0)
    r = restrict_find_text (m, mount, "type", &type);
  if (r == 0)
    r = restrict_make (m, mount, "options", JSON_ARRAY, &options);
  if (r == 0)
    r = restrict_items (m, options, "options", JSON_STRING);
  if (r < 0)
    return r;
  r = text ? spec_normal_path (text, &written) : -EINVAL;
  if (r == -ENOMEM)
    return error_oom (m->err);
  if (r < 0)
    return restrict_refuse (m, CONTROL_WORKSPACE_BOUNDED,
                            "the mount point '%s' is not an absolute path without '..'", text ? text : "");
  *ret_dest = strdup (spec_point_real (m->policy->points, written));
  if (*ret_dest == NULL)
    return error_oom (m->err);
  if (strcmp (text, written) != 0)
    restrict_set (m, mount, "destination", json_new_text (JSON_STRING, written));
  if (option_force_private (m, mount))
    restrict_note (m, CONTROL_NAMESPACE_MOUNT, "the mount on '%s' is made private", *ret_dest);
  place = find_place (*ret_dest);
  if (type == NULL)
    type = spec_mount_is_bind (mount) ? "bind" : "none";
  m->written = written;
  r = place ? restrict_place (m, mount, place, type, flagged)
            : restrict_other (m, mount, *ret_dest, type, flagged);
  m->written = NULL;
  return r;
}

static struct json_node *new_tmpfs (struct meet *m, const char *dest, const char *const *options)
{
  struct json_node *mount = json_new (JSON_OBJECT), *list = json_new (JSON_ARRAY);

  if (mount == NULL || list == NULL) {
    json_free (mount);
    json_free (list);
    m->failed = true;
    return NULL;
  }
  restrict_set (m, mount, "destination", json_new_text (JSON_STRING, dest));
  restrict_set (m, mount, "type", json_new_text (JSON_STRING, "tmpfs"));
  restrict_set (m, mount, "source", json_new_text (JSON_STRING, "tmpfs"));
  for (size_t i = 0; options[i] != NULL; i++)
    restrict_append_text (m, list, options[i]);
  restrict_set (m, mount, "options", list);
  return mount;
}

/* First /dev, as others are mounted into it; the rest at the end. */
static int add_missing (struct meet *m, struct json_node *mounts, const struct strlist *dests)
{
  static const char *const dev[] = { "nosuid", "noexec", "strictatime", "mode=755", "size=65536", NULL };
  static const char *const tmp[] = { "nosuid", "nodev", "mode=1777", NULL };
  static const char *const shm[] = { "nosuid", "nodev", "noexec", "mode=1777", NULL };
  struct json_node *mount;

  if (!strset_has (dests, "/dev")) {
    mount = new_tmpfs (m, "/dev", dev);
    m->failed = mount == NULL || json_insert (mounts, 0, mount) < 0 || m->failed;
    restrict_note (m, CONTROL_DEVICES_MINIMAL, "/dev becomes a fresh one");
  }
  if (!strset_has (dests, "/dev/shm") && !m->failed) {
    mount = new_tmpfs (m, "/dev/shm", shm);
    if (mount != NULL)
      (void) option_bound_size (m, mount, tmp_size (m));
    restrict_append (m, mounts, mount);
    restrict_note (m, CONTROL_TMP_BOUNDED, "/dev/shm becomes memory of its own, of %" PRIu64 " bytes",
                   tmp_size (m));
  }
  if (!strset_has (dests, "/tmp") && !m->failed) {
    mount = new_tmpfs (m, "/tmp", tmp);
    if (mount != NULL && !m->failed) {
      (void) option_bound_size (m, mount, tmp_size (m));
      if (is_noexec (m, "/tmp"))
        option_force (m, mount, "noexec", NULL);
    }
    restrict_append (m, mounts, mount);
    restrict_note (m, CONTROL_TMP_BOUNDED, "/tmp becomes memory of its own, of %" PRIu64 " bytes",
                   tmp_size (m));
  }
  return m->failed ? error_oom (m->err) : 0;
}

static const char *text_of (const struct json_node *mount, const char *key)
{
  const struct json_node *node = json_get (mount, key);

  return node != NULL && node->type == JSON_STRING ? node->text : "";
}

static bool is_token_on (const struct meet *m, const struct path_fact *fact, const char *dest)
{
  bool token = kubelet_is_token (m, fact->path, dest), granted = bind_is_granted (m, fact->path);

  if (fact->real != NULL) {
    token = token || kubelet_is_token (m, fact->real, dest);
    granted = granted || bind_is_granted (m, fact->real);
  }
  for (size_t i = 0; i < fact->place_count; i++) {
    token = token || kubelet_is_token (m, fact->places[i].path, dest);
    granted = granted || bind_is_granted (m, fact->places[i].path);
  }
  return token && !granted;
}

/* A credential for the cluster, which the container did not ask for. By any name of the source, and by both
 * of the mount point. */
static bool is_token (struct meet *m, const struct json_node *mount)
{
  const struct path_fact *fact = bind_fact (m, mount);
  cleanup_free char *dest = NULL;
  int r = fact ? spec_normal_path (text_of (mount, "destination"), &dest) : -EINVAL;

  m->failed = m->failed || r == -ENOMEM;
  return r == 0
         && (is_token_on (m, fact, dest) || is_token_on (m, fact, spec_point_real (m->policy->points, dest)));
}

/* containerd 1.6 has two mounts on /dev/shm in the container of a pod: the second covers the first. */
static bool is_shadowed (const struct json_node *mounts, size_t at)
{
  if (strcmp (text_of (mounts->items[at], "destination"), "/dev/shm") != 0)
    return false;
  for (size_t i = at + 1; i < mounts->count; i++)
    if (strcmp (text_of (mounts->items[i], "destination"), "/dev/shm") == 0)
      return true;
  return false;
}

static void leave_out (struct meet *m, struct json_node *mounts)
{
  for (size_t i = 0; i < mounts->count;) {
    if (is_token (m, mounts->items[i]))
      restrict_note (m, CONTROL_WORKSPACE_BOUNDED, "the service-account token on '%s' is taken away",
                     text_of (mounts->items[i], "destination"));
    else if (is_shadowed (mounts, i))
      restrict_note (m, CONTROL_TMP_BOUNDED, "of two mounts on /dev/shm the second one stays");
    else {
      i++;
      continue;
    }
    json_remove_at (mounts, i);
  }
}

/* Programs and the proof look for memory on /tmp itself. */
static int check_tmp (struct meet *m)
{
  const char *real = spec_point_real (m->policy->points, "/tmp");

  return strcmp (real, "/tmp") == 0
             ? 0
             : restrict_refuse (
                 m, CONTROL_TMP_BOUNDED,
                 "/tmp is a link to '%s' in this image, and has to be memory of the container's "
                 "own; use an image in which it is a directory",
                 real);
}

int restrict_mounts (struct meet *m, struct json_node *config)
{
  cleanup_strlist struct strlist dests = { 0 }, stores = { 0 };
  cleanup_kubelet struct kubelet kubelet = { 0 };
  struct json_node *mounts = NULL;
  size_t flagged = 0;
  int r = restrict_make (m, config, "mounts", JSON_ARRAY, &mounts);

  if (r == 0)
    r = restrict_items (m, mounts, "mounts", JSON_OBJECT);
  if (r == 0 && mounts->count > LIMIT_MOUNTS)
    r = error_set (m->err, -E2BIG, "config.json: more than %zu mounts", LIMIT_MOUNTS);
  if (r == 0)
    r = check_tmp (m);
  if (r == 0)
    r = kubelet_find (m, mounts, &kubelet);
  m->kubelet = &kubelet;
  if (r == 0)
    leave_out (m, mounts);
  if (r == 0)
    r = engine_find_stores (m, mounts, &stores);
  m->stores = &stores;
  for (size_t i = 0; r == 0 && i < mounts->count; i++) {
    cleanup_free char *dest = NULL;

    r = meet_one (m, mounts->items[i], &dest, &flagged);
    if (r == 0 && strset_has (&dests, dest))
      r = restrict_refuse (m, CONTROL_WORKSPACE_BOUNDED, "two things are to be mounted on '%s'", dest);
    if (r == 0 && strset_add (&dests, dest) < 0)
      r = error_oom (m->err);
  }
  if (r == 0 && m->brought > 0)
    restrict_note (m, CONTROL_WORKSPACE_BOUNDED, "%zu files of the engine's are made read-only", m->brought);
  if (r == 0 && flagged > 0)
    restrict_note (m, CONTROL_MOUNTS_NOSUID_NODEV, "%zu mounts get nosuid, nodev or noexec", flagged);
  if (r == 0)
    r = add_missing (m, mounts, &dests);
  m->stores = NULL;
  m->kubelet = NULL;
  return r < 0 ? r : hide_below (m, "/workspace");
}
