/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "doctor-status.h"

#include <errno.h>
#include <string.h>

#include "base-json-write.h"

void status_count (const struct posture *posture, unsigned *ret_promised, unsigned *ret_verified)
{
  *ret_promised = *ret_verified = 0;
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    *ret_promised += posture->controls[c].promised;
    *ret_verified += posture->controls[c].promised && posture->controls[c].verdict == VERDICT_VERIFIED;
  }
}

int status_write (const struct status *status, char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };

  json_object_begin (&w, NULL);
  json_string (&w, "schema", "tyrum-oci/status/1");
  json_object_begin (&w, "sandbox");
  json_string (&w, "hardening_profile", status->plan->profile_name);
  json_string (&w, "profile_digest", status->plan->profile_digest);
  json_string (&w, "backend", status->plan->backend->name);
  json_string (&w, "runtime", status->runtime);
  posture_write (&w, "posture", status->posture);
  json_object_end (&w);
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}

int status_write_tyrum (const struct status *status, char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };
  const char *name = status->plan->profile_name;
  const char *digest = strchr (status->plan->profile_digest, ':');

  if (strcmp (name, "baseline") != 0 && strcmp (name, "hardened") != 0)
    return error_set (err, -EINVAL,
                      "--tyrum: Tyrum's status has no name for profile '%s', only for baseline and hardened",
                      name);
  if (status->posture->overall == OVERALL_VIOLATED)
    return error_set (err, -EPERM, "--tyrum: profile '%s' does not hold on this host, so nothing is claimed",
                      name);
  json_object_begin (&w, NULL);
  json_string (&w, "mode", "enforce");
  json_bool (&w, "policy_observe_only", false);
  json_string (&w, "effective_policy_sha256", digest ? digest + 1 : status->plan->profile_digest);
  json_string (&w, "hardening_profile", name);
  /* Only Tyrum can know whether it would elevate. */
  json_null (&w, "elevated_execution_available");
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}
