/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan is never looser than any of its inputs: thousands of random profiles, ceilings and requests.
 *
 * Most random profiles cannot be carried out, and are refused; that is fine as long as enough plans come out
 * to mean something, which the test counts. What comes out is held against profile, ceiling and request by
 * the lattice, setting by setting, and looked at for what must hold in every plan.
 */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <stdlib.h>

#include "control-lattice.h"
#include "plan-plan.h"
#include "random-settings.h"

#define PLANS_TRIED  6000
#define PLANS_WANTED 300

static const char list_text[] =
    "{ \"version\": 1, \"name\": \"small\", \"meaning\": \"for tests\", \"unknown\": \"ENOSYS\","
    " \"allow\": { \"files\": [\"read\", \"write\"] } }";

/* A host on which everything that a random profile names is there. */
static struct host_facts *make_host (void)
{
  static const char facts[] =
      "{ \"uid\": 0, \"gid\": 0, \"home\": \"/root\", \"cgroup\": \"v1\", \"cgroup_writable\": true,"
      " \"swap_accounting\": true, \"user_namespaces\": true, \"open_files_hard\": 65536,"
      " \"root\": [ { \"path\": \"/usr\", \"type\": \"directory\", \"device\": 1, \"inode\": 2 } ],"
      " \"paths\": [ { \"path\": \"/projects/demo\", \"type\": \"directory\", \"device\": 1, \"inode\": 3 } "
      "] }";
  cleanup_error struct error err = { 0 };
  struct host_facts *host = NULL;

  CHECK (host_facts_read ("host", facts, strlen (facts), &host, &err) == 0, "%s", error_text (&err));
  return host;
}

/* Every source that the settings name becomes a plain directory of the host. */
static void add_sources (struct host_facts *host, const struct grants *grants, enum path_type type)
{
  for (size_t i = 0; i < grants->count; i++) {
    struct path_fact *items;

    if (path_facts_find (&host->paths, grants->items[i].source) != NULL)
      continue;
    items = realloc (host->paths.items, (host->paths.count + 1) * sizeof (*items));
    assert_non_null (items);
    host->paths.items = items;
    items[host->paths.count++] = (struct path_fact){ .path = strdup (grants->items[i].source),
                                                     .real = strdup (grants->items[i].source),
                                                     .type = type,
                                                     .device = 1,
                                                     .inode = 100 + host->paths.count };
  }
}

static struct profile *make_profile (struct rng *rng)
{
  struct profile *profile = calloc (1, sizeof (*profile));
  cleanup_error struct error err = { 0 };

  assert_non_null (profile);
  profile->name = strdup ("random");
  profile->file = strdup ("random.json");
  profile->trusted = true;
  random_settings (rng, RANDOM_SAID, &profile->settings);
  /* What no backend enforces would refuse nearly every plan; the golden cases have those. */
  for (enum setting s = SETTING_BUDGET_RUNS; s <= SETTING_BUDGET_TOKENS; s++)
    value_clear (&profile->settings.values[s]);
  value_clear (&profile->settings.values[SETTING_TOOLS]);
  value_clear (&profile->settings.values[SETTING_DISK]);
  value_clear (&profile->settings.values[SETTING_APPARMOR]);
  value_clear (&profile->settings.values[SETTING_ISOLATION_TYPE]);
  CHECK (settings_complete (&profile->settings, &err) == 0, "%s", error_text (&err));
  CHECK (seccomp_list_parse ("small.json", list_text, strlen (list_text), &profile->seccomp, &err) == 0, "%s",
         error_text (&err));
  return profile;
}

/* Only what an operator would cap; the rest stays unsaid, or most pairs would be in conflict. */
static void make_ceiling (struct rng *rng, struct ceiling *ceiling)
{
  static const enum setting capped[] = { SETTING_MEMORY,    SETTING_PIDS,         SETTING_WALL,
                                         SETTING_ROOT,      SETTING_CAPABILITIES, SETTING_HIDE,
                                         SETTING_WORKSPACE, SETTING_NETWORK_MODE, SETTING_MOUNTS,
                                         SETTING_NOEXEC };

  for (size_t i = 0; i < sizeof (capped) / sizeof (capped[0]); i++)
    if (rng_below (rng, 3) == 0)
      random_value (rng, RANDOM_SAID, capped[i], &ceiling->settings.values[capped[i]]);
}

static void make_request (struct rng *rng, const struct profile *profile, struct request *request)
{
  cleanup_error struct error err = { 0 };
  const struct value *pids = &profile->settings.values[SETTING_PIDS];

  assert_int_equal (strlist_add (&request->argv, "true"), 0);
  request->workspace = strdup ("/projects/demo");
  request->backend = backend_named ("libcrun");
  /* Half of them ask for less, some for more, which has to be refused. */
  if (value_is_set (pids) && rng_below (rng, 2) == 0) {
    char text[40];

    snprintf (text, sizeof (text), "pids=%llu",
              (unsigned long long) (rng_below (rng, 4) == 0 && pids->number < 1000000
                                        ? pids->number + 1
                                        : 1 + pids->number / 2));
    CHECK (request_add_limit (request, text, &err) == 0, "%s", error_text (&err));
  }
}

static void check_plan (const struct plan *plan, const struct profile *profile, const struct ceiling *ceiling,
                        const struct request *request)
{
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    const struct value *value = &plan->settings.values[s];
    const char *key = setting_info (s)->key;

    CHECK (value_within (s, &profile->settings.values[s], value), "%s: looser than the profile", key);
    CHECK (value_within (s, &ceiling->settings.values[s], value), "%s: looser than the ceiling", key);
    CHECK (value_within (s, &request->tighten.values[s], value), "%s: looser than the request", key);
    CHECK (value->state != VALUE_CONFLICT, "%s: a conflict became a plan", key);
  }
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    CHECK (!plan->controls[c].required || plan->controls[c].enforcement.level == ENFORCEMENT_ENFORCED,
           "%s: required and not enforced", control_info (c)->name);
  for (size_t i = 0; i < plan->mount_count; i++) {
    const struct plan_mount *mount = &plan->mounts[i];
    bool nosuid = false;

    for (size_t k = 0; k < mount->options.count; k++)
      nosuid = nosuid || strcmp (mount->options.items[k], "nosuid") == 0;
    CHECK (nosuid, "%s: not nosuid", mount->target);
  }
  CHECK (plan->pids == 0 || plan->pids == plan->settings.values[SETTING_PIDS].number,
         "the plan's pids are others");
}

/* Whether a plan came out. */
static bool try_one (struct rng *rng)
{
  struct profile *profile = make_profile (rng);
  struct ceiling ceiling = { 0 };
  cleanup_request struct request request = { 0 };
  cleanup_host_facts struct host_facts *host = make_host ();
  cleanup_error struct error err = { 0 };
  cleanup_plan struct plan *plan = NULL;
  bool more;
  int r;

  make_ceiling (rng, &ceiling);
  make_request (rng, profile, &request);
  more = !value_within (SETTING_PIDS, &profile->settings.values[SETTING_PIDS],
                        &request.tighten.values[SETTING_PIDS])
         && value_is_set (&request.tighten.values[SETTING_PIDS]);
  add_sources (host, &profile->settings.values[SETTING_MOUNTS].grants, PATH_DIRECTORY);
  add_sources (host, &profile->settings.values[SETTING_SECRETS].grants, PATH_FILE);
  r = plan_build (profile, &request, &ceiling, host, &plan, &err);
  CHECK ((r == 0) == (plan != NULL) && (r == 0) == !error_is_set (&err), "a plan and an error, or neither");
  CHECK (r == 0 || err.message != NULL, "refused without words");
  if (plan != NULL) {
    CHECK (!more, "a request that loosens was planned");
    check_plan (plan, profile, &ceiling, &request);
  }
  settings_clear (&ceiling.settings);
  profile_free (profile);
  return r == 0;
}

static void test_never_looser (void **state)
{
  struct rng rng = rng_start ();
  unsigned planned = 0;

  (void) state;
  for (unsigned i = 0; i < PLANS_TRIED; i++)
    planned += try_one (&rng);
  printf ("# %u of %u became plans\n", planned, PLANS_TRIED);
  CHECK (planned >= PLANS_WANTED, "only %u plans: the test says nothing", planned);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_never_looser),
};

UNIT_MAIN (cases)
