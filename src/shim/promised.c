/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-promised.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base-limits.h"
#include "base-number.h"
#include "plan-launch.h"
#include "shim-container-plan.h"
#include "wire-init.h"

/* Belong to a run of our own, with a supervisor and a caller. */
static const enum control left_to_engine[] = {
  CONTROL_LIMITS_WALL,        CONTROL_LIMITS_OUTPUT,  CONTROL_LIMITS_IDLE,
  CONTROL_LIMITS_OUTPUT_RATE, CONTROL_LIMITS_DISK,    CONTROL_ENVIRONMENT_CLEAN,
  CONTROL_SECRETS_FILES,      CONTROL_BUDGET_SESSION, CONTROL_TOOLS,
};

static uint64_t number_at (const struct json_node *object, const char *key)
{
  const struct json_node *node = json_get (object, key);
  uint64_t number = 0;

  return node != NULL && node->type == JSON_NUMBER && number_parse (node->text, UINT64_MAX, &number) ? number
                                                                                                     : 0;
}

static int copy_texts (const struct json_node *array, struct strlist *list)
{
  for (size_t i = 0; array != NULL && i < array->count; i++)
    if (array->items[i]->type == JSON_STRING && strlist_add (list, array->items[i]->text) < 0)
      return -ENOMEM;
  return 0;
}

static struct plan_mount *append (struct promised *promised, const char *type, const char *source,
                                  const char *target)
{
  struct plan_mount *mounts = realloc (promised->mounts, (promised->mount_count + 1) * sizeof (*mounts));
  struct plan_mount *mount;

  if (mounts == NULL)
    return NULL;
  promised->mounts = mounts;
  mount = &mounts[promised->mount_count++];
  *mount = (struct plan_mount){ .type = strdup (type), .source = strdup (source), .target = strdup (target) };
  return mount->type && mount->source && mount->target ? mount : NULL;
}

/* What a runtime makes of a mount of cgroups differs from host to host. */
static bool is_cgroup (const struct json_node *type)
{
  return type != NULL && (strcmp (type->text, "cgroup") == 0 || strcmp (type->text, "cgroup2") == 0);
}

static int add_mount (struct promised *promised, const struct json_node *entry)
{
  const struct json_node *dest = json_get (entry, "destination"), *type = json_get (entry, "type");
  const struct json_node *source = json_get (entry, "source");
  bool bind = spec_mount_is_bind (entry);
  struct plan_mount *mount;

  if (is_cgroup (type))
    return strlist_add (&promised->engines_own, dest->text);
  mount = append (promised,
                  bind   ? "bind"
                  : type ? type->text
                         : "none",
                  source ? source->text : "", dest->text);
  if (mount == NULL || copy_texts (json_get (entry, "options"), &mount->options) < 0)
    return -ENOMEM;
  mount->writable = bind && !spec_mount_is_read_only (entry);
  mount->device = number_at (entry, CONTAINER_PLAN_DEVICE);
  mount->inode = number_at (entry, CONTAINER_PLAN_INODE);
  return 0;
}

/* What the stage adds: init, and the way to us. */
static int add_own_mounts (struct promised *promised)
{
  static const char *const targets[] = { STAGE_INIT_TARGET, RENDEZVOUS_PATH };

  for (size_t i = 0; i < ARRAY_LEN (targets); i++)
    if (append (promised, "bind", "", targets[i]) == NULL)
      return -ENOMEM;
  return 0;
}

static size_t read_maps (const struct json_node *array, struct plan_id_map *maps)
{
  size_t count = 0;

  for (size_t i = 0; array != NULL && i < array->count && count < PLAN_ID_MAPS; i++)
    maps[count++] = (struct plan_id_map){ (uint32_t) number_at (array->items[i], "containerID"),
                                          (uint32_t) number_at (array->items[i], "hostID"),
                                          (uint32_t) number_at (array->items[i], "size") };
  return count;
}

static bool has_namespace (const struct json_node *linux_, const char *type)
{
  const struct json_node *list = json_get (linux_, "namespaces");

  for (size_t i = 0; list != NULL && i < list->count; i++) {
    const struct json_node *name = json_get (list->items[i], "type");

    if (name != NULL && strcmp (name->text, type) == 0)
      return true;
  }
  return false;
}

/* "5:memory:/docker/x" or "0::/docker/x": the group of the hierarchy that limits memory. */
static char *group_path (const char *text, enum cgroup_mode mode)
{
  const char *want = mode == CGROUP_V2 ? "0::" : ":memory:";

  for (const char *line = text; line != NULL && *line != '\0';) {
    size_t len = strcspn (line, "\n");
    const char *at = memmem (line, len, want, strlen (want));

    if (at != NULL)
      return strndup (at + strlen (want), len - (size_t) (at + strlen (want) - line));
    line += len + (line[len] == '\n');
  }
  return NULL;
}

/* The seal is in the filter unless the engine's own, which allows less, was left in force. */
static bool is_sealed (const struct json_node *linux_, const struct filter *filter)
{
  const struct json_node *rules = json_get (json_get (linux_, "seccomp"), "syscalls");

  for (size_t i = 0; rules != NULL && i < rules->count; i++)
    if (number_at (rules->items[i], "errnoRet") == (uint64_t) filter->seal)
      return true;
  return false;
}

static void set_controls (struct promised *promised, const struct policy *policy,
                          const struct json_node *config)
{
  const struct json_node *apparmor = json_get (json_get (config, "process"), "apparmorProfile");
  const struct value *own = &policy->settings.values[SETTING_APPARMOR];
  struct plan_control *controls = promised->controls;

  for (enum control c = 0; c < CONTROL_COUNT; c++)
    controls[c] = (struct plan_control){ .promised = control_is_promised (c, &policy->settings),
                                         .required = control_is_required (c, &policy->settings),
                                         .enforcement = { ENFORCEMENT_ENFORCED, BASIS_MEASURED, "" } };
  for (size_t i = 0; i < ARRAY_LEN (left_to_engine); i++)
    controls[left_to_engine[i]].promised = controls[left_to_engine[i]].required = false;
  if (!value_is_set (own) || apparmor == NULL || strcmp (apparmor->text, own->text) != 0)
    controls[CONTROL_APPARMOR].promised = controls[CONTROL_APPARMOR].required = false;
  if (!is_sealed (json_get (config, "linux"), policy->filter)) {
    controls[CONTROL_SECCOMP].required = false;
    controls[CONTROL_SECCOMP].enforcement =
        (struct enforcement){ ENFORCEMENT_WEAKER, BASIS_MEASURED,
                              "the engine's own filter, which allows less, is in force" };
  }
  promised->promises.apparmor = controls[CONTROL_APPARMOR].promised ? own->text : NULL;
}

static void set_process (struct promises *promises, const struct json_node *config)
{
  const struct json_node *linux_ = json_get (config, "linux"), *hostname = json_get (config, "hostname");
  const struct json_node *user = json_get (json_get (config, "process"), "user");
  const struct json_node *read_only = json_get (json_get (config, "root"), "readonly");

  promises->uid = (uint32_t) number_at (user, "uid");
  promises->gid = (uint32_t) number_at (user, "gid");
  promises->root_read_only = read_only != NULL && read_only->flag;
  promises->user_namespace = has_namespace (linux_, "user");
  promises->network_namespace = has_namespace (linux_, "network");
  promises->hostname = hostname ? hostname->text : "";
}

static void set_limits (struct promises *promises, const struct policy *policy,
                        const struct json_node *resources)
{
  const struct json_node *cpu = json_get (resources, "cpu");

  promises->memory = number_at (json_get (resources, "memory"), "limit");
  promises->pids = number_at (json_get (resources, "pids"), "limit");
  promises->cpu_quota = number_at (cpu, "quota");
  promises->cpu_period = number_at (cpu, "period");
  promises->swap_limit = policy->host->swap_accounting;
  promises->cgroup = policy->host->cgroup;
  promises->open_files = promises_open_files (&policy->settings, policy->host->open_files_hard);
  promises->output_bytes = UINT64_MAX;
}

static int set_lists (struct promised *promised, const struct policy *policy, const struct json_node *config,
                      const char *group)
{
  const struct json_node *linux_ = json_get (config, "linux"), *mounts = json_get (config, "mounts");
  const struct json_node *cwd = json_get (json_get (config, "process"), "cwd");

  promised->cwd = strdup (cwd && cwd->text[0] != '\0' ? cwd->text : "/");
  promised->cgroup_path = group_path (group, policy->host->cgroup);
  if (promised->cwd == NULL || copy_texts (json_get (linux_, "maskedPaths"), &promised->masked) < 0
      || copy_texts (json_get (linux_, "readonlyPaths"), &promised->read_only) < 0)
    return -ENOMEM;
  for (size_t i = 0; mounts != NULL && i < mounts->count; i++)
    if (add_mount (promised, mounts->items[i]) < 0)
      return -ENOMEM;
  return add_own_mounts (promised);
}

int promised_by_spec (const struct policy *policy, const struct json_node *config, const char *group,
                      struct promised *ret_promised, struct error *err)
{
  const struct json_node *linux_ = json_get (config, "linux");
  struct promised *promised = ret_promised;
  struct promises *promises = &promised->promises;

  *promised = (struct promised){ 0 };
  if (set_lists (promised, policy, config, group) < 0) {
    promised_clear (promised);
    return error_oom (err);
  }
  *promises = (struct promises){ .controls = promised->controls,
                                 .settings = &policy->settings,
                                 .filter = policy->filter,
                                 .uid_maps = promised->uid_maps,
                                 .gid_maps = promised->gid_maps,
                                 .cwd = promised->cwd,
                                 .env = &promised->env,
                                 .masked = &promised->masked,
                                 .read_only = &promised->read_only,
                                 .engines_own = &promised->engines_own,
                                 .mounts = promised->mounts,
                                 .mount_count = promised->mount_count,
                                 .cgroup_path = promised->cgroup_path };
  promises->uid_map_count = read_maps (json_get (linux_, "uidMappings"), promised->uid_maps);
  promises->gid_map_count = read_maps (json_get (linux_, "gidMappings"), promised->gid_maps);
  set_process (promises, config);
  set_limits (promises, policy, json_get (linux_, "resources"));
  set_controls (promised, policy, config);
  return 0;
}

void promised_clear (struct promised *promised)
{
  for (size_t i = 0; i < promised->mount_count; i++)
    plan_mount_clear (&promised->mounts[i]);
  free (promised->mounts);
  strlist_clear (&promised->masked);
  strlist_clear (&promised->read_only);
  strlist_clear (&promised->engines_own);
  free (promised->cwd);
  free (promised->cgroup_path);
  *promised = (struct promised){ 0 };
}
