/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan for each backend, made of a small profile, for tests of what becomes of it. */
#pragma once

#include <stdlib.h>

#include "plan-launch.h"
#include "unit.h"

static const char list_text[] =
    "{ \"version\": 1, \"name\": \"small\", \"meaning\": \"for tests\", \"unknown\": "
    "\"ENOSYS\", \"allow\": { \"files\": [\"read\"] }, \"deny\": { \"EPERM\": [\"mount\"] } }";

static const char host_text[] =
    "{ \"uid\": 0, \"gid\": 0, \"home\": \"/root\", \"cgroup\": \"v2\", \"cgroup_writable\": true,"
    " \"swap_accounting\": true, \"user_namespaces\": true, \"open_files_hard\": 65536,"
    " \"root\": [ { \"path\": \"/usr\", \"type\": \"directory\", \"device\": 256, \"inode\": 2 } ] }";

static const char profile_text[] = "{ \"version\": 1, \"name\": \"case\", \"meaning\": \"for tests\","
                                   " \"limits\": { \"wall\": \"7s\", \"output\": \"3K\", \"idle\": \"5s\", "
                                   "\"output_rate\": \"2K\", \"open_files\": 100,"
                                   " \"memory\": \"256M\", \"pids\": 32, \"cpus\": 0.5 },"
                                   " \"filesystem\": { \"root\": \"read-only\", \"tmp\": \"16M\" },"
                                   " \"process\": { \"user_namespace\": \"private\", \"no_new_privileges\": "
                                   "true }, \"require\": [\"process.seccomp\"],"
                                   " \"environment\": { \"set\": { \"GREETING\": \"hello\" } } }";

/* On the host that FACTS describe; REQUIRED is a control that the profile requires, or the
 * ceiling where BY_CEILING; or NULL. REQUEST is completed. */
static inline int plan_case_build (const char *backend, const char *facts, const char *required,
                                   bool by_ceiling, struct request *request, struct plan **ret_plan,
                                   struct error *err)
{
  cleanup_host_facts struct host_facts *host = NULL;
  cleanup_profile struct profile *profile = NULL;
  struct ceiling ceiling = { 0 };
  int r;

  assert_int_equal (host_facts_read ("host", facts, strlen (facts), &host, err), 0);
  assert_int_equal (profile_parse ("case.json", profile_text, strlen (profile_text), true, &profile, err), 0);
  if (required != NULL)
    assert_int_equal (strset_add (by_ceiling ? &ceiling.settings.values[SETTING_REQUIRE].set
                                             : &profile->settings.values[SETTING_REQUIRE].set,
                                  required),
                      0);
  assert_int_equal (profile_resolve (profile, err), 0);
  assert_int_equal (seccomp_list_parse ("small.json", list_text, strlen (list_text), &profile->seccomp, err),
                    0);
  request->backend = backend_named (backend);
  strlist_clear (&request->argv);
  assert_int_equal (strlist_add (&request->argv, "true"), 0);
  if (request->backend->images_only && request->root_path == NULL) {
    request->root = ROOT_FROM_IMAGE;
    request->root_path = strdup ("tools:1");
  }
  r = plan_build (profile, request, &ceiling, host, ret_plan, err);
  settings_clear (&ceiling.settings);
  return r;
}

static inline struct plan *plan_case_make (const char *backend)
{
  cleanup_request struct request request = { 0 };
  cleanup_error struct error err = { 0 };
  struct plan *plan = NULL;

  CHECK (plan_case_build (backend, host_text, NULL, false, &request, &plan, &err) == 0, "%s",
         error_text (&err));
  return plan;
}
