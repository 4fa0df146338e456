/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The resources object: what the cgroup holds. A limit that is absent, zero or negative is none. */
#include <config.h>

#include "restrict-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-number.h"

/* The kernel's default and largest period, and the least quota that it takes. */
#define CPU_PERIOD_US     100000
#define CPU_PERIOD_MAX_US 1000000
#define CPU_QUOTA_MIN_US  1000

/* Lowers KEY of OBJECT to MOST. In an update what is not said, or zero, stays as it was. */
static int lower (struct meet *m, struct json_node *object, const char *key, uint64_t most, bool update,
                  bool *ret_lowered)
{
  bool there = false;
  int64_t asked = 0;
  int r = restrict_find_number (m, object, key, &there, &asked);

  *ret_lowered = false;
  /* Docker writes zero for what stays; crun would set it. */
  if (r == 0 && update && there && asked == 0)
    json_remove (object, key);
  if (r < 0 || (update && (!there || asked == 0)) || (asked > 0 && (uint64_t) asked <= most))
    return r;
  restrict_set (m, object, key, json_new_number ((int64_t) most));
  *ret_lowered = true;
  return 0;
}

static int restrict_memory (struct meet *m, struct json_node *resources, bool update)
{
  uint64_t most = restrict_number (m, SETTING_MEMORY, 0);
  struct json_node *memory = NULL, *flag = NULL;
  bool lowered = false, swap = false;
  int64_t limit = 0;
  bool there = false;
  int r;

  if (most == 0)
    return 0;
  r = update ? restrict_find (m, resources, "memory", JSON_OBJECT, &memory)
             : restrict_make (m, resources, "memory", JSON_OBJECT, &memory);
  if (r < 0 || memory == NULL)
    return r;
  r = lower (m, memory, "limit", most, update, &lowered);
  if (r == 0)
    r = restrict_find_number (m, memory, "limit", &there, &limit);
  /* Memory and swap together: no more than the memory alone leaves no swap. */
  if (r == 0 && m->policy->host->swap_accounting)
    r = lower (m, memory, "swap", there && limit > 0 ? (uint64_t) limit : most, update && !there, &swap);
  if (r == 0)
    r = restrict_find (m, memory, "disableOOMKiller", JSON_BOOL, &flag);
  if (r < 0)
    return r;
  if (flag != NULL && flag->flag)
    restrict_set (m, memory, "disableOOMKiller", json_new_bool (false));
  if (lowered || swap || (flag != NULL && flag->flag))
    restrict_note (m, CONTROL_LIMITS_MEMORY, "lowered to %" PRId64 " bytes, without swap",
                   there && limit > 0 ? limit : (int64_t) most);
  return 0;
}

static int restrict_pids (struct meet *m, struct json_node *resources, bool update)
{
  uint64_t most = restrict_number (m, SETTING_PIDS, 0);
  struct json_node *pids = NULL;
  bool lowered = false;
  int r;

  if (most == 0)
    return 0;
  r = update ? restrict_find (m, resources, "pids", JSON_OBJECT, &pids)
             : restrict_make (m, resources, "pids", JSON_OBJECT, &pids);
  if (r == 0 && pids != NULL)
    r = lower (m, pids, "limit", most, update, &lowered);
  if (r == 0 && lowered)
    restrict_note (m, CONTROL_LIMITS_PIDS, "lowered to %" PRIu64, most);
  return r;
}

/* QUOTA in PERIOD is within MILLI thousandths of a processor. */
static bool cpu_within (int64_t quota, int64_t period, uint64_t milli)
{
  return quota > 0 && (__int128) quota * 1000 <= (__int128) milli * period;
}

static int restrict_cpu (struct meet *m, struct json_node *resources, bool update)
{
  uint64_t milli = restrict_number (m, SETTING_CPUS, 0), above = m->policy->cpus_above;
  struct json_node *cpu = NULL;
  bool has_quota = false, has_period = false;
  int64_t quota = 0, period = 0;
  int r;

  if (milli == 0)
    return 0;
  if (above > 0 && above < milli)
    milli = above;
  r = update ? restrict_find (m, resources, "cpu", JSON_OBJECT, &cpu)
             : restrict_make (m, resources, "cpu", JSON_OBJECT, &cpu);
  if (r < 0 || cpu == NULL)
    return r;
  r = restrict_find_number (m, cpu, "quota", &has_quota, &quota);
  if (r == 0)
    r = restrict_find_number (m, cpu, "period", &has_period, &period);
  /* A new period alone changes what the old quota means, so an update with one gets both. */
  if (r < 0 || (update && (!has_quota || quota == 0) && (!has_period || period == 0)))
    return r;
  if (period <= 0)
    period = CPU_PERIOD_US;
  if (cpu_within (quota, period, milli)) {
    /* A quota alone would be combined with the period that the group has, which is a shorter one if an
     * earlier call set it. */
    restrict_set (m, cpu, "period", json_new_number (period));
    return 0;
  }
  if (milli < 1000 && period > INT64_MAX / 1024000)
    period = CPU_PERIOD_US;
  quota = (int64_t) ((__int128) milli * period / 1000);
  if (quota < CPU_QUOTA_MIN_US) {
    period = CPU_PERIOD_US;
    quota = (int64_t) milli * CPU_PERIOD_US / 1000;
  }
  if (quota < CPU_QUOTA_MIN_US) {
    period = CPU_PERIOD_MAX_US;
    quota = (int64_t) milli * CPU_PERIOD_MAX_US / 1000;
  }
  restrict_set (m, cpu, "quota", json_new_number (quota));
  restrict_set (m, cpu, "period", json_new_number (period));
  restrict_note (m, CONTROL_LIMITS_CPU, "lowered to %" PRIu64 ".%03" PRIu64 " processors", milli / 1000,
                 milli % 1000);
  return 0;
}

/* Files that limit or weigh. Others move processes of the host's, freeze, kill, or take processors from it:
 * podman run --cgroup-conf cgroup.procs=1. */
static bool is_limit (const char *file)
{
  static const char *const controllers[] = { "cpu.",    "cpuset.cpus", "cpuset.mems", "hugetlb.", "io.",
                                             "memory.", "misc.",       "pids.",       "rdma." };

  for (size_t i = 0; i < ARRAY_LEN (controllers); i++)
    if (str_has_prefix (file, controllers[i]))
      return !str_has_prefix (file, "cpuset.cpus.");
  return false;
}

static int check_files (struct meet *m, const struct json_node *unified)
{
  for (size_t i = 0; i < unified->count; i++)
    if (!is_limit (unified->keys[i].name))
      return restrict_refuse (
          m, CONTROL_ISOLATION_TYPE,
          "the cgroup's file '%s' steers more than the container's limits; start it without "
          "--cgroup-conf %s",
          unified->keys[i].name, unified->keys[i].name);
  return 0;
}

/* The files of cgroup v2 by name: they are written last and would undo the rest. */
static int restrict_unified (struct meet *m, struct json_node *resources)
{
  const struct {
    const char *file;
    enum control control;
    uint64_t most;
    bool promised;
  } files[] = {
    { "memory.max", CONTROL_LIMITS_MEMORY, restrict_number (m, SETTING_MEMORY, 0), true },
    { "memory.swap.max", CONTROL_LIMITS_MEMORY, 0, restrict_number (m, SETTING_MEMORY, 0) > 0 },
    { "pids.max", CONTROL_LIMITS_PIDS, restrict_number (m, SETTING_PIDS, 0), true },
  };
  struct json_node *unified = NULL;
  const char *text = NULL;
  int r = restrict_find (m, resources, "unified", JSON_OBJECT, &unified);

  if (r == 0 && unified != NULL)
    r = check_files (m, unified);
  for (size_t i = 0; r == 0 && unified != NULL && i < ARRAY_LEN (files); i++) {
    uint64_t asked;
    char most[24];

    r = restrict_find_text (m, unified, files[i].file, &text);
    if (r < 0 || text == NULL || !files[i].promised || (i != 1 && files[i].most == 0)
        || (number_parse (text, UINT64_MAX, &asked) && asked <= files[i].most))
      continue;
    snprintf (most, sizeof (most), "%" PRIu64, files[i].most);
    restrict_set (m, unified, files[i].file, json_new_text (JSON_STRING, most));
    restrict_note (m, files[i].control, "%s lowered to %s", files[i].file, most);
  }
  if (r < 0 || unified == NULL)
    return r;
  r = restrict_find_text (m, unified, "cpu.max", &text);
  if (r == 0 && text != NULL && restrict_number (m, SETTING_CPUS, 0) > 0) {
    /* The same limit as cpu.quota, which has been restricted. */
    json_remove (unified, "cpu.max");
    restrict_note (m, CONTROL_LIMITS_CPU, "cpu.max taken away");
  }
  return r;
}

static void add_device_rule (struct meet *m, struct json_node *rules, bool allow, int major, int minor)
{
  struct json_node *rule = json_new (JSON_OBJECT);

  restrict_append (m, rules, rule);
  if (m->failed)
    return;
  restrict_set (m, rule, "allow", json_new_bool (allow));
  if (major >= 0) {
    restrict_set (m, rule, "type", json_new_text (JSON_STRING, "c"));
    restrict_set (m, rule, "major", json_new_number (major));
  }
  if (minor >= 0)
    restrict_set (m, rule, "minor", json_new_number (minor));
  restrict_set (m, rule, "access", json_new_text (JSON_STRING, allow ? "rw" : "rwm"));
}

/* null, zero, full, random, urandom, tty, console, ptmx, ptys: what a fresh /dev holds. */
static const struct {
  int major, minor;
} plain_devices[] = { { 1, 3 }, { 1, 5 }, { 1, 7 }, { 1, 8 },   { 1, 9 },
                      { 5, 0 }, { 5, 1 }, { 5, 2 }, { 136, -1 } };

static int device_is_plain (struct meet *m, struct json_node *rule, bool *ret_plain)
{
  const char *type = NULL;
  bool has_major = false, has_minor = false;
  int64_t major = -1, minor = -1;
  int r = restrict_find_text (m, rule, "type", &type);

  if (r == 0)
    r = restrict_find_number (m, rule, "major", &has_major, &major);
  if (r == 0)
    r = restrict_find_number (m, rule, "minor", &has_minor, &minor);
  *ret_plain = false;
  for (size_t i = 0; r == 0 && i < ARRAY_LEN (plain_devices); i++)
    if (type != NULL && strcmp (type, "c") == 0 && has_major && major == plain_devices[i].major
        && (plain_devices[i].minor < 0 || (has_minor && minor == plain_devices[i].minor)))
      *ret_plain = true;
  return r;
}

/* Everything is closed first, and whatever is opened afterwards is plain. */
static int devices_are_minimal (struct meet *m, struct json_node *rules, bool *ret_minimal)
{
  bool closed = false, minimal = true;
  int r = 0;

  for (size_t i = 0; r == 0 && i < rules->count; i++) {
    struct json_node *rule = rules->items[i], *allow = NULL, *detail = NULL;
    const char *access = NULL;
    bool plain = false;

    r = restrict_find (m, rule, "allow", JSON_BOOL, &allow);
    if (r == 0)
      r = restrict_find_text (m, rule, "access", &access);
    if (r == 0)
      r = restrict_find (m, rule, "major", JSON_NUMBER, &detail);
    if (r == 0)
      r = device_is_plain (m, rule, &plain);
    if (allow != NULL && allow->flag)
      minimal = minimal && closed && plain;
    else if (detail == NULL && json_get (rule, "type") == NULL && json_get (rule, "minor") == NULL
             && (access == NULL || strcmp (access, "rwm") == 0))
      closed = true;
  }
  *ret_minimal = minimal && closed;
  return r;
}

static int restrict_devices (struct meet *m, struct json_node *resources, bool update)
{
  struct json_node *rules = NULL;
  bool minimal = false;
  int r = update ? restrict_find (m, resources, "devices", JSON_ARRAY, &rules)
                 : restrict_make (m, resources, "devices", JSON_ARRAY, &rules);

  if (r < 0 || rules == NULL)
    return r;
  if (update) {
    json_remove (resources, "devices");
    restrict_note (m, CONTROL_DEVICES_MINIMAL, "device rules stay as they are");
    return 0;
  }
  r = restrict_items (m, rules, "devices", JSON_OBJECT);
  if (r == 0)
    r = devices_are_minimal (m, rules, &minimal);
  if (r < 0 || minimal)
    return r;
  while (rules->count > 0)
    json_remove_at (rules, rules->count - 1);
  add_device_rule (m, rules, false, -1, -1);
  for (size_t i = 0; i < ARRAY_LEN (plain_devices); i++)
    add_device_rule (m, rules, true, plain_devices[i].major, plain_devices[i].minor);
  restrict_note (m, CONTROL_DEVICES_MINIMAL,
                 "devices beyond null, zero, full, random, urandom, tty and ptys closed");
  return 0;
}

int restrict_resources (struct meet *m, struct json_node *resources, bool update)
{
  int r = restrict_memory (m, resources, update);

  if (r == 0)
    r = restrict_pids (m, resources, update);
  if (r == 0)
    r = restrict_cpu (m, resources, update);
  if (r == 0)
    r = restrict_unified (m, resources);
  if (r == 0)
    r = restrict_devices (m, resources, update);
  return r;
}
