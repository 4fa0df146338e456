/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mounts: the host paths that appear inside, and the run's own file systems.
 *
 * The order is: own file systems (with the view of the run's cgroup), workspace, the profile's mounts, the
 * request's mounts, secrets. Each source is checked by its real path with all links resolved: by name for
 * paths that give control of the host, by path and inode for engine sockets. Every mount is nosuid and nodev.
 */
#include <config.h>

#include "plan-draft-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-path.h"
#include "plan-masked.h"
#include "plan-source.h"
#include "profile-source.h"

static int set_options (struct plan_mount *mount, const char *options)
{
  while (*options != '\0') {
    size_t len = strcspn (options, ",");

    if (strlist_add_take (&mount->options, strndup (options, len)) < 0)
      return -ENOMEM;
    options += len + (options[len] == ',');
  }
  return 0;
}

int plan_append_mount (struct plan_mount **mounts, size_t *count, const char *type, const char *source,
                       const char *target, const char *options, struct error *err)
{
  struct plan_mount *grown, *mount;

  if (*count >= LIMIT_MOUNTS)
    return error_set (err, -E2BIG, "more than %zu mounts", LIMIT_MOUNTS);
  grown = realloc (*mounts, (*count + 1) * sizeof (*grown));
  if (grown == NULL)
    return error_oom (err);
  *mounts = grown;
  mount = &grown[(*count)++];
  *mount = (struct plan_mount){ .type = strdup (type), .source = strdup (source), .target = strdup (target) };
  return mount->type && mount->source && mount->target && set_options (mount, options) == 0 ? 0
                                                                                            : error_oom (err);
}

int draft_add_mount (struct draft *draft, const char *type, const char *source, const char *target,
                     const char *options)
{
  struct plan *plan = draft->plan;

  return plan_append_mount (&plan->mounts, &plan->mount_count, type, source, target, options, draft->err);
}

int draft_add_bind (struct draft *draft, const struct path_fact *fact, const char *target, bool writable,
                    bool executable)
{
  cleanup_free char *options =
      str_format ("%s,%s,nosuid,nodev%s", fact->type == PATH_DIRECTORY ? "rbind" : "bind",
                  writable ? "rw" : "ro", executable ? "" : ",noexec");
  struct plan_mount *mount;
  int r;

  if (options == NULL)
    return error_oom (draft->err);
  if (!str_is_utf8 (fact->real, strlen (fact->real)))
    return error_set (draft->err, -EILSEQ, "mount on '%s': the source's name is not valid UTF-8", target);
  r = draft_add_mount (draft, "bind", fact->real, target, options);
  if (r < 0)
    return r;
  mount = &draft->plan->mounts[draft->plan->mount_count - 1];
  mount->writable = writable;
  mount->device = fact->device;
  mount->inode = fact->inode;
  return 0;
}

bool draft_is_noexec (const struct draft *draft, const char *target)
{
  return strset_has (&draft_value (draft, SETTING_NOEXEC)->set, target);
}

/* In a root from the host, mount points must exist before anything is mounted on them. */
static int add_mount_point (struct draft *draft, const char *target, enum path_type type)
{
  if (draft->plan->root != ROOT_FROM_HOST || path_is_within (target, "/tmp"))
    return 0;
  for (size_t i = 0; i < draft->host->root.count; i++)
    if (draft->host->root.items[i].type == PATH_DIRECTORY
        && path_is_within (target, draft->host->root.items[i].path))
      return error_set (
          draft->err, -EROFS,
          "workspace.bounded: '%s' lies in the host's read-only '%s', where no mount point can be "
          "made; choose a target outside of it",
          target, draft->host->root.items[i].path);
  if (type == PATH_DIRECTORY)
    return draft_add_entry (draft, ENTRY_DIRECTORY, target, NULL);
  return draft_add_entry (draft, ENTRY_FILE, target, "");
}

/* Java, Node and others read their limits there. The mount shows only the run's own cgroup: the stage mounts
 * it, because a runtime that is asked for a "cgroup" mount in a user namespace may mount the host's whole
 * tree. Only backends with shows_group get it: gVisor and engines provide a view of their own, and other
 * runtimes were not tested. A run without a cgroup has no view. */
static int own_group (struct draft *draft)
{
  const struct plan *plan = draft->plan;
  bool sysfs = plan->network_namespace || !plan->user_namespace;
  int r = 0;

  if (!plan->backend->shows_group || draft_why_no_cgroup (draft) != NULL)
    return 0;
  /* sysfs already contains the mount point. */
  if (!sysfs)
    r = add_mount_point (draft, PLAN_GROUP_VIEW, PATH_DIRECTORY);
  return r < 0 ? r : draft_add_mount (draft, "cgroup", "cgroup", PLAN_GROUP_VIEW, "nosuid,nodev,noexec,ro");
}

static int own_filesystems (struct draft *draft)
{
  uint64_t tmp = draft_value (draft, SETTING_TMP)->number;
  const struct plan *plan = draft->plan;
  cleanup_free char *tmp_options = str_format ("nosuid,nodev%s,mode=1777,size=%" PRIu64,
                                               draft_is_noexec (draft, "/tmp") ? ",noexec" : "", tmp);
  cleanup_free char *shm_options = str_format ("nosuid,nodev,noexec,mode=1777,size=%" PRIu64, tmp);
  int r;

  if (tmp_options == NULL || shm_options == NULL)
    return error_oom (draft->err);
  r = draft_add_mount (draft, "proc", "proc", "/proc", "nosuid,nodev,noexec");
  /* A new /dev hides the links and device nodes that an image may contain there. */
  if (r == 0)
    r = draft_add_mount (draft, "tmpfs", "tmpfs", "/dev", "nosuid,noexec,strictatime,mode=755,size=65536");
  if (r == 0)
    r = draft_add_mount (draft, "devpts", "devpts", "/dev/pts",
                         "nosuid,noexec,newinstance,ptmxmode=0666,mode=0620");
  if (r == 0)
    r = draft_add_mount (draft, "tmpfs", "shm", "/dev/shm", shm_options);
  if (r == 0)
    r = draft_add_mount (draft, "mqueue", "mqueue", "/dev/mqueue", "nosuid,nodev,noexec");
  /* The kernel allows a sysfs mount only to the owner of the network namespace. */
  if (r == 0 && (plan->network_namespace || !plan->user_namespace))
    r = draft_add_mount (draft, "sysfs", "sysfs", "/sys", "nosuid,nodev,noexec,ro");
  if (r == 0)
    r = own_group (draft);
  if (r == 0)
    r = draft_add_mount (draft, "tmpfs", "tmpfs", "/tmp", tmp_options);
  return r;
}

static int refuse (struct draft *draft, const char *what, const struct path_fact *fact, const char *why)
{
  bool link = strcmp (fact->path, fact->real) != 0;

  return error_set (draft->err, -EPERM, "workspace.bounded: %s '%s'%s%s%s cannot be mounted: %s", what,
                    fact->path, link ? " (really '" : "", link ? fact->real : "", link ? "')" : "", why);
}

static int refuse_sensitive (struct draft *draft, const char *what, const struct path_fact *fact,
                             const char *why)
{
  cleanup_free char *text =
      str_format ("%s; a profile can grant it read-only, with a \"reason\" in filesystem.mounts", why);

  return text ? refuse (draft, what, fact, text) : error_oom (draft->err);
}

/* Finds the facts of a source and checks it. REASON is the profile's reason for a sensitive one, or NULL. */
static int check_source (struct draft *draft, const char *what, const char *path, bool writable,
                         const char *reason, const struct path_fact **ret_fact)
{
  const struct path_fact *fact = path_facts_find (&draft->host->paths, path);
  enum source_class class;
  const char *why;

  if (fact == NULL || fact->type == PATH_ABSENT || fact->real == NULL)
    return error_set (draft->err, -ENOENT, "workspace.bounded: %s '%s' does not exist", what, path);
  class = source_classify (fact->real, &why);
  if (class == SOURCE_FORBIDDEN)
    return refuse (draft, what, fact, why);
  if (class == SOURCE_PROGRAMS && writable)
    return refuse (draft, what, fact, why);
  if (class == SOURCE_SENSITIVE && (writable || reason == NULL))
    return refuse_sensitive (draft, what, fact, why);
  if (fact->type != PATH_DIRECTORY && fact->type != PATH_FILE && fact->type != PATH_SOCKET)
    return refuse (draft, what, fact, "it is neither a directory nor a file");
  why = source_forbidden (draft->host, fact, writable);
  if (why != NULL)
    return refuse (draft, what, fact, why);
  *ret_fact = fact;
  return 0;
}

static int mount_workspace (struct draft *draft)
{
  unsigned level = draft_value (draft, SETTING_WORKSPACE)->level;
  bool writable = level == WORKSPACE_READ_WRITE;
  const struct path_fact *fact = NULL;
  const char *path = draft->request->workspace;
  int r;

  if (level == WORKSPACE_NONE)
    return 0;
  if (path == NULL)
    return error_set (draft->err, -EINVAL,
                      "profile '%s' has a workspace, but none was given; say --workspace DIR",
                      draft->profile->name);
  r = check_source (draft, "workspace", path, writable, NULL, &fact);
  if (r < 0)
    return r;
  if (fact->type != PATH_DIRECTORY)
    return error_set (draft->err, -ENOTDIR, "workspace.bounded: workspace '%s' is not a directory", path);
  if (draft->host->home != NULL && strcmp (fact->real, draft->host->home) == 0)
    return refuse (draft, "workspace", fact, "it is your home; make a directory in it");
  r = add_mount_point (draft, "/workspace", PATH_DIRECTORY);
  return r < 0 ? r
               : draft_add_bind (draft, fact, "/workspace", writable, !draft_is_noexec (draft, "/workspace"));
}

static int mount_one (struct draft *draft, const struct grant *mount, const char *what, bool executable)
{
  const struct path_fact *fact = NULL;
  int r = check_source (draft, what, mount->source, mount->writable, mount->reason, &fact);

  if (r == 0)
    r = add_mount_point (draft, mount->name, fact->type);
  return r < 0 ? r : draft_add_bind (draft, fact, mount->name, mount->writable, executable);
}

/* Grants are sorted by target, so that of two nested mounts the outer one is made first. */
static int mount_profile (struct draft *draft)
{
  const struct grants *grants = &draft_value (draft, SETTING_MOUNTS)->grants;
  int r = 0;

  for (size_t i = 0; r == 0 && i < grants->count; i++)
    r = mount_one (draft, &grants->items[i], "mount source", !draft_is_noexec (draft, grants->items[i].name));
  return r;
}

/* A mount of the request is a second path to part of a grant, so the grant's noexec applies to it as well. */
static int mount_request (struct draft *draft)
{
  const struct grants *granted = &draft_value (draft, SETTING_MOUNTS)->grants;
  const struct grants *asked = &draft->request->mounts;
  int r = 0;

  for (size_t i = 0; r == 0 && i < asked->count; i++) {
    bool executable = !draft_is_noexec (draft, asked->items[i].name);

    for (size_t k = 0; k < granted->count; k++)
      if (path_is_within (asked->items[i].source, granted->items[k].source))
        executable = executable && !draft_is_noexec (draft, granted->items[k].name);
    if (r == 0)
      r = mount_one (draft, &asked->items[i], "--mount: source", executable);
  }
  return r;
}

/* The target must neither overlap what every run mounts itself nor be in use already. */
static int check_request_targets (struct draft *draft)
{
  static const char *const reserved[] = { "/proc", "/sys", "/dev", "/workspace", "/tmp", "/run/tyrum" };
  const struct grants *asked = &draft->request->mounts;

  for (size_t i = 0; i < asked->count; i++) {
    const char *target = asked->items[i].name;

    for (size_t k = 0; k < ARRAY_LEN (reserved); k++)
      if (path_is_within (target, reserved[k]) || path_is_within (reserved[k], target))
        return error_set (draft->err, -EINVAL,
                          "--mount: target '%s' and '%s', which every run sets up itself, overlap", target,
                          reserved[k]);
    for (size_t k = 0; k < draft->plan->mount_count; k++)
      if (strcmp (draft->plan->mounts[k].target, target) == 0)
        return error_set (draft->err, -EEXIST, "--mount: something is mounted on '%s' already", target);
  }
  return 0;
}

/* A link below a granted directory must not lead out of it. */
static int check_request_sources (struct draft *draft)
{
  const struct grants *granted = &draft_value (draft, SETTING_MOUNTS)->grants;
  const struct grants *asked = &draft->request->mounts;

  for (size_t i = 0; i < asked->count; i++) {
    const struct path_fact *fact = path_facts_find (&draft->host->paths, asked->items[i].source);
    bool within = fact == NULL || fact->real == NULL; /* absent: check_source reports it */

    for (size_t k = 0; k < granted->count && !within; k++) {
      const struct path_fact *outer = path_facts_find (&draft->host->paths, granted->items[k].source);

      within = outer != NULL && outer->real != NULL && path_is_within (fact->real, outer->real)
               && (granted->items[k].writable || !asked->items[i].writable);
    }
    if (!within)
      return refuse (draft, "--mount: source", fact, "a link leads outside of what the profile grants");
  }
  return 0;
}

static bool secret_is_granted (const struct draft *draft, const struct grant *secret,
                               const struct path_fact *fact)
{
  const struct path_fact *outer = path_facts_find (&draft->host->paths, secret->source);

  return outer != NULL && outer->real != NULL && fact->real != NULL
         && path_is_within (fact->real, outer->real);
}

/* A secret's source is a file, or a directory from which the request picks one. */
static int mount_secrets (struct draft *draft)
{
  const struct grants *granted = &draft_value (draft, SETTING_SECRETS)->grants;

  for (size_t i = 0; i < granted->count; i++) {
    const struct grant *secret = &granted->items[i];
    const struct grant *asked = grants_find (&draft->request->secrets, secret->name);
    const char *path = asked ? asked->source : secret->source;
    const struct path_fact *fact = path_facts_find (&draft->host->paths, path);
    int r;

    if (fact == NULL || fact->type == PATH_ABSENT)
      return error_set (draft->err, -ENOENT, "secrets.files: file '%s' of secret '%s' does not exist", path,
                        secret->name);
    if (fact->type == PATH_DIRECTORY && asked == NULL)
      continue;
    if (fact->type != PATH_FILE)
      return error_set (draft->err, -EINVAL, "secrets.files: '%s' of secret '%s' is not a file", path,
                        secret->name);
    if (!secret_is_granted (draft, secret, fact))
      return error_set (draft->err, -EPERM, "secrets.files: '%s' of secret '%s' leads out of '%s'", path,
                        secret->name, secret->source);
    r = add_mount_point (draft, secret->target, PATH_FILE);
    if (r == 0)
      r = draft_add_bind (draft, fact, secret->target, false, false);
    if (r < 0)
      return r;
  }
  return 0;
}

static int mask_paths (struct draft *draft)
{
  struct plan *plan = draft->plan;
  bool failed = false;

  for (size_t i = 0; masked_paths[i] != NULL; i++)
    failed = failed || strlist_add (&plan->masked, masked_paths[i]) < 0;
  for (size_t i = 0; read_only_paths[i] != NULL; i++)
    failed = failed || strlist_add (&plan->read_only, read_only_paths[i]) < 0;
  return failed ? error_oom (draft->err) : 0;
}

/* No two mounts may share a target, and each path in filesystem.noexec must be a mount point. */
static int check_targets (struct draft *draft)
{
  const struct plan *plan = draft->plan;
  const struct strlist *noexec = &draft_value (draft, SETTING_NOEXEC)->set;

  for (size_t i = 0; i < plan->mount_count; i++)
    for (size_t k = i + 1; k < plan->mount_count; k++)
      if (strcmp (plan->mounts[i].target, plan->mounts[k].target) == 0)
        return error_set (draft->err, -EEXIST, "workspace.bounded: two mounts have the target '%s'",
                          plan->mounts[i].target);
  for (size_t i = 0; i < noexec->count; i++) {
    size_t k = 0;

    while (k < plan->mount_count && strcmp (plan->mounts[k].target, noexec->items[i]) != 0)
      k++;
    if (k == plan->mount_count)
      return error_set (
          draft->err, -EINVAL,
          "mounts.nosuid_nodev: filesystem.noexec names '%s', which is no mount point of this run",
          noexec->items[i]);
  }
  return 0;
}

/* Files that the engine generates, such as /etc/hosts, and its view of cgroups; nothing from the host. */
static int allow_engines_own (struct draft *draft)
{
  const char *const *list = draft->plan->backend->mounts;

  for (; list != NULL && *list != NULL; list++)
    if (strlist_add (&draft->plan->engines_own, *list) < 0)
      return error_oom (draft->err);
  return 0;
}

int draft_mounts (struct draft *draft)
{
  static int (*const steps[]) (struct draft *) = {
    own_filesystems,       mount_workspace, mount_profile, check_request_targets,
    check_request_sources, mount_request,   mount_secrets, check_targets,
    allow_engines_own,     mask_paths,      draft_hide,
  };
  int r = 0;

  for (size_t i = 0; r == 0 && i < ARRAY_LEN (steps); i++)
    r = steps[i](draft);
  return r;
}
