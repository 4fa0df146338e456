/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The doctor's rows, for hosts of many kinds. */
#include <config.h>

#include "doctor-host.h"

#include "base-cleanup.h"
#include "unit.h"

static const struct doctor_runtime runtimes[] = {
  { .name = "oci:runc", .version = "runc version 1 (/bin/runc)" }, { .name = "oci:crun", .why = "not found" }
};

static void look (const char *facts, struct doctor *doctor)
{
  cleanup_error struct error err = { 0 };
  cleanup_host_facts struct host_facts *host = NULL;

  CHECK (host_facts_read ("host", facts, strlen (facts), &host, &err) == 0, "%s", error_text (&err));
  assert_int_equal (doctor_look_over (host, runtimes, ARRAY_LEN (runtimes), doctor, &err), 0);
}

static const struct doctor_row *row (const struct doctor *doctor, const char *name)
{
  for (size_t i = 0; i < doctor->count; i++)
    if (strcmp (doctor->rows[i].name, name) == 0)
      return &doctor->rows[i];
  fail_msg ("there is no row '%s'", name);
  return NULL;
}

static void test_rows (void **state)
{
  static const struct {
    const char *facts, *name;
    enum doctor_state state;
    const char *found;
  } cases[] = {
    { "{ \"kernel\": \"6.18.44-x\" }", "kernel", DOCTOR_GOOD, "6.18" },
    { "{ \"kernel\": \"5.12\" }", "kernel", DOCTOR_GOOD, "5.12" },
    { "{ \"kernel\": \"5.4.0-generic\" }", "kernel", DOCTOR_LESS, "5.4" },
    { "{ \"kernel\": \"10.1\" }", "kernel", DOCTOR_GOOD, "10.1" },
    { "{ \"openat2\": true }", "openat2", DOCTOR_GOOD, "yes" },
    { "{}", "openat2", DOCTOR_LESS, "no" },
    { "{}", "cgroups", DOCTOR_BAD, "none" },
    { "{ \"uid\": 0, \"cgroup\": \"v2\", \"cgroup_writable\": true }", "cgroups", DOCTOR_GOOD, "v2" },
    { "{ \"uid\": 0, \"cgroup\": \"v2\" }", "cgroups", DOCTOR_BAD, "no group can be created" },
    { "{ \"uid\": 1000, \"cgroup\": \"v2\", \"cgroup_writable\": true }", "cgroups", DOCTOR_BAD,
      "none is delegated" },
    { "{ \"uid\": 1000, \"cgroup\": \"v2\", \"cgroup_delegated\": \"/a\" }", "cgroups", DOCTOR_GOOD,
      "delegated" },
    { "{ \"cgroup\": \"v1\", \"swap_accounting\": true }", "swap accounting", DOCTOR_GOOD, "yes" },
    { "{ \"cgroup\": \"v1\" }", "swap accounting", DOCTOR_BAD, "no" },
    { "{ \"uid\": 0 }", "ids", DOCTOR_GOOD, "root" },
    { "{ \"uid\": 1000 }", "ids", DOCTOR_BAD, "0 subordinate uids" },
    { "{ \"uid\": 1000, \"subuid\": { \"first\": 1, \"count\": 65536 }, \"subgid\": { \"first\": 1, "
      "\"count\": 65536 "
      "} }",
      "ids", DOCTOR_GOOD, "65536" },
    { "{ \"user_namespaces\": true }", "user namespaces", DOCTOR_GOOD, "yes" },
    { "{}", "user namespaces", DOCTOR_BAD, "no" },
    { "{}", "seccomp", DOCTOR_BAD, "no filters" },
    { "{ \"seccomp_actions\": [\"errno\"] }", "seccomp", DOCTOR_LESS, "no notifications" },
    { "{ \"seccomp_actions\": [\"errno\", \"user_notif\"] }", "seccomp", DOCTOR_GOOD, "notifications" },
    { "{}", "AppArmor", DOCTOR_LESS, "none" },
    { "{ \"apparmor\": { \"enabled\": true } }", "AppArmor", DOCTOR_LESS, "not loaded" },
    { "{ \"apparmor\": { \"enabled\": true, \"profiles\": [\"tyrum-hardened\"] } }", "AppArmor", DOCTOR_GOOD,
      "is loaded" },
    { "{ \"landlock_abi\": 3 }", "Landlock", DOCTOR_GOOD, "version 3" },
    { "{}", "Landlock", DOCTOR_LESS, "no" },
    { "{}", "oci:runc", DOCTOR_GOOD, "runc version 1" },
    { "{}", "oci:crun", DOCTOR_LESS, "not found" },
    { "{}", "engine sockets", DOCTOR_LESS, "none" },
    { "{ \"sockets\": [ { \"path\": \"/run/docker.sock\" } ] }", "engine sockets", DOCTOR_GOOD,
      "/run/docker.sock" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (cases); i++) {
    cleanup_doctor struct doctor doctor = { 0 };
    const struct doctor_row *found;

    look (cases[i].facts, &doctor);
    found = row (&doctor, cases[i].name);
    CHECK (found->state == cases[i].state, "%s of %s is %s", cases[i].name, cases[i].facts,
           doctor_state_text (found->state));
    CHECK (strstr (found->found, cases[i].found) != NULL, "%s: '%s' is not in '%s'", cases[i].name,
           cases[i].found, found->found);
    CHECK ((found->advice == NULL) == (found->state == DOCTOR_GOOD), "%s: advice for a state of %s",
           cases[i].name, doctor_state_text (found->state));
  }
}

static void test_document (void **state)
{
  static const struct doctor_profile profiles[] = { { "baseline", true, "verified" },
                                                    { "hardened", false, "no cgroup" } };
  cleanup_doctor struct doctor doctor = { 0 };
  cleanup_free char *one = NULL, *both = NULL, *none = NULL;

  (void) state;
  look ("{}", &doctor);
  assert_int_equal (doctor_write (&doctor, profiles, 1, &one, NULL), 0);
  assert_non_null (strstr (one, "\n  \"ready\": true"));
  assert_int_equal (doctor_write (&doctor, profiles, 2, &both, NULL), 0);
  assert_non_null (strstr (both, "\n  \"ready\": false"));
  assert_int_equal (doctor_write (&doctor, profiles, 0, &none, NULL), 0);
  assert_non_null (strstr (none, "\n  \"ready\": false"));
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_rows),
  cmocka_unit_test (test_document),
};

UNIT_MAIN (cases)
