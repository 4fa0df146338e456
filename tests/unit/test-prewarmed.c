/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans of sandboxes that are held ready: which of them are the same sandbox, and what is told to one later.
 */
#include <config.h>

#include "unit.h"

#include <stdlib.h>

#include "plan-case.h"
#include "plan-prewarmed.h"
#include "render-shape.h"

static char *copy (const char *text)
{
  char *made = strdup (text);

  assert_non_null (made);
  return made;
}

static void replace (char **text, const char *by)
{
  free (*text);
  *text = copy (by);
}

/* The case's profile has none; this is as plan/mounts.c makes it. */
static struct plan *make (void)
{
  struct plan *plan = plan_case_make ("libcrun");

  if (plan_workspace (plan) == NULL) {
    struct plan_mount *mounts = realloc (plan->mounts, (plan->mount_count + 1) * sizeof (*mounts));

    assert_non_null (mounts);
    mounts[plan->mount_count++] = (struct plan_mount){ .type = copy ("bind"),
                                                       .source = copy ("/home/one"),
                                                       .target = copy (PLAN_WORKSPACE),
                                                       .writable = true,
                                                       .device = 256,
                                                       .inode = 77 };
    plan->mounts = mounts;
  }
  return plan;
}

static char *shape_of (const struct plan *plan)
{
  cleanup_error struct error err = { 0 };
  char *text = NULL;

  CHECK (render_shape (plan, &text, &err) == 0, "%s", error_text (&err));
  return text;
}

/* ---- What makes it another sandbox, a row each. */

#define CHANGE(name, statement)                                                                              \
  static void change_##name (struct plan *plan)                                                              \
  {                                                                                                          \
    statement;                                                                                               \
  }

static struct plan_mount *workspace_in (const struct plan *plan)
{
  return &plan->mounts[plan_workspace (plan) - plan->mounts];
}

static struct plan_mount *other_mount (const struct plan *plan)
{
  for (size_t i = 0; i < plan->mount_count; i++)
    if (&plan->mounts[i] != plan_workspace (plan))
      return &plan->mounts[i];
  fail_msg ("there is no mount but the workspace's");
  return NULL;
}

CHANGE (profile, replace (&plan->profile_name, "another"))
CHANGE (profile_file, replace (&plan->profile_file, "/etc/other.json"))
CHANGE (digest, plan->profile_digest[8] ^= 1)
CHANGE (uid, plan->uid++)
CHANGE (gid, plan->gid++)
CHANGE (hostname, replace (&plan->hostname, "another"))
CHANGE (apparmor, replace (&plan->apparmor, "another"))
CHANGE (terminal, plan->terminal = !plan->terminal)
CHANGE (filter, plan->filter->rules[0].errnum = 99)
CHANGE (rlimit, plan->rlimits[0].soft--)
CHANGE (root_path, replace (&plan->root_path, "/another"))
CHANGE (root_inode, plan->root_inode++)
CHANGE (root_read_only, plan->root_read_only = !plan->root_read_only)
CHANGE (entry, plan->entries[0].mode ^= 1)
CHANGE (mount_source, replace (&other_mount (plan)->source, "/another"))
CHANGE (mount_target, replace (&other_mount (plan)->target, "/another"))
CHANGE (mount_inode, other_mount (plan)->inode++)
CHANGE (mount_device, other_mount (plan)->device++)
CHANGE (mount_options, assert_int_equal (strlist_add (&other_mount (plan)->options, "noatime"), 0))
CHANGE (fewer_mounts, workspace_in (plan)->target[1] = 'W')
CHANGE (workspace_writable, workspace_in (plan)->writable = !workspace_in (plan)->writable)
CHANGE (masked, assert_int_equal (strlist_add (&plan->masked, "/proc/another"), 0))
CHANGE (read_only, assert_int_equal (strlist_add (&plan->read_only, "/proc/another"), 0))
CHANGE (user_namespace, plan->user_namespace = !plan->user_namespace)
CHANGE (network, plan->network_namespace = !plan->network_namespace)
CHANGE (memory, plan->memory++)
CHANGE (pids, plan->pids++)
CHANGE (cpu, plan->cpu_quota++)
CHANGE (cgroup, plan->cgroup = CGROUP_V1)
CHANGE (delegated, replace (&plan->cgroup_delegated, "/user.slice"))
CHANGE (owner, replace (&plan->owner, "another"))

#define ROW(name)                                                                                            \
  {                                                                                                          \
#name, change_##name                                                                                     \
  }

static void test_another (void **state)
{
  static const struct {
    const char *name;
    void (*change) (struct plan *plan);
  } rows[] = {
    ROW (profile),
    ROW (profile_file),
    ROW (digest),
    ROW (uid),
    ROW (gid),
    ROW (hostname),
    ROW (apparmor),
    ROW (terminal),
    ROW (filter),
    ROW (rlimit),
    ROW (root_path),
    ROW (root_inode),
    ROW (root_read_only),
    ROW (entry),
    ROW (mount_source),
    ROW (mount_target),
    ROW (mount_inode),
    ROW (mount_device),
    ROW (mount_options),
    ROW (fewer_mounts),
    ROW (workspace_writable),
    ROW (masked),
    ROW (read_only),
    ROW (user_namespace),
    ROW (network),
    ROW (memory),
    ROW (pids),
    ROW (cpu),
    ROW (cgroup),
    ROW (delegated),
    ROW (owner),
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_plan struct plan *plan = make ();
    cleanup_free char *before = shape_of (plan);
    cleanup_free char *after = NULL;

    rows[i].change (plan);
    after = shape_of (plan);
    CHECK (strcmp (before, after) != 0, "%s does not matter", rows[i].name);
  }
}

/* ---- What can be told to one that stands. */

static void tell (struct plan *plan)
{
  struct plan_mount *workspace = workspace_in (plan);

  assert_int_equal (strlist_add (&plan->argv, "more"), 0);
  assert_int_equal (strlist_add (&plan->env, "WORD=secret"), 0);
  replace (&plan->cwd, "/workspace/sub");
  replace (&workspace->source, "/home/other");
  workspace->device = 3;
  workspace->inode = 4;
  assert_int_equal (strlist_add (&plan->masked, "/workspace/another.key"), 0);
  plan->wall_ms = 5;
  plan->output_bytes = 6;
  plan->idle_ms = 7;
  plan->output_rate = 8;
  plan->controls[CONTROL_LIMITS_PIDS].required = !plan->controls[CONTROL_LIMITS_PIDS].required;
}

static void test_the_same (void **state)
{
  cleanup_plan struct plan *plan = make ();
  cleanup_free char *before = shape_of (plan);
  cleanup_free char *after = NULL;

  (void) state;
  tell (plan);
  after = shape_of (plan);
  assert_string_equal (before, after);
  CHECK (strstr (after, "secret") == NULL && strstr (after, "/home/") == NULL, "the caller's is in '%s'",
         after);
}

static const struct plan_mount *workspace_of (const struct launch *launch)
{
  return launch_mount_at (launch, PLAN_WORKSPACE);
}

/* A sandbox that is made in advance has nothing of a caller's; the command is told to it from the caller's
 * own plan, and neither plan changes. */
static void test_told (void **state)
{
  cleanup_plan struct plan *template = make (), *wanted = make ();
  cleanup_launch struct launch launch = { 0 };
  cleanup_error struct error err = { 0 };

  (void) state;
  assert_int_equal (launch_init (template, &launch, &err), 0);
  assert_int_equal (launch_hold (&launch, &err), 0);
  assert_true (launch.prewarmed);
  assert_int_equal (launch.argv.count, 0);
  assert_int_equal (launch.env.count, 1);
  assert_string_equal (launch.env.items[0], "HOME=/");
  assert_string_equal (workspace_of (&launch)->source, "");
  assert_int_equal (workspace_of (&launch)->inode, 0);
  assert_string_equal (plan_workspace (template)->source, "/home/one");

  tell (wanted);
  assert_int_equal (launch_tell (wanted, &launch, &err), 0);
  assert_true (launch.prewarmed);
  assert_string_equal (launch.cwd, "/workspace/sub");
  assert_string_equal (workspace_of (&launch)->source, "/home/other");
  assert_int_equal (workspace_of (&launch)->device, 3);
  assert_int_equal (workspace_of (&launch)->inode, 4);
  assert_string_equal (launch.argv.items[launch.argv.count - 1], "more");
  assert_string_equal (launch.env.items[launch.env.count - 1], "WORD=secret");
  assert_string_equal (launch.masked.items[launch.masked.count - 1], "/workspace/another.key");
}

/* ---- Of what none is held. */

static void why (struct plan *plan, const char *text)
{
  const char *said = plan_why_not_prewarmed (plan);

  CHECK (said != NULL && strstr (said, text) != NULL, "'%s' was said and not '%s'", said ? said : "", text);
}

static void test_not_held (void **state)
{
  cleanup_plan struct plan *plan = make (), *other = plan_case_make ("oci:runc");
  struct plan_mount *mount = other_mount (plan);
  char *target = mount->target;

  (void) state;
  assert_null (plan_why_not_prewarmed (plan));
  why (other, "libcrun");
  plan->unprivileged = true;
  why (plan, "root");
  plan->unprivileged = false;
  plan->terminal = true;
  why (plan, "terminal");
  plan->terminal = false;
  mount->target = (char[]){ "/workspace/in" };
  why (plan, "mounted in the workspace");
  mount->target = target;
  plan->settings.values[SETTING_SECRETS].grants.count = 1;
  why (plan, "secrets");
  plan->settings.values[SETTING_SECRETS].grants.count = 0;
  assert_null (plan_why_not_prewarmed (plan));
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_another),
  cmocka_unit_test (test_the_same),
  cmocka_unit_test (test_told),
  cmocka_unit_test (test_not_held),
};

UNIT_MAIN (cases)
