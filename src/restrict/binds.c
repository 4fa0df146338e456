/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Binds: what of the host appears inside.
 *
 * A source is judged by where it really lies: by every name of what is mounted there, and of what is mounted
 * below it and comes along. Directories that give control over the host are refused, programs are read-only,
 * sensitive places need the profile's grant, and every other directory is the container's workspace. Of the
 * engine's own directories come volumes and the files that engines are known to bring (engine-files.c).
 */
#include <config.h>

#include "restrict-internal.h"

#include <errno.h>
#include <string.h>

#include "base-path.h"
#include "plan-source.h"
#include "profile-source.h"

bool spec_mount_is_bind (const struct json_node *mount)
{
  const struct json_node *type = json_get (mount, "type");

  return (type != NULL && type->type == JSON_STRING && strcmp (type->text, "bind") == 0)
         || option_there (mount, "bind") || option_there (mount, "rbind");
}

static int add_source (const struct json_node *source, struct strlist *paths)
{
  cleanup_free char *path = NULL;
  int r;

  if (source == NULL || source->type != JSON_STRING)
    return 0;
  r = spec_normal_path (source->text, &path);
  if (r == -EINVAL)
    return 0; /* "proc", "tmpfs"; a bind of such is refused later */
  return r < 0 ? r : strset_add (paths, path);
}

int spec_sources (const struct json_node *config, struct strlist *ret_paths, struct error *err)
{
  const struct json_node *mounts = json_get (config, "mounts");
  cleanup_strlist struct strlist paths = { 0 };
  int r = add_source (json_get (json_get (config, "root"), "path"), &paths);

  for (size_t i = 0; r >= 0 && mounts != NULL && mounts->type == JSON_ARRAY && i < mounts->count; i++)
    r = add_source (json_get (mounts->items[i], "source"), &paths);
  if (r < 0)
    return error_oom (err);
  *ret_paths = paths;
  paths = (struct strlist){ 0 };
  return 0;
}

bool bind_is_granted (const struct meet *m, const char *real)
{
  const struct grants *grants = &restrict_value (m, SETTING_MOUNTS)->grants;

  for (size_t i = 0; i < grants->count; i++)
    if (grants->items[i].source != NULL && path_is_within (real, grants->items[i].source))
      return true;
  return false;
}

const char *spec_kernels_filesystem (const char *name)
{
  static const char *const kernels[] = {
    "proc",    "sysfs",      "devtmpfs",   "devpts",      "cgroup",   "cgroup2",
    "debugfs", "tracefs",    "securityfs", "bpf",         "configfs", "efivarfs",
    "pstore",  "mqueue",     "hugetlbfs",  "binfmt_misc", "fusectl",  "selinuxfs",
    "smackfs", "rpc_pipefs", "nfsd",       "resctrl",     "nsfs",     "pipefs",
    "sockfs",  "bdev",       "functionfs", "binder",      "pidfs",    "anon_inodefs",
  };

  for (size_t i = 0; i < ARRAY_LEN (kernels); i++)
    if (strcmp (kernels[i], name) == 0)
      return "it is an interface of the host's kernel";
  return NULL;
}

static int refuse_source (struct meet *m, const char *source, const char *dest, const char *why)
{
  return restrict_refuse (m, CONTROL_WORKSPACE_BOUNDED,
                          "'%s' cannot be bound to '%s': %s; start it without that mount", source, dest, why);
}

/* One bind while it is judged. */
struct source {
  struct meet *m;
  const struct path_fact *fact;
  const char *dest;
  bool writable;
  bool read_only; /* what came out: it must not be written, */
  bool brought;   /* as it is the engine's */
};

/* PART is the source's fact, or one of what is mounted below it; PATH is the name that WHY is about. */
static int refuse_bind (const struct source *s, const struct path_fact *part, const char *path,
                        const char *why)
{
  bool below = part != s->fact, elsewhere = strcmp (path, part->real) != 0;

  return restrict_refuse (s->m, CONTROL_WORKSPACE_BOUNDED,
                          "'%s'%s%s%s%s%s%s cannot be bound to '%s': %s; start it without that mount",
                          s->fact->real, below ? " with '" : "", below ? part->real : "",
                          below ? "' in it" : "", elsewhere ? " (really '" : "", elsewhere ? path : "",
                          elsewhere ? "')" : "", s->dest, why);
}

/* By one of its names. */
static int judge_name (struct source *s, const struct path_fact *part, const char *path)
{
  const struct meet *m = s->m;
  struct path_fact named = *part;
  enum source_class class = SOURCE_PLAIN;
  const char *why;

  named.real = strdup (path);
  if (named.real == NULL)
    return error_oom (m->err);
  why = source_forbidden (m->policy->host, &named, s->writable);
  free (named.real);
  if (why == NULL && !engine_volume_known (m, path)) {
    why = engine_keeps (m, path);
    if (why == NULL)
      why = kubelet_keeps (m, part, path);
    if (why == NULL)
      class = source_classify (path, &why);
    if (class == SOURCE_PROGRAMS || (class == SOURCE_SENSITIVE && bind_is_granted (m, path)))
      why = NULL;
  }
  if (why == NULL && class == SOURCE_PLAIN && restrict_value (m, SETTING_WORKSPACE)->level == WORKSPACE_NONE
      && !bind_is_granted (m, path))
    why = "the profile has no workspace";
  if (why != NULL)
    return refuse_bind (s, part, path, why);
  s->read_only = s->read_only || class != SOURCE_PLAIN;
  return 0;
}

/* An engine mounts on a volume whatever its user asks for. A directory of the host is judged by its own name;
 * memory is new. Anything else (disks, servers, layers) could not be bound by the user, and is refused. */
static int judge_volume (const struct source *s, const struct path_fact *part)
{
  for (size_t i = 0; i < part->place_count; i++) {
    const struct path_place *volume = &part->places[i];
    size_t len = engine_volume (volume->path);
    bool known = len == 0 || strlen (volume->mount) < len || strncmp (volume->mount, volume->path, len) != 0
                 || strcmp (part->filesystem, "tmpfs") == 0;

    for (size_t k = 0; !known && k < part->place_count; k++)
      known = engine_volume (part->places[k].path) == 0 && strcmp (part->places[k].root, volume->root) != 0
              && path_is_within (volume->root, part->places[k].root);
    if (!known)
      return refuse_bind (s, part, volume->path,
                          "what is mounted on that volume is neither a directory of the host's nor memory "
                          "(have it mounted on the host, and bind that directory)");
  }
  return 0;
}

/* A server that the pod's author names, or a program that answers for one. */
static bool is_remote (const char *filesystem)
{
  static const char *const remote[] = { "nfs", "nfs4", "cifs",   "smb3", "smbfs",    "ceph", "9p",
                                        "afs", "coda", "lustre", "fuse", "orangefs", "gpfs", "beegfs" };

  for (size_t i = 0; i < ARRAY_LEN (remote); i++)
    if (strcmp (remote[i], filesystem) == 0)
      return true;
  return str_has_prefix (filesystem, "fuse.");
}

/* A kubelet mounts disks for a pod, and so may the pod have them; for a server the profile decides. */
static int judge_kubelets (const struct source *s, const struct path_fact *part)
{
  const char *found = NULL;

  if (!is_remote (part->filesystem))
    return 0;
  for (size_t i = 0; i < part->place_count; i++) {
    if (bind_is_granted (s->m, part->places[i].path))
      return 0;
    if (kubelet_has (s->m, part->places[i].path))
      found = part->places[i].path;
  }
  return found ? refuse_bind (s, part, found,
                              "it is on a network file system, and the profile does not grant it")
               : 0;
}

static int judge_part (struct source *s, const struct path_fact *part)
{
  const char *why = spec_kernels_filesystem (part->filesystem);
  int r = why ? refuse_bind (s, part, part->real, why) : judge_volume (s, part);

  if (r == 0)
    r = judge_kubelets (s, part);
  for (size_t i = 0; r == 0 && i < part->place_count; i++)
    r = judge_name (s, part, part->places[i].path);
  return r;
}

/* A file that the engine made for this container, whatever it is called by. */
static bool is_brought (const struct source *s)
{
  for (size_t i = 0; i < s->fact->place_count; i++)
    if (!engine_brings (s->m, s->fact->places[i].path, s->m->written))
      return false;
  return s->fact->place_count > 0 && s->fact->below_count == 0
         && spec_kernels_filesystem (s->fact->filesystem) == NULL;
}

const struct path_fact *bind_fact (struct meet *m, const struct json_node *mount)
{
  const struct json_node *source = json_get (mount, "source");
  cleanup_free char *path = NULL;
  int r = source != NULL && source->type == JSON_STRING && spec_mount_is_bind (mount)
              ? spec_normal_path (source->text, &path)
              : -EINVAL;

  m->failed = m->failed || r == -ENOMEM;
  return r < 0 ? NULL : path_facts_find (&m->policy->host->paths, path);
}

bool bind_is_brought (struct meet *m, const struct json_node *mount, const char *dest)
{
  struct source s = { .m = m, .dest = dest, .fact = bind_fact (m, mount) };

  return s.fact != NULL && s.fact->filesystem != NULL && is_brought (&s);
}

/* Whether the bind must not be written, by what its source is. */
static int judge (struct source *s, bool *ret_directory)
{
  const struct path_fact *fact = s->fact;
  const char *why = source_forbidden (s->m->policy->host, fact, s->writable);
  int r;

  *ret_directory = false;
  if (fact->magic)
    return refuse_source (s->m, fact->path, s->dest,
                          "a link in /proc is on the way, which leads elsewhere for each process");
  if (why == NULL && fact->type != PATH_DIRECTORY && fact->type != PATH_FILE)
    why = "it is neither a directory nor a file";
  else if (why == NULL && (fact->filesystem == NULL || fact->place_count == 0))
    why = "where it lies is not known";
  if (why != NULL)
    return refuse_bind (s, fact, fact->real, why);
  if (is_brought (s)) {
    s->read_only = s->brought = true;
    return 0;
  }
  r = judge_part (s, fact);
  for (size_t i = 0; r == 0 && i < fact->below_count; i++)
    r = judge_part (s, &fact->below[i]);
  s->brought = engine_brings_some (s->m, fact->real, s->m->written) || kubelet_is_hosts (s->m, fact->real);
  s->read_only = s->read_only || s->brought;
  *ret_directory = !s->read_only && fact->type == PATH_DIRECTORY;
  s->read_only = s->read_only || restrict_value (s->m, SETTING_WORKSPACE)->level != WORKSPACE_READ_WRITE;
  return r;
}

/* An idmapped mount gives files other owners. */
static int check_id_maps (struct meet *m, const struct json_node *mount, const char *dest)
{
  const struct json_node *options = json_get (mount, "options");
  bool mapped = json_get (mount, "uidMappings") != NULL || json_get (mount, "gidMappings") != NULL;

  for (size_t i = 0; options != NULL && i < options->count; i++) {
    const char *option = options->items[i]->text;

    mapped = mapped || str_has_prefix (option, "idmap") || str_has_prefix (option, "ridmap");
  }
  return mapped ? restrict_refuse (m, CONTROL_USER_NAMESPACE,
                                   "the mount on '%s' has ids mapped; start it without that", dest)
                : 0;
}

bool spec_mount_is_read_only (const struct json_node *mount)
{
  return option_there (mount, "ro") && !option_there (mount, "rw") && !option_there (mount, "rrw");
}

int restrict_bind (struct meet *m, struct json_node *mount, const char *dest, bool *ret_directory)
{
  cleanup_free char *path = NULL;
  struct source s = { .m = m, .dest = dest, .writable = !spec_mount_is_read_only (mount) };
  const char *source = NULL;
  int r = restrict_find_text (m, mount, "source", &source);

  if (r < 0)
    return r;
  r = source ? spec_normal_path (source, &path) : -EINVAL;
  if (r == -ENOMEM)
    return error_oom (m->err);
  if (r < 0)
    return refuse_source (m, source ? source : "", dest, "its source is not an absolute path without '..'");
  s.fact = path_facts_find (&m->policy->host->paths, path);
  if (s.fact == NULL || s.fact->type == PATH_ABSENT || s.fact->real == NULL)
    return refuse_source (m, path, dest, "it does not exist");
  r = check_id_maps (m, mount, dest);
  if (r == 0)
    r = judge (&s, ret_directory);
  if (r < 0)
    return r;
  /* What was judged is what is mounted: no link is left for the runtime to follow. */
  if (strcmp (source, s.fact->real) != 0)
    restrict_set (m, mount, "source", json_new_text (JSON_STRING, s.fact->real));
  if (s.read_only && s.writable) {
    option_force (m, mount, "ro", "rw");
    if (s.brought)
      m->brought++;
    else
      restrict_note (m, CONTROL_WORKSPACE_BOUNDED, "the mount on '%s' is made read-only", dest);
  }
  return 0;
}
