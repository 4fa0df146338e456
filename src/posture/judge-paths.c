/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masked, hidden and read-only paths, the bounds of /tmp and /dev/shm, and the entries of /dev. */
#include <config.h>

#include "posture-judge-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>

#include "base-path.h"

#define NULL_DEVICE (UINT64_C (1) << 32 | 3)

/* A masked path is the null device or an empty directory, and a mount makes it so: an empty directory of
 * the host could be filled. (judge_mounts checks the mount.) With the runtime's own kernel no mount is
 * visible. */
static bool is_masked (const struct judge *judge, const char *path, const struct report_look *look)
{
  const struct proc_mount *mount = judge->has_mounts ? proc_mounts_find (&judge->mounts, path) : NULL;
  bool in_memory = mount != NULL && strcmp (mount->type, "tmpfs") == 0;

  if (judge->out->seen && mount == NULL)
    return false;
  if (look->rdev == NULL_DEVICE && S_ISCHR (look->mode))
    return true;
  if (!S_ISDIR (look->mode) || (judge->out->seen && !in_memory))
    return false;
  return (look->open_errnum == EACCES && in_memory) || (look->open_errnum == 0 && look->content == 0);
}

/* Returns whether PATH is absent or masked, and records a verdict otherwise. */
static bool check_masked (struct judge *judge, enum control control, const char *path, size_t *absent)
{
  const struct answer *answer = inside_answer (judge->in, QUESTION_LOOK, path);
  struct report_look look;

  if (answer->errnum == ENOENT || answer->errnum == ENOTDIR) {
    (*absent)++;
    return true;
  }
  if (!inside_look (judge->in, path, &look)) {
    judge_say (judge, control, VERDICT_UNVERIFIED, SEEN_NOT, "'%s' could not be looked at: %s", path,
               strerror (answer->errnum));
    return false;
  }
  if (is_masked (judge, path, &look))
    return true;
  judge_say (judge, control, VERDICT_VIOLATED, SEEN_INSIDE, "'%s' is not masked%s", path,
             look.open_errnum == 0 && look.content > 0 ? ", and can be read" : "");
  return false;
}

/* The mount must be read-only: permissions do not restrict a process with other ids. */
static bool check_read_only (struct judge *judge, const char *path)
{
  const struct answer *answer = inside_answer (judge->in, QUESTION_SEE, path);
  const struct proc_mount *mount = judge->has_mounts ? proc_mounts_find (&judge->mounts, path) : NULL;

  if (answer->errnum == ENOENT)
    return true;
  if (!judge->has_mounts) {
    judge_say (judge, CONTROL_PATHS_MASKED, VERDICT_UNVERIFIED, SEEN_NOT,
               "the mount table could not be read");
    return false;
  }
  if (mount != NULL && proc_option_has (mount->options, "ro"))
    return true;
  judge_say (judge, CONTROL_PATHS_MASKED, VERDICT_VIOLATED, judge_seen (judge), "'%s' is not read-only",
             path);
  return false;
}

static bool opens (const struct judge *judge, const char *path)
{
  struct report_look look;

  return inside_look (judge->in, path, &look) && look.open_errnum == 0 && look.content > 0;
}

/* The errnos of a file that may not be written, or does not exist. */
static bool is_refusal (int errnum)
{
  return errnum == EROFS || errnum == EACCES || errnum == EPERM || errnum == ENOENT;
}

static bool check_writes (struct judge *judge)
{
  static const char *const steering[] = { "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger" };

  for (size_t i = 0; i < ARRAY_LEN (steering); i++) {
    int errnum = inside_answer (judge->in, QUESTION_OPEN_WRITE, steering[i])->errnum;

    if (is_refusal (errnum))
      continue;
    judge_say (judge, CONTROL_PATHS_MASKED, errnum == 0 ? VERDICT_VIOLATED : VERDICT_UNVERIFIED, SEEN_INSIDE,
               errnum == 0 ? "'%s' can be written" : "whether '%s' can be written was not answered",
               steering[i]);
    return false;
  }
  return true;
}

static bool is_kernel_path (const char *path)
{
  return path_is_within (path, "/proc") || path_is_within (path, "/sys");
}

static void judge_masked (struct judge *judge)
{
  const struct promises *promises = judge->promises;
  size_t absent = 0, count = 0;
  bool good = check_writes (judge);

  for (size_t i = 0; i < promises->masked->count; i++)
    if (is_kernel_path (promises->masked->items[i])) {
      good = check_masked (judge, CONTROL_PATHS_MASKED, promises->masked->items[i], &absent) && good;
      count++;
    }
  for (size_t i = 0; i < promises->read_only->count; i++)
    good = check_read_only (judge, promises->read_only->items[i]) && good;
  if (good && !opens (judge, "/proc/uptime"))
    judge_say (judge, CONTROL_PATHS_MASKED, VERDICT_UNVERIFIED, SEEN_INSIDE,
               "what is not masked does not open either, so nothing is proven");
  else if (good)
    judge_say (judge, CONTROL_PATHS_MASKED, VERDICT_VERIFIED, SEEN_INSIDE,
               "%zu masked, %zu not in this kernel, %zu read-only; /proc/uptime opens", count - absent,
               absent, promises->read_only->count);
}

static void judge_hidden (struct judge *judge)
{
  const struct promises *promises = judge->promises;
  size_t absent = 0, count = 0;
  bool good = true;

  for (size_t i = 0; i < promises->masked->count; i++)
    if (!is_kernel_path (promises->masked->items[i])) {
      good = check_masked (judge, CONTROL_PATHS_HIDDEN, promises->masked->items[i], &absent) && good;
      count++;
    }
  if (good && count > 0)
    judge_say (judge, CONTROL_PATHS_HIDDEN, VERDICT_VERIFIED, SEEN_INSIDE,
               "%zu masked, %zu absent at the start", count - absent, absent);
}

static void judge_tmp (struct judge *judge)
{
  static const char *const places[] = { "/tmp", "/dev/shm" };
  uint64_t most = judge->promises->settings->values[SETTING_TMP].number;
  int create = inside_answer (judge->in, QUESTION_CREATE, "/tmp")->errnum;
  /* The kernel counts whole pages. */
  uint64_t rounded = (most + 4095) / 4096 * 4096;

  for (size_t i = 0; i < ARRAY_LEN (places); i++) {
    struct report_statfs fs;

    if (!inside_statfs (judge->in, places[i], &fs)) {
      judge_say (judge, CONTROL_TMP_BOUNDED, VERDICT_UNVERIFIED, SEEN_NOT, "'%s' could not be measured",
                 places[i]);
      return;
    }
    if (fs.type != TMPFS_MAGIC || fs.bytes == 0 || fs.bytes > rounded) {
      judge_say (judge, CONTROL_TMP_BOUNDED, VERDICT_VIOLATED, SEEN_INSIDE,
                 "'%s' has type %" PRIx64 " and %" PRIu64
                 " bytes; it should be in memory with at most %" PRIu64,
                 places[i], fs.type, fs.bytes, most);
      return;
    }
  }
  if (create != 0)
    judge_say (judge, CONTROL_TMP_BOUNDED, VERDICT_UNVERIFIED, SEEN_INSIDE, "no file can be made in /tmp: %s",
               strerror (create));
  else
    judge_say (judge, CONTROL_TMP_BOUNDED, VERDICT_VERIFIED, SEEN_INSIDE,
               "/tmp and /dev/shm are tmpfs of at most %" PRIu64 " bytes", rounded);
}

static const struct device {
  const char *name;
  unsigned major;
  int minor; /* -1: any */
} devices[] = {
  { "null", 1, 3 },    { "zero", 1, 5 }, { "full", 1, 7 }, { "random", 1, 8 },
  { "urandom", 1, 9 }, { "tty", 5, 0 },  { "ptmx", 5, 2 }, { "console", 136, -1 },
};

static const struct device *find_device (const char *name, size_t length)
{
  for (size_t i = 0; i < ARRAY_LEN (devices); i++)
    if (strlen (devices[i].name) == length && memcmp (devices[i].name, name, length) == 0)
      return &devices[i];
  return NULL;
}

static bool is_known_directory (const char *name, size_t length)
{
  static const char *const directories[] = { "pts", "shm", "mqueue" };

  for (size_t i = 0; i < ARRAY_LEN (directories); i++)
    if (strlen (directories[i]) == length && memcmp (directories[i], name, length) == 0)
      return true;
  return false;
}

/* Allowed in /dev: the known device nodes under their own names, mount points of the run's own file systems,
 * and links, which runtimes create there. */
static bool is_harmless (const struct report_entry *entry, const char *name)
{
  const struct device *device = find_device (name, entry->name_length);

  /* Some runtimes make ptmx a link to pts/ptmx. */
  if (S_ISLNK (entry->mode))
    return device == NULL || strcmp (device->name, "ptmx") == 0;
  if (S_ISDIR (entry->mode))
    return is_known_directory (name, entry->name_length);
  return S_ISCHR (entry->mode) && device != NULL && entry->rdev >> 32 == device->major
         && (device->minor < 0 || (uint32_t) entry->rdev == (uint32_t) device->minor);
}

/* A file that was bound into /dev as planned: the kubelet's termination-log. */
static bool is_planned_file (const struct promises *promises, const struct report_entry *entry,
                             const char *name)
{
  static const char above[] = "/dev/";

  if (!S_ISREG (entry->mode) || find_device (name, entry->name_length) != NULL)
    return false;
  for (size_t i = 0; i < promises->mount_count; i++) {
    const struct plan_mount *mount = &promises->mounts[i];

    if (strcmp (mount->type, "bind") == 0 && mount->inode != 0 && str_has_prefix (mount->target, above)
        && strlen (mount->target) == strlen (above) + entry->name_length
        && memcmp (mount->target + strlen (above), name, entry->name_length) == 0)
      return true;
  }
  return false;
}

static void judge_devices (struct judge *judge)
{
  const struct answer *answer = inside_answer (judge->in, QUESTION_LIST, "/dev");
  size_t at = 0, count = 0;

  while (answer->errnum == 0 && at < answer->length) {
    struct report_entry entry;

    if (answer->length - at < sizeof (entry))
      break;
    memcpy (&entry, answer->bytes + at, sizeof (entry));
    at += sizeof (entry);
    if (entry.name_length > answer->length - at)
      break;
    if (!is_harmless (&entry, answer->bytes + at)
        && !is_planned_file (judge->promises, &entry, answer->bytes + at)) {
      judge_say (judge, CONTROL_DEVICES_MINIMAL, VERDICT_VIOLATED, SEEN_INSIDE,
                 "/dev holds '%.*s', %s %" PRIu64 ":%" PRIu32, (int) entry.name_length, answer->bytes + at,
                 S_ISBLK (entry.mode) ? "block device" : "device", entry.rdev >> 32, (uint32_t) entry.rdev);
      return;
    }
    at += entry.name_length;
    count++;
  }
  if (answer->errnum != 0 || at != answer->length || count == 0)
    judge_say (judge, CONTROL_DEVICES_MINIMAL, VERDICT_UNVERIFIED, SEEN_NOT, "/dev could not be listed");
  else
    judge_say (judge, CONTROL_DEVICES_MINIMAL, VERDICT_VERIFIED, SEEN_INSIDE,
               "%zu entries in /dev, no device but the known ones", count);
}

void judge_paths (struct judge *judge)
{
  judge_masked (judge);
  judge_hidden (judge);
  judge_tmp (judge);
  judge_devices (judge);
}
