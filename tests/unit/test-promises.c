/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was promised, as a plan and as a specification say it: no field is left out, and the specification
 * that a plan is written as promises what the plan does. */
#include <config.h>

#include "posture-promises.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "posture-case.h"
#include "render-oci.h"
#include "shim-container-plan.h"
#include "shim-promised.h"
#include "unit.h"

#define FIELD(name)                                                                                          \
  {                                                                                                          \
#name, offsetof(struct promises, name), sizeof(((struct promises *) 0)->name),                           \
        _Alignof(__typeof__(((struct promises *) 0)->name))                                                  \
  }

/* All of them, in their order. */
static const struct {
  const char *name;
  size_t offset, size, align;
} fields[] = {
  FIELD (controls),
  FIELD (settings),
  FIELD (filter),
  FIELD (run_id),
  FIELD (staged),
  FIELD (among_others),
  FIELD (joins_user_namespace),
  FIELD (passed_descriptors),
  FIELD (has_listener),
  FIELD (bounds_tools),
  FIELD (root_read_only),
  FIELD (user_namespace),
  FIELD (network_namespace),
  FIELD (uid),
  FIELD (gid),
  FIELD (uid_maps),
  FIELD (gid_maps),
  FIELD (uid_map_count),
  FIELD (gid_map_count),
  FIELD (cwd),
  FIELD (hostname),
  FIELD (apparmor),
  FIELD (env),
  FIELD (masked),
  FIELD (read_only),
  FIELD (engines_own),
  FIELD (mounts),
  FIELD (mount_count),
  FIELD (cgroup),
  FIELD (swap_limit),
  FIELD (cgroup_path),
  FIELD (memory),
  FIELD (pids),
  FIELD (cpu_quota),
  FIELD (cpu_period),
  FIELD (open_files),
  FIELD (wall_ms),
  FIELD (output_bytes),
  FIELD (idle_ms),
  FIELD (output_rate),
};

static size_t round_up (size_t number, size_t align)
{
  return (number + align - 1) / align * align;
}

static void test_no_field_is_missed (void **state)
{
  size_t end = 0;

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (fields); i++) {
    CHECK (fields[i].offset == round_up (end, fields[i].align), "something stands before '%s'",
           fields[i].name);
    end = fields[i].offset + fields[i].size;
  }
  assert_int_equal (round_up (end, _Alignof(struct promises)), sizeof (struct promises));
}

static bool is_set (const struct promises *promises, size_t field)
{
  const unsigned char *bytes = (const unsigned char *) promises + fields[field].offset;

  for (size_t i = 0; i < fields[field].size; i++)
    if (bytes[i] != 0)
      return true;
  return false;
}

/* All but those named in EXCEPT, with a blank before and behind each, have a value. */
static void check_filled (const struct promises *promises, const char *except)
{
  for (size_t i = 0; i < ARRAY_LEN (fields); i++) {
    cleanup_free char *word = str_format (" %s ", fields[i].name);

    CHECK (is_set (promises, i) == (strstr (except, word) == NULL), "'%s' is %s", fields[i].name,
           is_set (promises, i) ? "set" : "not set");
  }
}

static void test_plan (void **state)
{
  cleanup_posture_case struct posture_case c = { 0 };
  struct promises promises;

  (void) state;
  posture_case_make_all (&c);
  c.launch.listens = true;
  promises = promises_of_plan (c.plan, &c.launch);
  check_filled (&promises, " among_others joins_user_namespace ");
  c.plan->backend = backend_named ("docker");
  c.plan->engines_ids = true;
  promises = promises_of_plan (c.plan, &c.launch);
  check_filled (&promises, " ");
}

struct spec {
  struct host_facts *host;
  struct plan *plan;
  struct launch launch;
  struct json_node *config;
  struct promised promised;
};

static void spec_clear (struct spec *spec)
{
  promised_clear (&spec->promised);
  json_free (spec->config);
  launch_clear (&spec->launch);
  plan_free (spec->plan);
  host_facts_free (spec->host);
}

static void check_lists (const struct strlist *a, const struct strlist *b)
{
  assert_int_equal (a->count, b->count);
  for (size_t i = 0; i < a->count; i++)
    assert_string_equal (a->items[i], b->items[i]);
}

/* What a runtime makes of a mount of cgroups is the engine's own; init and the way to us come on top. */
static void check_mounts (const struct promises *plan, const struct promises *spec)
{
  size_t k = 0;

  for (size_t i = 0; i < plan->mount_count; i++) {
    const struct plan_mount *ours = &plan->mounts[i], *theirs = &spec->mounts[k];

    if (strcmp (ours->type, "cgroup") == 0) {
      assert_string_equal (spec->engines_own->items[0], ours->target);
      continue;
    }
    CHECK (++k <= spec->mount_count, "'%s' is missing", ours->target);
    assert_string_equal (theirs->target, ours->target);
    assert_string_equal (theirs->type, ours->type);
    assert_string_equal (theirs->source, ours->source);
    CHECK (theirs->writable == ours->writable && theirs->device == ours->device
               && theirs->inode == ours->inode,
           "'%s' is promised otherwise", ours->target);
    check_lists (&theirs->options, &ours->options);
  }
  assert_int_equal (spec->mount_count, k + 2);
}

static void check_values (const struct promises *plan, const struct promises *spec)
{
  check_lists (spec->masked, plan->masked);
  check_lists (spec->read_only, plan->read_only);
  assert_string_equal (spec->cwd, plan->cwd);
  assert_string_equal (spec->hostname, plan->hostname);
  assert_string_equal (spec->apparmor, plan->apparmor);
  assert_int_equal (spec->uid_map_count, plan->uid_map_count);
  assert_int_equal (spec->gid_map_count, plan->gid_map_count);
  assert_memory_equal (spec->uid_maps, plan->uid_maps, plan->uid_map_count * sizeof (*plan->uid_maps));
  assert_memory_equal (spec->gid_maps, plan->gid_maps, plan->gid_map_count * sizeof (*plan->gid_maps));
  CHECK (spec->uid == plan->uid && spec->gid == plan->gid, "another user");
  CHECK (spec->root_read_only == plan->root_read_only && spec->user_namespace == plan->user_namespace
             && spec->network_namespace == plan->network_namespace,
         "another root or other namespaces");
  CHECK (spec->memory == plan->memory && spec->pids == plan->pids && spec->cpu_quota == plan->cpu_quota
             && spec->cpu_period == plan->cpu_period && spec->open_files == plan->open_files
             && spec->swap_limit == plan->swap_limit && spec->cgroup == plan->cgroup,
         "other limits");
}

/* Of the controls that are not left to the engine, each is promised and required alike. */
static void check_controls (const struct promises *plan, const struct promises *spec)
{
  static const enum control engines[] = { CONTROL_LIMITS_WALL,   CONTROL_LIMITS_OUTPUT,
                                          CONTROL_LIMITS_IDLE,   CONTROL_LIMITS_OUTPUT_RATE,
                                          CONTROL_LIMITS_DISK,   CONTROL_ENVIRONMENT_CLEAN,
                                          CONTROL_SECRETS_FILES, CONTROL_BUDGET_SESSION,
                                          CONTROL_TOOLS };

  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    bool left = false;

    for (size_t i = 0; i < ARRAY_LEN (engines); i++)
      left = left || engines[i] == c;
    CHECK (spec->controls[c].promised == (!left && plan->controls[c].promised)
               && spec->controls[c].required == (!left && plan->controls[c].required),
           "%s is promised otherwise", control_info (c)->name);
  }
}

/* As create leaves it and start finds it. */
static int keep (const struct policy *policy, struct json_node **config, struct error *err)
{
  char path[] = "/tmp/test-promises.XXXXXX";
  cleanup_close int fd = mkstemp (path);
  struct json_node *kept = NULL;
  int r = fd < 0 ? -errno : container_plan_write (path, policy, *config, err);

  if (r == 0)
    r = container_plan_read (path, &kept, err);
  unlink (path);
  if (r < 0)
    return r;
  json_free (*config);
  *config = kept;
  return 0;
}

static void test_spec (void **state)
{
  cleanup (spec_clear) struct spec spec = { 0 };
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;
  struct policy policy = { 0 };
  struct promises promises;

  (void) state;
  posture_case_plan (&spec.host, &spec.plan);
  assert_int_equal (launch_init (spec.plan, &spec.launch, &err), 0);
  policy = (struct policy){ .host = spec.host, .settings = spec.plan->settings, .filter = spec.plan->filter };
  promises = promises_of_plan (spec.plan, &spec.launch);
  CHECK (render_oci (spec.plan, &spec.launch, &text, &err) == 0
             && spec_read ("config.json", text, strlen (text), &spec.config, &err) == 0
             && keep (&policy, &spec.config, &err) == 0
             && promised_by_spec (&policy, spec.config, "4:memory:/group\n0::/\n", &spec.promised, &err) == 0,
         "%s", error_text (&err));
  check_filled (&spec.promised.promises, " run_id staged among_others joins_user_namespace "
                                         "passed_descriptors has_listener bounds_tools wall_ms idle_ms "
                                         "output_rate ");
  assert_string_equal (spec.promised.promises.cgroup_path, "/group");
  check_mounts (&promises, &spec.promised.promises);
  check_values (&promises, &spec.promised.promises);
  check_controls (&promises, &spec.promised.promises);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_no_field_is_missed),
  cmocka_unit_test (test_plan),
  cmocka_unit_test (test_spec),
};

UNIT_MAIN (cases)
