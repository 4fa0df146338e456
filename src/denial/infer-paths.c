/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the plan explains what a program says of a path. */
#include <config.h>

#include "denial-infer-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-path.h"
#include "base-str.h"

/* The innermost mount that PATH is on; NULL: it is on the root. */
static const struct plan_mount *mount_of (const struct plan *plan, const char *path)
{
  const struct plan_mount *found = NULL;

  for (size_t i = 0; i < plan->mount_count; i++) {
    const struct plan_mount *mount = &plan->mounts[i];

    if (path_is_within (path, mount->target)
        && (found == NULL || strlen (mount->target) >= strlen (found->target)))
      found = mount;
  }
  return found;
}

static bool has_option (const struct plan_mount *mount, const char *name)
{
  for (size_t i = 0; i < mount->options.count; i++)
    if (strcmp (mount->options.items[i], name) == 0)
      return true;
  return false;
}

/* The entry of LIST that covers PATH; NULL: none. */
static const char *covered_by (const struct strlist *list, const char *path)
{
  for (size_t i = 0; i < list->count; i++)
    if (path_is_within (path, list->items[i]))
      return list->items[i];
  return NULL;
}

bool infer_look (const struct infer *infer, const char *path, struct outcome_seen *ret_seen)
{
  const struct outcome *outcome = infer->outcome;

  return outcome->look != NULL && outcome->look (outcome->look_arg, path, ret_seen);
}

static void add_read_only (struct infer *infer, enum control control, const char *path, char *rule,
                           char *allow)
{
  infer_add (infer, control, EROFS, CONFIDENCE_INFERRED,
             path ? str_format ("write to %s", path) : strdup ("write to a read-only place"), rule, allow);
}

/* The host's own directories are shown read-only whatever the profile says of the root. */
static void root_is_read_only (struct infer *infer, const char *path)
{
  if (infer->plan->root_read_only)
    add_read_only (infer, CONTROL_ROOT_READ_ONLY, path, infer_origin (infer, SETTING_ROOT),
                   strdup ("write to /workspace or /tmp, or use a profile whose filesystem.root is "
                           "'writable-layer'"));
  else
    add_read_only (infer, CONTROL_WORKSPACE_BOUNDED, path, strdup ("--rootfs host"),
                   strdup ("write to /workspace or /tmp, or use --rootfs DIR or --image, whose layer can be "
                           "written"));
}

static void mount_is_read_only (struct infer *infer, const struct plan_mount *mount, const char *path)
{
  const struct settings *settings = &infer->plan->settings;

  if (strcmp (mount->target, "/workspace") == 0)
    add_read_only (infer, CONTROL_WORKSPACE_BOUNDED, path, infer_origin (infer, SETTING_WORKSPACE),
                   strdup ("write to /tmp, or use a profile whose filesystem.workspace is 'read-write'"));
  else if (grants_find (&settings->values[SETTING_MOUNTS].grants, mount->target) != NULL)
    add_read_only (infer, CONTROL_WORKSPACE_BOUNDED, path, infer_origin (infer, SETTING_MOUNTS),
                   str_format ("give '%s' access 'read-write' in filesystem.mounts", mount->target));
  else if (strcmp (mount->type, "bind") != 0)
    add_read_only (infer, CONTROL_PATHS_MASKED, path, strdup ("built-in default"),
                   strdup ("no profile can: it steers the host's kernel"));
  else
    root_is_read_only (infer, path);
}

/* Nobody says which place, so it is the one that a command is most likely to write to. A workspace that the
 * host has on a read-only file system is not our doing. */
static void somewhere_is_read_only (struct infer *infer)
{
  const struct plan_mount *workspace = mount_of (infer->plan, "/workspace");
  struct outcome_seen seen = { 0 };

  if (workspace != NULL && workspace->writable && infer_look (infer, "/workspace", &seen) && seen.read_only)
    return;
  if (workspace != NULL && !workspace->writable)
    mount_is_read_only (infer, workspace, NULL);
  else if (infer->plan->root_read_only)
    root_is_read_only (infer, NULL);
}

void infer_read_only (struct infer *infer, const char *path)
{
  const struct plan *plan = infer->plan;
  const struct plan_mount *mount = path ? mount_of (plan, path) : NULL;

  if (path == NULL)
    somewhere_is_read_only (infer);
  else if (covered_by (&plan->read_only, path) != NULL || covered_by (&plan->masked, path) != NULL)
    add_read_only (infer, CONTROL_PATHS_MASKED, path, strdup ("built-in default"),
                   strdup ("no profile can: it steers the host's kernel"));
  else if (mount != NULL && has_option (mount, "ro"))
    mount_is_read_only (infer, mount, path);
  else if (mount == NULL && plan->root_read_only)
    root_is_read_only (infer, path);
}

static bool is_full (const struct infer *infer, const struct plan_mount *mount)
{
  struct outcome_seen seen = { 0 };

  return infer_look (infer, mount->target, &seen) && seen.free_bytes == 0;
}

static void add_full (struct infer *infer, const struct plan_mount *mount)
{
  cleanup_free char *value = value_text (SETTING_TMP, &infer->plan->settings.values[SETTING_TMP]);

  if (strcmp (mount->type, "tmpfs") != 0 || strcmp (mount->target, "/dev") == 0)
    return;
  infer_add (infer, CONTROL_TMP_BOUNDED, ENOSPC,
             is_full (infer, mount) ? CONFIDENCE_OBSERVED : CONFIDENCE_INFERRED,
             str_format ("%s is full", mount->target), infer_origin (infer, SETTING_TMP),
             value ? str_format ("write to /workspace, or raise filesystem.tmp, which is %s", value) : NULL);
}

void infer_no_space (struct infer *infer, const char *path)
{
  const struct plan *plan = infer->plan;
  const struct plan_mount *mount = path ? mount_of (plan, path) : NULL;

  if (mount != NULL)
    add_full (infer, mount);
  for (size_t i = 0; path == NULL && i < plan->mount_count; i++)
    if (is_full (infer, &plan->mounts[i]))
      add_full (infer, &plan->mounts[i]);
}

/* Devices that a host has and a run never does. */
static bool is_device_of_host (const char *path)
{
  static const char *const families[] = { "sd",     "nvme",  "vd",     "hd",     "loop",  "mapper/",
                                          "dm-",    "kvm",   "fuse",   "net/",   "mem",   "kmsg",
                                          "dri/",   "video", "snd/",   "input/", "bus/",  "ttyS",
                                          "ttyUSB", "cpu/",  "vhost-", "rtc",    "hwrng", "nvidia" };

  if (!str_has_prefix (path, "/dev/"))
    return false;
  for (size_t i = 0; i < ARRAY_LEN (families); i++)
    if (str_has_prefix (path + strlen ("/dev/"), families[i]))
      return true;
  return false;
}

/* What a host has below these stays outside where the root is put together from the host's programs. */
static bool is_kept_outside (const struct plan *plan, const char *path)
{
  static const char *const kept[] = { "/home", "/root", "/var", "/srv", "/mnt", "/media", "/opt", "/boot" };

  if (plan->root != ROOT_FROM_HOST || mount_of (plan, path) != NULL)
    return false;
  for (size_t i = 0; i < ARRAY_LEN (kept); i++)
    if (path_is_within (path, kept[i]))
      return true;
  return false;
}

bool plan_hides (const struct plan *plan, const char *path)
{
  const struct strlist *hide = &plan->settings.values[SETTING_HIDE].set;

  for (size_t i = 0; i < hide->count; i++)
    if (str_has_suffix (path, hide->items[i]))
      return true;
  return false;
}

/* Who covers PATH, and how to get at it: of COVER, by which it is covered. */
static void explain_mask (const struct plan *plan, const char *cover, struct denial *denial)
{
  bool hidden = plan_hides (plan, cover);

  denial->control = hidden ? CONTROL_PATHS_HIDDEN : CONTROL_PATHS_MASKED;
  denial->rule =
      hidden ? origin_text (&plan->settings.values[SETTING_HIDE].origin) : strdup ("built-in default");
  denial->allow = hidden ? str_format ("take '%s' out of filesystem.hide in a profile of your own", cover)
                         : strdup ("no profile can: it tells of the host's kernel");
}

static void add_masked (struct infer *infer, const char *path, int errnum)
{
  const char *cover = covered_by (&infer->plan->masked, path);
  struct denial denial = { 0 };

  if (cover == NULL)
    return;
  explain_mask (infer->plan, cover, &denial);
  infer_add (infer, denial.control, errnum, CONFIDENCE_INFERRED, str_format ("read of %s", path), denial.rule,
             denial.allow);
}

void masked_read_record (const struct plan *plan, const char *path, const char *program, uint32_t pid,
                         struct denials *denials)
{
  struct denial denial = { .effect = EFFECT_EMPTY, .pid = pid, .count = 1, .aside = true };

  explain_mask (plan, path, &denial);
  denial.what = str_format ("read of %s", path);
  denial.program = program ? strdup (program) : NULL;
  if (denial.what == NULL || denials_are_full (denials)
      || denials_count (denials, denial.control, denial.what, program))
    denial_clear (&denial);
  else
    denials_add (denials, &denial);
}

void infer_absent (struct infer *infer, const char *path)
{
  struct outcome_seen seen;

  /* It may have been made since; then it was not there for reasons of the program's own. */
  if (infer_look (infer, path, &seen))
    return;
  add_masked (infer, path, ENOENT);
  if (is_device_of_host (path))
    infer_add (infer, CONTROL_DEVICES_MINIMAL, ENOENT, CONFIDENCE_INFERRED, str_format ("device %s", path),
               strdup ("built-in default"), strdup ("no profile can: devices are the host's"));
  else if (is_kept_outside (infer->plan, path))
    infer_add (
        infer, CONTROL_WORKSPACE_BOUNDED, ENOENT, CONFIDENCE_INFERRED,
        str_format ("%s, which is not shown inside", path), strdup ("--rootfs host"),
        strdup ("copy it into the workspace, or name it in filesystem.mounts of a profile of your own"));
}

/* PATH is no longer on MOUNT, as with what a test runner builds in a temporary directory and removes. */
static bool is_gone (const struct infer *infer, const struct plan_mount *mount, const char *path)
{
  struct outcome_seen seen;

  return mount != NULL && !infer_look (infer, path, &seen) && infer_look (infer, mount->target, &seen);
}

void infer_forbidden (struct infer *infer, const char *path, bool executing)
{
  const struct plan_mount *mount = mount_of (infer->plan, path);

  add_masked (infer, path, EACCES);
  /* An ordinary permission, unless it was an execution that nothing but a rule can have stopped. */
  if (!executing || (!infer_can_execute (infer, path) && !is_gone (infer, mount, path)))
    return;
  if (mount != NULL && has_option (mount, "noexec"))
    infer_add (infer, CONTROL_MOUNTS_NOSUID_NODEV, EACCES,
               infer->outcome->exec_errno == EACCES ? CONFIDENCE_OBSERVED : CONFIDENCE_INFERRED,
               str_format ("execution of %s", path), infer_origin (infer, SETTING_NOEXEC),
               str_format ("execute it in /workspace, or take '%s' out of filesystem.noexec", mount->target));
  else
    infer_tool (infer, path);
}
