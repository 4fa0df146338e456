#include <config.h>

#include "shim-promised.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base-limits.h"
#include "base-number.h"
#include "plan-staged.h"
#include "wire-init.h"

/* Belong to a run of our own, with a supervisor and a caller. */
static const enum control left_to_engine[] = {
  CONTROL_LIMITS_WALL,   CONTROL_LIMITS_OUTPUT,  CONTROL_LIMITS_DISK, CONTROL_ENVIRONMENT_CLEAN,
  CONTROL_SECRETS_FILES, CONTROL_BUDGET_SESSION, CONTROL_TOOLS,
};

static uint64_t number_at (const struct json_node *object, const char *key)
{
  const struct json_node *node = json_get (object, key);
  uint64_t number = 0;

  return node != NULL && node->type == JSON_NUMBER && number_parse (node->text, INT64_MAX, &number) ? number
                                                                                                    : 0;
}

static int copy_texts (const struct json_node *array, struct strlist *list)
{
  for (size_t i = 0; array != NULL && i < array->count; i++)
    if (array->items[i]->type == JSON_STRING && strlist_add (list, array->items[i]->text) < 0)
      return -ENOMEM;
  return 0;
}

static const struct path_fact *fact_of (const struct policy *policy, const char *source)
{
  for (size_t i = 0; i < policy->host->paths.count; i++)
    if (str_equal (policy->host->paths.items[i].real, source))
      return &policy->host->paths.items[i];
  return NULL;
}

static struct plan_mount *append (struct plan *plan, const char *type, const char *source, const char *target)
{
  struct plan_mount *mounts = realloc (plan->mounts, (plan->mount_count + 1) * sizeof (*mounts));
  struct plan_mount *mount;

  if (mounts == NULL)
    return NULL;
  plan->mounts = mounts;
  mount = &mounts[plan->mount_count++];
  *mount = (struct plan_mount){ .type = strdup (type), .source = strdup (source), .target = strdup (target) };
  return mount->type && mount->source && mount->target ? mount : NULL;
}

/* What a runtime makes of a mount of cgroups differs from host to host. */
static bool is_cgroup (const struct json_node *type)
{
  return type != NULL && (strcmp (type->text, "cgroup") == 0 || strcmp (type->text, "cgroup2") == 0);
}

static int add_mount (struct plan *plan, const struct policy *policy, const struct json_node *entry)
{
  const struct json_node *dest = json_get (entry, "destination"), *type = json_get (entry, "type");
  const struct json_node *source = json_get (entry, "source");
  bool bind = spec_mount_is_bind (entry);
  const struct path_fact *fact = bind && source ? fact_of (policy, source->text) : NULL;
  struct plan_mount *mount;

  if (is_cgroup (type))
    return strlist_add (&plan->engines_own, dest->text);
  mount = append (plan, bind ? "bind" : type ? type->text : "none", source ? source->text : "", dest->text);
  if (mount == NULL || copy_texts (json_get (entry, "options"), &mount->options) < 0)
    return -ENOMEM;
  mount->writable = bind && !spec_mount_is_read_only (entry);
  mount->device = fact ? fact->device : 0;
  mount->inode = fact ? fact->inode : 0;
  return 0;
}

/* What the stage adds: init, and the way to us. */
static int add_own_mounts (struct plan *plan)
{
  static const char *const targets[] = { STAGE_INIT_TARGET, RENDEZVOUS_PATH };

  for (size_t i = 0; i < ARRAY_LEN (targets); i++)
    if (append (plan, "bind", "", targets[i]) == NULL)
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

static void set_controls (struct plan *plan, const struct policy *policy, const struct json_node *config)
{
  const struct json_node *apparmor = json_get (json_get (config, "process"), "apparmorProfile");
  const struct value *own = &policy->settings.values[SETTING_APPARMOR];

  for (enum control c = 0; c < CONTROL_COUNT; c++)
    plan->controls[c] = (struct plan_control){ .promised = control_is_promised (c, &plan->settings),
                                               .required = control_is_required (c, &plan->settings),
                                               .enforcement = { ENFORCEMENT_ENFORCED, BASIS_MEASURED, "" } };
  for (size_t i = 0; i < ARRAY_LEN (left_to_engine); i++)
    plan->controls[left_to_engine[i]].promised = plan->controls[left_to_engine[i]].required = false;
  if (!value_is_set (own) || apparmor == NULL || strcmp (apparmor->text, own->text) != 0)
    plan->controls[CONTROL_APPARMOR].promised = plan->controls[CONTROL_APPARMOR].required = false;
  if (!is_sealed (json_get (config, "linux"), policy->filter)) {
    plan->controls[CONTROL_SECCOMP].required = false;
    plan->controls[CONTROL_SECCOMP].enforcement =
        (struct enforcement){ ENFORCEMENT_WEAKER, BASIS_MEASURED,
                              "the engine's own filter, which allows less, is in force" };
  }
}

static void set_limits (struct plan *plan, const struct policy *policy, const struct json_node *linux_)
{
  const struct json_node *resources = json_get (linux_, "resources"), *cpu = json_get (resources, "cpu");

  plan->memory = number_at (json_get (resources, "memory"), "limit");
  plan->pids = number_at (json_get (resources, "pids"), "limit");
  plan->cpu_quota = number_at (cpu, "quota");
  plan->cpu_period = number_at (cpu, "period");
  plan->swap_limit = policy->host->swap_accounting;
  plan->cgroup = policy->host->cgroup;
  plan->open_files_hard = policy->host->open_files_hard;
  plan->output_bytes = UINT64_MAX;
}

static int fill (struct plan *plan, const struct policy *policy, const struct json_node *config,
                 const char *group)
{
  const struct json_node *linux_ = json_get (config, "linux"), *mounts = json_get (config, "mounts");
  const struct json_node *process = json_get (config, "process"), *cwd = json_get (process, "cwd");
  const struct json_node *user = json_get (process, "user");
  const struct json_node *hostname = json_get (config, "hostname"),
                         *flag = json_get (json_get (config, "root"), "readonly");

  plan->cwd = strdup (cwd && cwd->text[0] != '\0' ? cwd->text : "/");
  plan->uid = (uint32_t) number_at (user, "uid");
  plan->gid = (uint32_t) number_at (user, "gid");
  plan->root_read_only = flag != NULL && flag->flag;
  plan->user_namespace = has_namespace (linux_, "user");
  plan->network_namespace = has_namespace (linux_, "network");
  plan->uid_map_count = read_maps (json_get (linux_, "uidMappings"), plan->uid_maps);
  plan->gid_map_count = read_maps (json_get (linux_, "gidMappings"), plan->gid_maps);
  plan->hostname = strdup (hostname ? hostname->text : "");
  plan->cgroup_path = group_path (group, policy->host->cgroup);
  plan->profile_name = strdup (policy->spec.profile);
  if (plan->cwd == NULL || plan->hostname == NULL || plan->profile_name == NULL
      || settings_copy (&policy->settings, &plan->settings) < 0
      || copy_texts (json_get (linux_, "maskedPaths"), &plan->masked) < 0
      || copy_texts (json_get (linux_, "readonlyPaths"), &plan->read_only) < 0)
    return -ENOMEM;
  set_limits (plan, policy, linux_);
  set_controls (plan, policy, config);
  if (plan->controls[CONTROL_APPARMOR].promised
      && (plan->apparmor = strdup (policy->settings.values[SETTING_APPARMOR].text)) == NULL)
    return -ENOMEM;
  for (size_t i = 0; mounts != NULL && i < mounts->count; i++)
    if (add_mount (plan, policy, mounts->items[i]) < 0)
      return -ENOMEM;
  return add_own_mounts (plan);
}

int planned_container (const struct policy *policy, const struct json_node *config, const char *group,
                       struct plan **ret_plan, struct error *err)
{
  cleanup_plan struct plan *plan = calloc (1, sizeof (*plan));

  if (plan == NULL || fill (plan, policy, config, group) < 0)
    return error_oom (err);
  /* The policy's own, which outlives the plan: taken out again by whoever frees it. */
  plan->filter = policy->filter;
  *ret_plan = take_ptr (plan);
  return 0;
}
