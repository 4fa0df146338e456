/* What a plan holds that no document shows: what the supervisor watches, and what init is told. */
#include <config.h>

#include "unit.h"

#include <errno.h>

#include "plan-case.h"
#include "plan-staged.h"
#include "render-oci.h"
#include "wire-init.h"

static const char *const names[] = { "libcrun", "oci:runc", "docker", "podman" };

static void test_watched (void **state)
{
  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    cleanup_plan struct plan *plan = plan_case_make (names[i]);

    assert_int_equal (plan->wall_ms, 7000);
    assert_int_equal (plan->output_bytes, 3072);
  }
}

static bool stands_before (const struct strlist *list, const char *word, const char *value)
{
  for (size_t i = 0; i + 1 < list->count; i++)
    if (strcmp (list->items[i], word) == 0)
      return strcmp (list->items[i + 1], value) == 0;
  return false;
}

static void stage (struct plan *plan)
{
  cleanup_error struct error err = { 0 };
  int r = plan->backend->images_only
              ? plan_stage_engine (plan, "/lib/init", "/run/door", INIT_OVER_SOCKET, &err)
              : plan_stage (plan, "/run/stage", INIT_OVER_FDS, &err);

  CHECK (r == 0, "%s", error_text (&err));
}

/* A limit that is too small for a runtime to work under is set by init, and the runtime's is larger. */
static void test_open_files (void **state)
{
  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    cleanup_plan struct plan *plan = plan_case_make (names[i]);

    stage (plan);
    CHECK (stands_before (&plan->init, "--open-files", "100"), "backend %zu: init sets no limit", i);
    assert_string_equal (plan->init.items[0], STAGE_INIT_TARGET);
    assert_string_equal (plan->init.items[plan->init.count - 1], "--");
  }
}

/* Engines add variables of the image's: init is told which to keep. */
static void test_kept_variables (void **state)
{
  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    cleanup_plan struct plan *plan = plan_case_make (names[i]);
    bool kept;

    stage (plan);
    kept = stands_before (&plan->init, "--keep-env", "GREETING,HOME,PATH");
    CHECK (kept == plan->backend->adds_env, "backend %zu: init is told '%s'", i, kept ? "" : "nothing");
  }
}

/* A user's own engine has a user namespace of its own, and on cgroup v1 no limits: an error where one is
 * required. */
static void test_own_engine (void **state)
{
  cleanup_plan struct plan *plan = plan_case_make ("podman");
  cleanup_error struct error err = { 0 }, refused = { 0 }, waivable = { 0 };
  struct host_facts host = {
    .uid = 1000, .gid = 1001, .subuid = { 100000, 65536 }, .subgid = { 200000, 65536 }, .cgroup = CGROUP_V2
  };

  (void) state;
  assert_int_equal (plan_use_engine (plan, &host, 1000, &err), 0);
  assert_true (plan->user_namespace && plan->engines_ids);
  assert_int_equal (plan->id_slots, 0);
  assert_int_equal (plan->uid_maps[0].outside, 1000);
  assert_int_equal (plan->gid_maps[0].outside, 1001);
  assert_int_equal (plan->uid_maps[1].outside, 100000);
  assert_int_equal (plan->gid_maps[1].outside, 200000);
  assert_int_equal (plan->uid_map_count, 2);
  assert_int_equal (plan->memory, 256 << 20);

  host.subuid.count = 0;
  host.cgroup = CGROUP_V1;
  plan->controls[CONTROL_LIMITS_MEMORY].required = true;
  plan->controls[CONTROL_LIMITS_MEMORY].waivable = false;
  assert_int_equal (plan_use_engine (plan, &host, 1000, &refused), -EOPNOTSUPP);
  CHECK (strstr (error_text (&refused), "limits.memory is required") != NULL, "%s", error_text (&refused));
  /* Waiving is recommended where it helps, and only there. */
  CHECK (strstr (error_text (&refused), "--accept-unenforced") == NULL, "%s", error_text (&refused));
  plan->controls[CONTROL_LIMITS_MEMORY].waivable = true;
  assert_int_equal (plan_use_engine (plan, &host, 1000, &waivable), -EOPNOTSUPP);
  CHECK (strstr (error_text (&waivable), "--accept-unenforced limits.memory") != NULL, "%s",
         error_text (&waivable));
  plan->controls[CONTROL_LIMITS_MEMORY].accepted = true;
  assert_int_equal (plan_use_engine (plan, &host, 1000, &err), 0);
  assert_int_equal (plan->uid_map_count, 1);
  assert_int_equal (plan->memory, 0);
  assert_int_equal (plan->pids, 0);
  assert_int_equal (plan->cpu_quota, 0);
  assert_int_equal (plan->controls[CONTROL_LIMITS_PIDS].enforcement.level, ENFORCEMENT_IMPOSSIBLE);
}

/* Each run has a range of its own; one that does not exist is not taken. */
static void test_slots (void **state)
{
  cleanup_plan struct plan *plan = plan_case_make ("libcrun");
  uint32_t first = plan->uid_maps[0].outside;

  (void) state;
  plan_use_slot (plan, 5);
  assert_int_equal (plan->uid_maps[0].outside, first + 5 * PLAN_IDS_PER_RUN);
  assert_int_equal (plan->gid_maps[0].outside, first + 5 * PLAN_IDS_PER_RUN);
  plan_use_slot (plan, plan->id_slots);
  assert_int_equal (plan->id_slot, 5);
  plan_use_slot (plan, 0);
  assert_int_equal (plan->uid_maps[0].outside, first);
}

/* The document has a bind of what is on the stage for the group and for each hierarchy, read-only, and asks
 * no runtime for a mount of cgroups; no source lies below another, which a bind would have to take along. */
static void check_groups (struct plan *plan)
{
  static const char *const targets[] = { "", "/cpu,cpuacct", "/memory" };
  cleanup_error struct error err = { 0 };
  cleanup_free char *document = NULL;
  size_t count = 0;

  assert_int_equal (strlist_add (&plan->cgroup_shown, "cpu,cpuacct"), 0);
  assert_int_equal (strlist_add (&plan->cgroup_shown, "memory"), 0);
  stage (plan);
  for (size_t i = 0; i < plan->mount_count; i++) {
    const struct plan_mount *mount = &plan->mounts[i];
    cleanup_free char *target = NULL, *staged = str_format ("/run/stage/mounts/%zu", i);

    if (strcmp (mount->type, "cgroup") != 0)
      continue;
    target = str_format (PLAN_GROUP_VIEW "%s", targets[count++]);
    assert_string_equal (mount->target, target);
    assert_string_equal (mount->staged, staged);
    assert_false (mount->writable);
    for (size_t k = 0; k < 5; k++) {
      static const char *const options[] = { "nosuid", "nodev", "noexec", "ro", "bind" };

      assert_string_equal (mount->options.items[k], options[k]);
    }
    assert_int_equal (mount->options.count, 5);
  }
  assert_int_equal (count, ARRAY_LEN (targets));
  assert_int_equal (render_oci (plan, &document, &err), 0);
  CHECK (strstr (document, "\"type\": \"cgroup\",\n      \"source\"") == NULL
             && strstr (document, "\"source\": \"cgroup\"") == NULL,
         "%s", document);
}

/* Engines mount a view of their own. */
static void test_groups (void **state)
{
  static const char *const others[] = { "docker", "podman" };
  cleanup_plan struct plan *libcrun = plan_case_make ("libcrun"), *runc = plan_case_make ("oci:runc");

  (void) state;
  check_groups (libcrun);
  check_groups (runc);
  for (size_t i = 0; i < ARRAY_LEN (others); i++) {
    cleanup_plan struct plan *plan = plan_case_make (others[i]);

    assert_null (plan_group_view (plan));
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_own_engine), cmocka_unit_test (test_slots),
  cmocka_unit_test (test_watched),    cmocka_unit_test (test_groups),
  cmocka_unit_test (test_open_files), cmocka_unit_test (test_kept_variables),
};

UNIT_MAIN (cases)
