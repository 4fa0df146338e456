/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which controls the plan promises, how each one is enforced, and whether the run may start.
 *
 * The backend's declaration comes first, then what this host lacks. One refusal lists every required control
 * that is neither enforced nor waived by name. An optional control that cannot be enforced is left out with a
 * note, never silently.
 */
#include <config.h>

#include "plan-draft-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int host_cannot (struct draft *draft, enum control control, char *reason)
{
  struct plan_control *state = &draft->plan->controls[control];

  if (reason == NULL)
    return error_oom (draft->err);
  free (state->reason);
  state->reason = reason;
  state->enforcement = (struct enforcement){ ENFORCEMENT_IMPOSSIBLE, BASIS_MEASURED, state->reason };
  return 0;
}

static int host_apparmor (struct draft *draft)
{
  const struct host_facts *host = draft->host;
  const char *name = draft_value (draft, SETTING_APPARMOR)->text;

  if (!host->apparmor)
    return host_cannot (draft, CONTROL_APPARMOR, strdup ("this host's kernel has no AppArmor"));
  if (!strset_has (&host->apparmor_profiles, name))
    return host_cannot (
        draft, CONTROL_APPARMOR,
        str_format ("the AppArmor profile '%s' is not loaded; load it with apparmor_parser -r", name));
  return 0;
}

const char *draft_why_no_cgroup (const struct draft *draft)
{
  const struct host_facts *host = draft->host;

  if (host->cgroup == CGROUP_NONE)
    return "this host has no cgroups";
  if (host->uid == 0)
    return host->cgroup_writable ? NULL : "the cgroup file system is not writable here";
  if (host->cgroup != CGROUP_V2)
    return "without root a run gets no cgroup with cgroup version 1";
  if (host->cgroup_delegated == NULL)
    return "without root a run gets no cgroup unless one is delegated to it alone, as by 'systemd-run --user "
           "--scope -p Delegate=yes'";
  return NULL;
}

/* A delegated cgroup may lack controllers. */
static int host_controller (struct draft *draft, enum control control)
{
  static const char *const names[CONTROL_COUNT] = {
    [CONTROL_LIMITS_MEMORY] = "memory",
    [CONTROL_LIMITS_PIDS] = "pids",
    [CONTROL_LIMITS_CPU] = "cpu",
  };
  const struct host_facts *host = draft->host;
  const char *name = names[control];

  if (host->uid == 0 || strset_has (&host->cgroup_controllers, name))
    return 0;
  return host_cannot (draft, control,
                      str_format ("the cgroup that was delegated to this user has no controller '%s'", name));
}

/* Without swap accounting the kernel limits memory but not swap. */
static int host_swap (struct draft *draft)
{
  struct plan_control *state = &draft->plan->controls[CONTROL_LIMITS_MEMORY];

  if (!state->promised || draft->host->swap_accounting || state->enforcement.level != ENFORCEMENT_ENFORCED)
    return 0;
  state->enforcement =
      (struct enforcement){ ENFORCEMENT_WEAKER, BASIS_MEASURED, "this host does not count swap" };
  return 0;
}

static int host_limits (struct draft *draft)
{
  const char *why = draft_why_no_cgroup (draft);

  /* These backends create the cgroup themselves; for all others we must be able to. */
  if (draft->plan->backend->own_privilege)
    return host_swap (draft);
  for (enum control c = CONTROL_LIMITS_MEMORY; c <= CONTROL_LIMITS_CPU; c++) {
    int r = 0;

    if (draft->plan->controls[c].promised)
      r = why ? host_cannot (draft, c, strdup (why)) : host_controller (draft, c);
    if (r < 0)
      return r;
  }
  return host_swap (draft);
}

/* Lowers the backend's enforcement to what this host supports. */
static int apply_host (struct draft *draft)
{
  const struct plan_control *controls = draft->plan->controls;
  int r = 0;

  if (controls[CONTROL_APPARMOR].promised)
    r = host_apparmor (draft);
  if (r == 0 && controls[CONTROL_TOOLS].promised && draft->host->landlock_abi == 0
      && controls[CONTROL_TOOLS].enforcement.level != ENFORCEMENT_IMPOSSIBLE)
    r = host_cannot (draft, CONTROL_TOOLS, strdup ("this host's kernel has no Landlock"));
  if (r == 0)
    r = host_limits (draft);
  if (r == 0 && controls[CONTROL_USER_NAMESPACE].promised && !draft->host->user_namespaces)
    r = host_cannot (draft, CONTROL_USER_NAMESPACE, strdup ("this host's kernel gives no user namespaces"));
  return r;
}

static int note_left_out (struct draft *draft, enum control control)
{
  const struct plan_control *state = &draft->plan->controls[control];
  const char *name = control_info (control)->name;

  if (state->accepted)
    return draft_note (draft, "%s: accepted as not enforced (%s)", name, state->enforcement.reason);
  if (state->enforcement.level == ENFORCEMENT_WEAKER)
    return draft_note (draft, "%s: weaker on %s (%s)", name, draft->plan->backend->name,
                       state->enforcement.reason);
  return draft_note (draft, "%s: left out, the profile does not require it (%s)", name,
                     state->enforcement.reason);
}

/* Waiving is recommended only where every control in MISSING can be waived. FIXED lists those that cannot. */
static int refuse (struct draft *draft, const struct strbuf *missing, const struct strbuf *fixed)
{
  if (missing->failed || fixed->failed)
    return error_oom (draft->err);
  return error_set (draft->err, -EOPNOTSUPP,
                    "profile '%s' requires what %s cannot enforce here: %s; choose another backend%s%s%s",
                    draft->profile->name, draft->plan->backend->name, missing->text,
                    fixed->text ? "; this cannot be waived: " : "", fixed->text ? fixed->text : "",
                    fixed->text ? "" : ", or waive a control with --accept-unenforced NAME");
}

static int refuse_or_note (struct draft *draft)
{
  cleanup_strbuf struct strbuf missing = { 0 }, fixed = { 0 };
  size_t count = 0;

  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    const struct plan_control *state = &draft->plan->controls[c];
    int r;

    if (!state->promised || state->enforcement.level == ENFORCEMENT_ENFORCED)
      continue;
    if (state->required && !state->accepted) {
      strbuf_addf (&missing, "%s%s (%s: %s)", count++ ? "; " : "", control_info (c)->name,
                   enforcement_text (state->enforcement.level), state->enforcement.reason);
      if (!state->waivable)
        strbuf_addf (&fixed, "%s%s%s", fixed.text ? ", " : "", control_info (c)->name,
                     c == CONTROL_ISOLATION_TYPE ? "" : " (the ceiling requires it)");
      continue;
    }
    r = note_left_out (draft, c);
    if (r < 0)
      return r;
  }
  return count == 0 ? 0 : refuse (draft, &missing, &fixed);
}

/* Whether the ceiling requires CONTROL or sets one of its settings; then no request can waive it. */
static bool required_by_operator (const struct draft *draft, enum control control)
{
  const struct settings *ceiling = &draft->ceiling->settings;
  const char *name = control_info (control)->name;

  for (const enum setting *s = control_info (control)->settings; *s != SETTING_COUNT; s++)
    if (value_is_set (&ceiling->values[*s]))
      return true;
  return strset_has (&ceiling->values[SETTING_REQUIRE].set, name)
         || (strset_has (&ceiling->values[SETTING_REQUIRE].set, "*")
             && !strset_has (&ceiling->values[SETTING_OPTIONAL].set, name));
}

int draft_controls (struct draft *draft)
{
  struct plan *plan = draft->plan;
  int r;

  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    struct plan_control *state = &plan->controls[c];
    bool operators = control_is_promised (c, &plan->settings) && required_by_operator (draft, c);

    state->promised = control_is_promised (c, &plan->settings);
    state->required = operators || control_is_required (c, &plan->settings);
    /* A container is never started under the name of a virtual machine. */
    state->waivable = c != CONTROL_ISOLATION_TYPE && !operators;
    state->accepted =
        state->promised && state->waivable && strset_has (&draft->request->accepted, control_info (c)->name);
    state->enforcement = enforcement_through (c, plan->backend, plan->below, &plan->settings);
  }
  r = apply_host (draft);
  return r < 0 ? r : refuse_or_note (draft);
}
