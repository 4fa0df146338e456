/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the plan explains a program's message about a path. */
#include <config.h>

#include "denial-infer-internal.h"

#include <errno.h>
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

/* The entry of LIST that is PATH or a parent of it; NULL: none. */
static const char *entry_above (const struct strlist *list, const char *path)
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

/* With --rootfs host, the host's directories are read-only whatever filesystem.root is. */
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

/* The message has no path, so take the one that a command most likely writes to. If the host's own file
 * system below the workspace is read-only, no control is the cause. */
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
  else if (entry_above (&plan->read_only, path) != NULL || entry_above (&plan->masked, path) != NULL)
    add_read_only (infer, CONTROL_PATHS_MASKED, path, strdup ("built-in default"),
                   strdup ("no profile can: it steers the host's kernel"));
  else if (mount != NULL && plan_mount_has (mount, "ro"))
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

/* With --rootfs host, what the host has below these directories is not visible inside. */
static bool is_outside (const struct plan *plan, const char *path)
{
  static const char *const outside[] = {
    "/home", "/root", "/var", "/srv", "/mnt", "/media", "/opt", "/boot"
  };

  if (plan->root != ROOT_FROM_HOST || mount_of (plan, path) != NULL)
    return false;
  for (size_t i = 0; i < ARRAY_LEN (outside); i++)
    if (path_is_within (path, outside[i]))
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

/* Sets control, rule and remedy for the masked path MASK. */
static void explain_mask (const struct plan *plan, const char *mask, struct denial *denial)
{
  bool hidden = plan_hides (plan, mask);

  denial->control = hidden ? CONTROL_PATHS_HIDDEN : CONTROL_PATHS_MASKED;
  denial->rule =
      hidden ? origin_text (&plan->settings.values[SETTING_HIDE].origin) : strdup ("built-in default");
  denial->allow = hidden ? str_format ("take '%s' out of filesystem.hide in a profile of your own", mask)
                         : strdup ("no profile can: it exposes the host's kernel");
}

static void add_masked (struct infer *infer, const char *path, int errnum)
{
  const char *mask = entry_above (&infer->plan->masked, path);
  struct denial denial = { 0 };

  if (mask == NULL)
    return;
  explain_mask (infer->plan, mask, &denial);
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

  /* If it exists now, it was created later, and no control had hidden it. */
  if (infer_look (infer, path, &seen))
    return;
  add_masked (infer, path, ENOENT);
  if (is_device_of_host (path))
    infer_add (infer, CONTROL_DEVICES_MINIMAL, ENOENT, CONFIDENCE_INFERRED, str_format ("device %s", path),
               strdup ("built-in default"), strdup ("no profile can: devices are the host's"));
  else if (is_outside (infer->plan, path))
    infer_add (
        infer, CONTROL_WORKSPACE_BOUNDED, ENOENT, CONFIDENCE_INFERRED,
        str_format ("%s, which is not shown inside", path), strdup ("--rootfs host"),
        strdup ("copy it into the workspace, or name it in filesystem.mounts of a profile of your own"));
}

/* Whether PATH no longer exists on MOUNT, such as a file that a test runner built and removed. */
static bool is_gone (const struct infer *infer, const struct plan_mount *mount, const char *path)
{
  struct outcome_seen seen;

  return mount != NULL && !infer_look (infer, path, &seen) && infer_look (infer, mount->target, &seen);
}

void infer_forbidden (struct infer *infer, const char *path, bool executing)
{
  const struct plan_mount *mount = mount_of (infer->plan, path);

  add_masked (infer, path, EACCES);
  /* An ordinary permission error, unless it was an execution that the file's mode allows. */
  if (!executing || (!infer_can_execute (infer, path) && !is_gone (infer, mount, path)))
    return;
  if (mount != NULL && plan_mount_has (mount, "noexec"))
    infer_add (infer, CONTROL_MOUNTS_NOSUID_NODEV, EACCES,
               infer->outcome->exec_errno == EACCES ? CONFIDENCE_OBSERVED : CONFIDENCE_INFERRED,
               str_format ("execution of %s", path), infer_origin (infer, SETTING_NOEXEC),
               str_format ("execute it in /workspace, or take '%s' out of filesystem.noexec", mount->target));
  else
    infer_tool (infer, path);
}
