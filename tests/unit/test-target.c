/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What engines get beside the document, and what they must say of it afterwards. */
#include <config.h>

#include "unit.h"

#include "base-json-read.h"
#include "plan-case.h"
#include "render-docker.h"
#include "render-oci.h"
#include "render-podman.h"

static struct json_node *read_json (const char *text)
{
  static const struct json_limits limits = { .bytes = 65536, .depth = 8, .nodes = 4096 };
  cleanup_error struct error err = { 0 };
  struct json_node *root = NULL;

  CHECK (json_read ("text", text, strlen (text), &limits, &root, &err) == 0, "%s", error_text (&err));
  return root;
}

/* Podman reads the filter from a file: what is in it is refused unless it is listed. */
static void test_podman_filter (void **state)
{
  cleanup_plan struct plan *plan = plan_case_make ("podman");
  cleanup_error struct error err = { 0 };
  cleanup_json struct json_node *filter = NULL;
  cleanup_free char *text = NULL;
  const struct json_node *rules;
  size_t allowed = 0;

  (void) state;
  assert_int_equal (render_podman_filter (plan, &text, &err), 0);
  filter = read_json (text);
  assert_string_equal (json_get (filter, "defaultAction")->text, "SCMP_ACT_ERRNO");
  rules = json_get (filter, "syscalls");
  for (size_t i = 0; i < rules->count; i++)
    if (strcmp (json_get (rules->items[i], "action")->text, "SCMP_ACT_ALLOW") == 0) {
      allowed++;
      assert_string_equal (json_get (rules->items[i], "names")->items[0]->text, "read");
    }
  assert_int_equal (allowed, 1);
}

/* What Podman must say, value by value: a container that says otherwise is not started. */
static void test_podman_expect (void **state)
{
  static const struct {
    const char *key, *value;
  } rows[] = {
    { "Privileged", "false" }, { "ReadonlyRootfs", "true" },  { "NetworkMode", "none" },
    { "PidMode", "private" },  { "UTSMode", "private" },      { "CgroupMode", "private" },
    { "Memory", "268435456" }, { "MemorySwap", "268435456" }, { "PidsLimit", "32" },
    { "CpuQuota", "50000" },   { "CpuPeriod", "100000" },     { "AutoRemove", "false" },
  };
  cleanup_plan struct plan *plan = plan_case_make ("podman");
  cleanup_launch struct launch launch = { 0 };
  cleanup_error struct error err = { 0 };
  cleanup_json struct json_node *expected = NULL;
  cleanup_free char *text = NULL;
  const struct json_node *host, *ids;

  (void) state;
  assert_int_equal (launch_init (plan, &launch, &err), 0);
  assert_int_equal (render_podman_expect (plan, &launch, &text, &err), 0);
  expected = read_json (text);
  host = json_get (expected, "HostConfig");
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    const struct json_node *node = json_get (host, rows[i].key);
    const char *said = node == NULL              ? "nothing"
                       : node->type == JSON_BOOL ? (node->flag ? "true" : "false")
                                                 : node->text;

    CHECK (strcmp (said, rows[i].value) == 0, "%s: %s, not %s", rows[i].key, said, rows[i].value);
  }
  assert_string_equal (json_get (host, "SecurityOpt")->items[0]->text, "no-new-privileges");
  assert_int_equal (json_get (host, "CapAdd")->count, 0);
  assert_int_equal (json_get (expected, "BoundingCaps")->count, 0);
  assert_string_equal (json_get (json_get (expected, "Config"), "User")->text, "10001:10001");
  ids = json_get (host, "IDMappings");
  assert_string_equal (json_get (ids, "UidMap")->items[0]->text, "0:1879048192:65536");
  assert_string_equal (json_get (ids, "GidMap")->items[0]->text, "0:1879048192:65536");

  /* A user's own engine has its ids already. */
  plan->engines_ids = true;
  free (text);
  text = NULL;
  assert_int_equal (render_podman_expect (plan, &launch, &text, &err), 0);
  assert_null (strstr (text, "IDMappings"));
}

/* A staged plan: init stands before the command, sources are the stage's, and calls that a listener is told
 * of are so. */
static void test_staged (void **state)
{
  cleanup_plan struct plan *plan = plan_case_make ("libcrun");
  cleanup_launch struct launch launch = { 0 };
  cleanup_error struct error err = { 0 };
  cleanup_json struct json_node *config = NULL;
  cleanup_free char *text = NULL;
  const struct json_node *seccomp, *rules;
  size_t left = 0;

  (void) state;
  assert_int_equal (launch_init (plan, &launch, &err), 0);
  assert_int_equal (launch_stage (plan, "/run/stage", INIT_OVER_FDS, &(struct strlist){ 0 }, &launch, &err),
                    0);
  launch.listens = true;
  assert_int_equal (render_oci (plan, &launch, &text, &err), 0);
  config = read_json (text);
  assert_string_equal (json_get (json_get (config, "process"), "args")->items[0]->text, STAGE_INIT_TARGET);
  assert_string_equal (json_get (json_get (config, "root"), "path")->text, "/run/stage/rootfs");
  seccomp = json_get (json_get (config, "linux"), "seccomp");
  assert_null (json_get (seccomp, "listenerPath"));
  rules = json_get (seccomp, "syscalls");
  for (size_t i = 0; i < rules->count; i++)
    if (strcmp (json_get (rules->items[i], "action")->text, "SCMP_ACT_TRACE") == 0) {
      left++;
      assert_string_equal (json_get (rules->items[i], "names")->items[0]->text, "mount");
    }
  assert_int_equal (left, 1);
  rules = rules->items[rules->count - 1];
  assert_string_equal (json_get (rules, "names")->items[0]->text, FILTER_LOAD_CALL);
  assert_string_equal (json_get (rules, "action")->text, "SCMP_ACT_ALLOW");
  assert_int_equal (json_get (rules, "args")->count, 1);
}

/* An engine's network is the engine's own choice, the host's is said by name; init stands before the command.
 */
static void test_engines (void **state)
{
  static const struct {
    unsigned level;
    const char *docker;
  } rows[] = { { NETWORK_NONE, "none" }, { NETWORK_ENGINE, "default" }, { NETWORK_HOST, "host" } };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_plan struct plan *plan = plan_case_make ("docker");
    cleanup_launch struct launch launch = { 0 };
    cleanup_error struct error err = { 0 };
    cleanup_json struct json_node *document = NULL;
    cleanup_free char *text = NULL;

    assert_int_equal (launch_init (plan, &launch, &err), 0);
    assert_int_equal (
        launch_stage_engine (plan, "/lib/init", "/run/rendezvous", INIT_OVER_SOCKET, &launch, &err), 0);
    plan->settings.values[SETTING_NETWORK_MODE].level = rows[i].level;
    assert_int_equal (render_docker (plan, &launch, &text, &err), 0);
    document = read_json (text);
    assert_string_equal (json_get (json_get (document, "HostConfig"), "NetworkMode")->text, rows[i].docker);
    assert_string_equal (json_get (document, "Entrypoint")->items[0]->text, STAGE_INIT_TARGET);
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_staged),
  cmocka_unit_test (test_engines),
  cmocka_unit_test (test_podman_filter),
  cmocka_unit_test (test_podman_expect),
};

UNIT_MAIN (cases)
