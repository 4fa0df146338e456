/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process: argv, working directory, ids, rlimits, AppArmor profile and seccomp filter. */
#include <config.h>

#include "plan-draft-internal.h"

#include <errno.h>
#include <string.h>

#include "base-limits.h"
#include "base-path.h"

static int draft_argv (struct draft *draft)
{
  const struct strlist *argv = &draft->request->argv;

  if (argv->count == 0 || argv->items[0][0] == '\0')
    return error_set (draft->err, -EINVAL, "there is no command to run");
  if (argv->count > LIMIT_ARGUMENTS)
    return error_set (draft->err, -E2BIG, "the command has more than %zu arguments", LIMIT_ARGUMENTS);
  for (size_t i = 0; i < argv->count; i++)
    if (!str_is_utf8 (argv->items[i], strlen (argv->items[i])))
      return error_set (
          draft->err, -EILSEQ,
          "argument %zu is not valid UTF-8, which the container's JSON configuration cannot hold", i);
  return strlist_copy (argv, &draft->plan->argv) < 0 ? error_oom (draft->err) : 0;
}

/* A working directory below /proc can name a descriptor that the runtime left open (CVE-2024-21626). */
static int draft_cwd (struct draft *draft)
{
  static const char *const never[] = { "/proc", "/sys", "/dev" };
  bool workspace = draft_value (draft, SETTING_WORKSPACE)->level != WORKSPACE_NONE;
  const char *cwd = draft->request->cwd;

  if (cwd == NULL)
    cwd = workspace ? "/workspace" : "/";
  if (!path_is_normal (cwd) || strlen (cwd) > LIMIT_PATH_BYTES)
    return error_set (draft->err, -EINVAL,
                      "working directory '%s' is not an absolute path without '.', '..' or empty parts", cwd);
  if (!str_is_utf8 (cwd, strlen (cwd)))
    return error_set (draft->err, -EILSEQ, "working directory: not valid UTF-8");
  for (size_t i = 0; i < ARRAY_LEN (never); i++)
    if (path_is_within (cwd, never[i]))
      return error_set (draft->err, -EINVAL, "working directory '%s' lies in '%s', where no run may start",
                        cwd, never[i]);
  draft->plan->cwd = strdup (cwd);
  return draft->plan->cwd ? 0 : error_oom (draft->err);
}

static void add_rlimit (struct plan *plan, const char *name, uint64_t value)
{
  plan->rlimits[plan->rlimit_count++] = (struct plan_rlimit){ name, value, value };
}

/* Raising a hard limit takes a capability that we may lack, so never ask for more than the host's. */
static void draft_rlimits (struct draft *draft)
{
  const struct value *files = draft_value (draft, SETTING_OPEN_FILES);
  uint64_t hard = draft->host->open_files_hard;

  draft->plan->open_files_hard = hard;
  draft->plan->processes_hard = draft->host->processes_hard;
  /* The host's core_pattern handler writes core dumps outside the container. */
  add_rlimit (draft->plan, "RLIMIT_CORE", 0);
  if (value_is_set (files))
    add_rlimit (draft->plan, "RLIMIT_NOFILE", hard > 0 && hard < files->number ? hard : files->number);
}

static int draft_apparmor (struct draft *draft)
{
  const struct value *name = draft_value (draft, SETTING_APPARMOR);

  if (!value_is_set (name)
      || draft->plan->controls[CONTROL_APPARMOR].enforcement.level == ENFORCEMENT_IMPOSSIBLE)
    return 0;
  draft->plan->apparmor = strdup (name->text);
  return draft->plan->apparmor ? 0 : error_oom (draft->err);
}

/* The profile's list, unless the ceiling's is stricter. */
static const struct seccomp_list *list_in_force (const struct draft *draft)
{
  const char *met = draft_value (draft, SETTING_SECCOMP_LIST)->text;
  const char *own = draft->profile->settings.values[SETTING_SECCOMP_LIST].text;

  return strcmp (met, own) == 0 ? draft->profile->seccomp : draft->ceiling->seccomp;
}

/* A memfd has no path that process.tools could name, so with process.tools there must be none. */
static int draft_filter (struct draft *draft)
{
  const struct strlist *extra = &draft_value (draft, SETTING_SECCOMP_ALLOW)->set;
  char *names[] = { (char[]){ "memfd_create" }, (char[]){ "memfd_secret" } };
  const struct strlist nameless = { names, ARRAY_LEN (names) };
  bool bounded = plan_bounds_tools (draft->plan);

  for (size_t i = 0; bounded && i < nameless.count; i++)
    if (strset_has (extra, names[i]))
      return error_set (
          draft->err, -EINVAL,
          "process.tools: '%s' in process.seccomp.allow would let a program be executed without a "
          "path; take it out, or process.tools",
          names[i]);
  return filter_build (list_in_force (draft), extra, bounded ? &nameless : NULL, draft->host->machine,
                       &draft->plan->filter, draft->err);
}

int draft_process (struct draft *draft)
{
  struct plan *plan = draft->plan;
  const struct value *user = draft_value (draft, SETTING_USER);
  int r = draft_argv (draft);

  if (r == 0)
    r = draft_cwd (draft);
  if (r == 0)
    r = draft_apparmor (draft);
  if (r < 0)
    return r;
  plan->uid = user->uid;
  plan->gid = user->gid;
  plan->terminal = draft->request->terminal;
  plan->hostname = strdup ("tyrum");
  if (plan->hostname == NULL)
    return error_oom (draft->err);
  draft_rlimits (draft);
  if (plan->backend->reads_filter) {
    plan->filter_path = plan_filter_path (draft->host->state_dir, plan->run_id);
    if (plan->filter_path == NULL)
      return error_oom (draft->err);
  }
  return draft_filter (draft);
}
