/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "journal-result.h"

#include "base-exit-code.h"
#include "base-json-write.h"
#include "denial-write.h"

const char *result_cause (const struct run_result *result)
{
  if (result == NULL || result->reason == RUN_REFUSED)
    return "sandbox";
  if (result->code == 0)
    return NULL;
  return denials_explain (&result->denials) ? "sandbox" : "unknown";
}

static void write_head (struct json_writer *w, const char *run, const char *profile, const char *digest,
                        const char *backend)
{
  json_string (w, "schema", "tyrum-oci/result/1");
  json_string (w, "run", run);
  json_object_begin (w, "profile");
  json_string (w, "name", profile);
  json_string (w, "digest", digest);
  json_object_end (w);
  json_string (w, "backend", backend);
}

static void write_exit (struct json_writer *w, const struct run_result *result, const struct error *error)
{
  json_object_begin (w, "exit");
  json_integer (w, "code", result ? result->code : EXIT_NOT_RUN);
  if (result != NULL && result->signal > 0 && !result->killed)
    json_integer (w, "signal", result->signal);
  else
    json_null (w, "signal");
  if (result != NULL && result->killed)
    json_bool (w, "killed", true);
  json_string (w, "reason", run_reason_text (result ? result->reason : RUN_REFUSED));
  if (error != NULL)
    json_string (w, "error", error_text (error));
  json_object_end (w);
}

static void write_usage (struct json_writer *w, const struct run_result *result)
{
  static const struct run_result nothing = { 0 };
  const struct run_result *r = result ? result : &nothing;

  json_object_begin (w, "usage");
  json_number (w, "wall_ms", r->wall_ms);
  json_number (w, "cpu_ms", r->counters.cpu_ns / 1000000);
  json_number (w, "memory_peak", r->counters.memory_peak);
  json_number (w, "stdout_bytes", r->out_bytes);
  json_number (w, "stderr_bytes", r->err_bytes);
  json_number (w, "oom_kills", r->counters.oom_kills);
  json_number (w, "pids_denied", r->counters.pids_denied);
  json_number (w, "cpu_throttled", r->counters.throttled);
  /* Without a cgroup the zeros above are not measurements. */
  json_bool (w, "counted", r->counters.known);
  json_object_end (w);
  json_object_begin (w, "truncated");
  json_bool (w, "stdout", r->out_cut);
  json_bool (w, "stderr", r->err_cut);
  json_object_end (w);
}

/* The promised controls, and how each one is enforced. The observations are in the posture. */
static void write_controls (struct json_writer *w, const struct plan *plan)
{
  json_array_begin (w, "controls");
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    const struct plan_control *state = &plan->controls[c];

    if (!state->promised)
      continue;
    json_object_begin (w, NULL);
    json_string (w, "name", control_info (c)->name);
    json_bool (w, "required", state->required);
    json_string (w, "enforcement", enforcement_text (state->enforcement.level));
    json_bool (w, "accepted", state->accepted);
    json_object_end (w);
  }
  json_array_end (w);
}

int result_write (const struct plan *plan, const struct run_result *result, const struct error *error,
                  char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };
  const struct denials none = { 0 };

  json_object_begin (&w, NULL);
  write_head (&w, result ? result->id : NULL, plan->profile_name, plan->profile_digest, plan->backend->name);
  write_exit (&w, result, error);
  json_string (&w, "cause", result_cause (result));
  write_usage (&w, result);
  denials_write (&w, "denials", result ? &result->denials : &none);
  /* Without a listener an empty list does not mean that no call was denied. */
  json_bool (&w, "calls_received", result != NULL && result->calls_received);
  write_controls (&w, plan);
  if (result != NULL && result->posture != NULL)
    posture_write (&w, "posture", result->posture);
  else
    json_null (&w, "posture");
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}

int unconfined_result_write (const struct profile *profile, const char *run, const struct run_result *result,
                             char **ret_text, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };
  char digest[PROFILE_DIGEST_SIZE];
  int r = profile_digest (profile, digest, err);

  if (r < 0)
    return r;
  json_object_begin (&w, NULL);
  write_head (&w, run, profile->name, digest, "none");
  write_exit (&w, result, NULL);
  json_object_begin (&w, "usage");
  json_number (&w, "wall_ms", result->wall_ms);
  /* Nothing else was measured, so it is left out. */
  json_bool (&w, "counted", false);
  json_object_end (&w);
  json_array_begin (&w, "denials");
  json_array_end (&w);
  json_array_begin (&w, "controls");
  json_array_end (&w);
  json_object_begin (&w, "posture");
  json_string (&w, "verdict", "none");
  json_string (&w, "reason", UNCONFINED_REASON);
  json_array_begin (&w, "controls");
  json_array_end (&w);
  json_object_end (&w);
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}
