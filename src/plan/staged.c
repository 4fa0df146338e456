#include <config.h>

#include "plan-staged.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan-draft-internal.h"
#include "wire-init.h"

/* A runtime opens a descriptor for each mount while the limit is in force already; it gets room, and init
 * gives the command its own. */
#define RUNTIME_FILES 1024u

static int move_file_limit (struct plan *plan)
{
  for (size_t i = 0; i < plan->rlimit_count; i++) {
    struct plan_rlimit *limit = &plan->rlimits[i];
    cleanup_free char *count = NULL;

    if (strcmp (limit->name, "RLIMIT_NOFILE") != 0 || limit->hard >= RUNTIME_FILES
        || plan->open_files_hard <= limit->hard)
      continue;
    count = str_format ("%llu", (unsigned long long) limit->hard);
    if (count == NULL || strlist_add (&plan->init, "--open-files") < 0
        || strlist_add (&plan->init, count) < 0)
      return -ENOMEM;
    limit->hard = limit->soft = plan->open_files_hard < RUNTIME_FILES ? plan->open_files_hard : RUNTIME_FILES;
  }
  return 0;
}

/* Names have no commas in them. */
static int keep_env (struct plan *plan)
{
  cleanup_strbuf struct strbuf names = { 0 };

  strbuf_add (&names, "");
  for (size_t i = 0; i < plan->env.count; i++)
    strbuf_addf (&names, "%s%.*s", i > 0 ? "," : "", (int) strcspn (plan->env.items[i], "="),
                 plan->env.items[i]);
  return strlist_add (&plan->init, "--keep-env") < 0
                 || strlist_add_take (&plan->init, strbuf_take (&names)) < 0
             ? -ENOMEM
             : 0;
}

static int set_init (struct plan *plan, enum init_transport transport)
{
  bool failed = strlist_add (&plan->init, STAGE_INIT_TARGET) < 0;

  if (transport != INIT_OVER_FDS)
    failed = failed || strlist_add (&plan->init, "--transport") < 0
             || strlist_add (&plan->init, transport == INIT_OVER_STDIO ? "stdio" : "socket") < 0;
  if (plan->backend->adds_env)
    failed = failed || keep_env (plan) < 0;
  if (plan->terminal)
    failed = failed || strlist_add (&plan->init, "--tty") < 0;
  if (plan->prewarmed)
    failed = failed || strlist_add (&plan->init, "--held") < 0;
  failed = failed || move_file_limit (plan) < 0;
  return failed || strlist_add (&plan->init, "--") < 0 ? -ENOMEM : 0;
}

static int set_staged (struct plan *plan, const char *directory)
{
  for (size_t i = 0; i < plan->mount_count; i++) {
    struct plan_mount *mount = &plan->mounts[i];

    bool group = strcmp (mount->type, "cgroup") == 0;

    if (strcmp (mount->type, "bind") != 0 && !group)
      continue;
    /* The runtime is not asked for a mount of cgroups: it binds what the stage has. */
    if (group && strlist_add (&mount->options, "bind") < 0)
      return -ENOMEM;
    mount->staged = str_format ("%s/mounts/%zu", directory, i);
    if (mount->staged == NULL)
      return -ENOMEM;
  }
  plan->staged_root = str_format ("%s/rootfs", directory);
  return plan->staged_root ? 0 : -ENOMEM;
}

/* Each by itself, and none below another's source: in a user namespace crun 1.8.1 binds nothing of what is
 * mounted there, and the kernel does not let runc leave it out. */
static int show_hierarchies (struct draft *draft, const char *directory)
{
  struct plan *plan = draft->plan;

  for (size_t i = 0; i < plan->cgroup_shown.count && plan_group_view (plan) != NULL; i++) {
    const char *name = plan->cgroup_shown.items[i];
    cleanup_free char *target = str_format (PLAN_GROUP_VIEW "/%s", name);
    char *staged = str_format ("%s/mounts/%zu", directory, plan->mount_count);
    int r = target && staged
                ? draft_add_mount (draft, "cgroup", "cgroup", target, "nosuid,nodev,noexec,ro,bind")
                : error_oom (draft->err);

    if (r < 0) {
      free (staged);
      return r;
    }
    plan->mounts[plan->mount_count - 1].staged = staged;
  }
  return 0;
}

int plan_stage (struct plan *plan, const char *directory, enum init_transport transport, struct error *err)
{
  struct draft draft = { .plan = plan, .err = err };
  cleanup_free char *init = str_format ("%s/init", directory);
  int r;

  if (init == NULL || set_staged (plan, directory) < 0 || set_init (plan, transport) < 0)
    return error_oom (err);
  r = show_hierarchies (&draft, directory);
  if (r == 0)
    r = draft_add_entry (&draft, ENTRY_FILE, STAGE_INIT_TARGET, "");
  if (r == 0)
    r = draft_add_mount (&draft, "bind", init, STAGE_INIT_TARGET, "bind,ro,nosuid,nodev");
  if (r < 0)
    return r;
  plan->passed_descriptors = transport == INIT_OVER_FDS;
  plan->staged_ids = plan->unprivileged;
  /* The last one has no source outside: the stage brings it along. */
  plan->mounts[plan->mount_count - 1].staged = take_ptr (init);
  return 0;
}

int plan_stage_engine (struct plan *plan, const char *init, const char *rendezvous,
                       enum init_transport transport, struct error *err)
{
  struct draft draft = { .plan = plan, .err = err };
  int r = set_init (plan, transport) < 0 ? error_oom (err) : 0;

  if (r == 0)
    r = draft_add_mount (&draft, "bind", init, STAGE_INIT_TARGET, "bind,ro,nosuid,nodev");
  if (r == 0 && rendezvous != NULL)
    r = draft_add_mount (&draft, "bind", rendezvous, RENDEZVOUS_PATH, "bind,ro,nosuid,nodev,noexec");
  plan->over_streams = transport == INIT_OVER_STDIO;
  return r;
}
