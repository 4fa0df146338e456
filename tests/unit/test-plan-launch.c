/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a launch adds to a plan, and what no document shows: what the supervisor watches, what init is told.
 */
#include <config.h>

#include "unit.h"

#include <errno.h>

#include "plan-case.h"
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
    assert_int_equal (plan->idle_ms, 5000);
    assert_int_equal (plan->output_rate, 2048);
  }
}

static bool stands_before (const struct strlist *list, const char *word, const char *value)
{
  for (size_t i = 0; i + 1 < list->count; i++)
    if (strcmp (list->items[i], word) == 0)
      return strcmp (list->items[i + 1], value) == 0;
  return false;
}

static void stage (const struct plan *plan, const struct strlist *hierarchies, struct launch *launch)
{
  cleanup_error struct error err = { 0 };
  int r = launch_init (plan, launch, &err);

  if (r == 0)
    r = plan->backend->images_only
            ? launch_stage_engine (plan, "/lib/init", "/run/rendezvous", INIT_OVER_SOCKET, launch, &err)
            : launch_stage (plan, "/run/stage", INIT_OVER_FDS, hierarchies, launch, &err);
  CHECK (r == 0, "%s", error_text (&err));
}

/* A limit that is too small for a runtime to work under is set by init, and the runtime's is larger. */
static void test_open_files (void **state)
{
  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    cleanup_plan struct plan *plan = plan_case_make (names[i]);
    cleanup_launch struct launch launch = { 0 };
    const struct strlist *init = &launch.init;

    stage (plan, &(struct strlist){ 0 }, &launch);
    CHECK (stands_before (init, "--open-files", "100"), "backend %zu: init sets no limit", i);
    assert_int_equal (launch.runtime_files, 1024);
    assert_string_equal (init->items[0], STAGE_INIT_TARGET);
    assert_string_equal (init->items[init->count - 1], "--");
  }
}

/* Engines add variables of the image's: init is told which to keep. */
static void test_kept_variables (void **state)
{
  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    cleanup_plan struct plan *plan = plan_case_make (names[i]);
    cleanup_launch struct launch launch = { 0 };
    bool kept;

    stage (plan, &(struct strlist){ 0 }, &launch);
    kept = stands_before (&launch.init, "--keep-env", "GREETING,HOME,PATH");
    CHECK (kept == plan->backend->adds_env, "backend %zu: init is told '%s'", i, kept ? "" : "nothing");
  }
}

/* The run's id replaces the planned one in every name, and the plan keeps its own. */
static void test_names (void **state)
{
  cleanup_plan struct plan *plan = plan_case_make ("podman");
  cleanup_launch struct launch launch = { 0 };
  cleanup_error struct error err = { 0 };
  cleanup_free char *planned = strdup (plan->cgroup_path);

  (void) state;
  assert_int_equal (launch_init (plan, &launch, &err), 0);
  assert_string_equal (launch.cgroup_path, planned);
  assert_int_equal (launch_name (plan, "/run/state", "r-7", &launch, &err), 0);
  assert_string_equal (launch.run_id, "r-7");
  assert_string_equal (launch.cgroup_path, "/tyrum-oci-r-7");
  assert_string_equal (launch.filter_path, "/run/state/runs/r-7/seccomp.json");
  assert_string_equal (plan->cgroup_path, planned);
}

/* A user's own engine has a user namespace of its own, and on cgroup v1 no limits: an error where one is
 * required. */
static void test_own_engine (void **state)
{
  static const char v2[] = "{ \"uid\": 1000, \"gid\": 1001, \"cgroup\": \"v2\", \"swap_accounting\": true,"
                           " \"subuid\": { \"first\": 100000, \"count\": 65536 },"
                           " \"subgid\": { \"first\": 200000, \"count\": 65536 } }",
                    v1[] = "{ \"uid\": 1000, \"gid\": 1001, \"cgroup\": \"v1\", \"swap_accounting\": true }";
  cleanup_request struct request request = { .engine_found = true, .engine_owner = 1000 };
  cleanup_plan struct plan *own = NULL, *none = NULL;
  cleanup_error struct error err = { 0 }, refused = { 0 }, waivable = { 0 }, theirs = { 0 };

  (void) state;
  assert_int_equal (plan_case_build ("podman", v2, NULL, false, &request, &own, &err), 0);
  assert_true (own->user_namespace && own->engines_ids);
  assert_int_equal (own->id_slots, 0);
  assert_int_equal (own->uid_maps[0].outside, 1000);
  assert_int_equal (own->gid_maps[0].outside, 1001);
  assert_int_equal (own->uid_maps[1].outside, 100000);
  assert_int_equal (own->gid_maps[1].outside, 200000);
  assert_int_equal (own->uid_map_count, 2);
  assert_int_equal (own->memory, 256 << 20);

  assert_int_equal (plan_case_build ("podman", v1, "limits.memory", true, &request, &none, &refused),
                    -EOPNOTSUPP);
  CHECK (strstr (error_text (&refused), "limits.memory is required") != NULL, "%s", error_text (&refused));
  /* Waiving is recommended where it helps, and only there. */
  CHECK (strstr (error_text (&refused), "--accept-unenforced") == NULL, "%s", error_text (&refused));
  assert_int_equal (plan_case_build ("podman", v1, "limits.memory", false, &request, &none, &waivable),
                    -EOPNOTSUPP);
  CHECK (strstr (error_text (&waivable), "--accept-unenforced limits.memory") != NULL, "%s",
         error_text (&waivable));
  assert_int_equal (strlist_add (&request.accepted, "limits.memory"), 0);
  assert_int_equal (plan_case_build ("podman", v1, "limits.memory", false, &request, &none, &err), 0);
  assert_int_equal (none->uid_map_count, 1);
  assert_int_equal (none->memory, 0);
  assert_int_equal (none->pids, 0);
  assert_int_equal (none->cpu_quota, 0);
  assert_int_equal (none->controls[CONTROL_LIMITS_PIDS].enforcement.level, ENFORCEMENT_IMPOSSIBLE);

  request.engine_owner = 7;
  plan_free (none);
  none = NULL;
  assert_int_equal (plan_case_build ("podman", v2, NULL, false, &request, &none, &theirs), -EPERM);
  CHECK (strstr (error_text (&theirs), "the engine belongs to user 7") != NULL, "%s", error_text (&theirs));
}

/* Each run has a range of its own; one that does not exist is not taken. */
static void test_slots (void **state)
{
  cleanup_plan struct plan *plan = plan_case_make ("libcrun");
  cleanup_launch struct launch launch = { 0 };
  cleanup_error struct error err = { 0 };
  uint32_t first = plan->uid_maps[0].outside;

  (void) state;
  assert_int_equal (launch_init (plan, &launch, &err), 0);
  launch_use_slot (plan, 5, &launch);
  assert_int_equal (launch.uid_maps[0].outside, first + 5 * PLAN_IDS_PER_RUN);
  assert_int_equal (launch.gid_maps[0].outside, first + 5 * PLAN_IDS_PER_RUN);
  launch_use_slot (plan, plan->id_slots, &launch);
  assert_int_equal (launch.uid_maps[0].outside, first + 5 * PLAN_IDS_PER_RUN);
  launch_use_slot (plan, 0, &launch);
  assert_int_equal (launch.uid_maps[0].outside, first);
}

/* The document has a bind of what is on the stage for the group and for each hierarchy, read-only, and asks
 * no runtime for a mount of cgroups; no source lies below another, which a bind would have to take along. */
static void check_groups (const struct plan *plan)
{
  static const char *const targets[] = { "", "/cpu,cpuacct", "/memory" };
  cleanup_launch struct launch launch = { 0 };
  cleanup_strlist struct strlist hierarchies = { 0 };
  cleanup_error struct error err = { 0 };
  cleanup_free char *document = NULL;
  size_t count = 0;

  assert_int_equal (strlist_add (&hierarchies, "cpu,cpuacct"), 0);
  assert_int_equal (strlist_add (&hierarchies, "memory"), 0);
  stage (plan, &hierarchies, &launch);
  for (size_t i = 0; i < launch.mount_count; i++) {
    const struct plan_mount *mount = &launch.mounts[i];
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
  assert_int_equal (render_oci (plan, &launch, &document, &err), 0);
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
  cmocka_unit_test (test_own_engine),     cmocka_unit_test (test_names),  cmocka_unit_test (test_slots),
  cmocka_unit_test (test_watched),        cmocka_unit_test (test_groups), cmocka_unit_test (test_open_files),
  cmocka_unit_test (test_kept_variables),
};

UNIT_MAIN (cases)
