/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The audit log of our own runs: request, plan, waivers, limits, denials, end. */
#include <config.h>

#include "journal-audit-log.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-sha256.h"
#include "denial-write.h"
#include "journal-audit-log-internal.h"

/* requested, plan, elevation, profile_changed, and a waiver for each control. */
#define EVENTS_MAX (4 + CONTROL_COUNT)

static void requested_details (struct json_writer *w, const void *data)
{
  const struct audit_log_request *asked = data;
  const struct request *request = asked->request;
  const char *command = request->argv.count > 0 ? request->argv.items[0] : "";

  json_string (w, "via", asked->via);
  audit_log_text (w, "profile", asked->profile);
  json_string (w, "backend", request->backend->name);
  audit_log_text (w, "command", command);
  json_number (w, "arguments", request->argv.count > 0 ? request->argv.count - 1 : 0);
  if (request->workspace != NULL)
    audit_log_text (w, "workspace", request->workspace);
  json_number (w, "user", getuid ());
  json_number (w, "supervisor", (uint64_t) getpid ());
  if (asked->more != NULL)
    asked->more (w, asked->more_data);
}

struct planned {
  const struct plan *plan;
  char digest[sizeof ("sha256:") + SHA256_HEX];
};

static void plan_details (struct json_writer *w, const void *data)
{
  const struct planned *planned = data;
  const struct plan *plan = planned->plan;

  json_object_begin (w, "profile");
  json_string (w, "name", plan->profile_name);
  json_string (w, "digest", plan->profile_digest);
  audit_log_text (w, "file", plan->profile_file);
  json_object_end (w);
  json_string (w, "backend", plan->backend->name);
  json_string (w, "plan", planned->digest);
}

struct waiver {
  enum control control;
  const struct plan_control *state;
};

static void waiver_details (struct json_writer *w, const void *data)
{
  const struct waiver *waiver = data;

  json_string (w, "control", control_info (waiver->control)->name);
  json_string (w, "enforcement", enforcement_text (waiver->state->enforcement.level));
  json_string (w, "reason",
               waiver->state->reason ? waiver->state->reason : waiver->state->enforcement.reason);
}

/* The name of the elevated profile that PROFILE is, extends, or has values of; NULL: none. */
static const char *elevated_by (const struct profile *profile)
{
  static const char *const names[] = { "rawdog", "unsafe" };

  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    if (strcmp (profile->name, names[i]) == 0 || str_equal (profile->extends, names[i]))
      return names[i];
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
      const char *file = profile->settings.values[s].origin.file;
      const char *slash = file ? strrchr (file, '/') : NULL;
      size_t len = strlen (names[i]);

      if (slash != NULL && strncmp (slash + 1, names[i], len) == 0 && strcmp (slash + 1 + len, ".json") == 0)
        return names[i];
    }
  }
  return NULL;
}

static void elevation_details (struct json_writer *w, const void *data)
{
  const struct profile *profile = data;

  json_string (w, "profile", profile->name);
  json_string (w, "elevated_by", elevated_by (profile));
  json_bool (w, "sandbox", profile->settings.values[SETTING_ISOLATION_TYPE].level != ISOLATION_DISABLED);
}

int audit_log_planned (struct audit_log *log, const struct audit_log_request *asked,
                       const struct profile *profile, const struct plan *plan, const char *document,
                       struct error *err)
{
  struct journal_event events[EVENTS_MAX];
  struct waiver waivers[CONTROL_COUNT];
  struct planned planned = { plan, "sha256:" };
  struct audit_log_change change = { .name = plan->profile_name, .digest = plan->profile_digest };
  size_t count = 0;
  bool changed;
  int r = audit_log_look_for_change (log, &change, &changed, err);

  if (r < 0)
    return r;
  /* Hash the document, which is long, before the journal is locked. */
  sha256_hex (document, strlen (document), planned.digest + strlen ("sha256:"));
  events[count++] = (struct journal_event){ JOURNAL_REQUESTED, .details = requested_details, .data = asked };
  events[count++] = (struct journal_event){ JOURNAL_PLAN, .details = plan_details, .data = &planned };
  if (changed)
    events[count++] = (struct journal_event){ JOURNAL_PROFILE_CHANGED, .details = audit_log_change_details,
                                              .data = &change };
  if (elevated_by (profile) != NULL)
    events[count++] =
        (struct journal_event){ JOURNAL_ELEVATION, .details = elevation_details, .data = profile };
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    if (!plan->controls[c].accepted)
      continue;
    waivers[c] = (struct waiver){ c, &plan->controls[c] };
    events[count++] =
        (struct journal_event){ JOURNAL_WAIVER, .details = waiver_details, .data = &waivers[c] };
  }
  return audit_log_events (log, events, count, err);
}

int audit_log_refused (struct audit_log *log, const struct audit_log_request *asked,
                       const struct posture *posture, const struct error *why, struct error *err)
{
  struct journal_event events[3];
  size_t count = 0;

  if (asked != NULL)
    events[count++] =
        (struct journal_event){ JOURNAL_REQUESTED, .details = requested_details, .data = asked };
  audit_log_add_posture (events, &count, posture);
  events[count++] =
      (struct journal_event){ JOURNAL_REFUSED, .details = audit_log_refused_details, .data = why };
  return audit_log_events (log, events, count, err);
}

static void ended_details (struct json_writer *w, const void *data)
{
  const struct run_result *result = data;

  json_string (w, "reason", run_reason_text (result->reason));
  json_integer (w, "code", result->code);
  if (result->killed)
    json_bool (w, "killed", true);
  else if (result->signal > 0)
    json_integer (w, "signal", result->signal);
  json_number (w, "wall_ms", result->wall_ms);
  json_number (w, "cpu_ms", result->counters.cpu_ns / 1000000);
  json_number (w, "memory_peak", result->counters.memory_peak);
  json_number (w, "stdout_bytes", result->out_bytes);
  json_number (w, "stderr_bytes", result->err_bytes);
  if (result->left != NULL)
    audit_log_text (w, "left", result->left);
}

static void limit_details (struct json_writer *w, const void *data)
{
  const struct audit_log_limit *limit = data;

  json_string (w, "control", control_info (limit->control)->name);
  json_number (w, limit->what, limit->number);
}

static void denial_details (struct json_writer *w, const void *data)
{
  denial_write_fields (w, data);
}

size_t audit_log_limits (const struct plan *plan, const struct run_result *result,
                         struct audit_log_limit ret_limits[AUDIT_LOG_LIMITS])
{
  /* Output is also cut where its reader is gone: that is no limit. Without a cap this is UINT64_MAX. */
  uint64_t cap = plan->output_bytes;
  const struct {
    bool hit;
    struct audit_log_limit limit;
  } rows[AUDIT_LOG_LIMITS] = {
    { result->reason == RUN_DEADLINE, { CONTROL_LIMITS_WALL, "after_ms", plan->wall_ms } },
    { result->idle, { CONTROL_LIMITS_IDLE, "after_ms", plan->idle_ms } },
    { result->counters.oom_kills > 0, { CONTROL_LIMITS_MEMORY, "killed", result->counters.oom_kills } },
    { result->counters.pids_denied > 0, { CONTROL_LIMITS_PIDS, "denied", result->counters.pids_denied } },
    { result->out_cut && result->out_bytes > cap,
      { CONTROL_LIMITS_OUTPUT, "stdout_bytes", result->out_bytes } },
    { result->err_cut && result->err_bytes > cap,
      { CONTROL_LIMITS_OUTPUT, "stderr_bytes", result->err_bytes } },
  };
  size_t count = 0;

  for (size_t i = 0; i < ARRAY_LEN (rows); i++)
    if (rows[i].hit)
      ret_limits[count++] = rows[i].limit;
  return count;
}

int audit_log_ended (struct audit_log *log, const struct plan *plan, const struct run_result *result,
                     struct error *err)
{
  struct audit_log_limit limits[AUDIT_LOG_LIMITS];
  size_t hit = audit_log_limits (plan, result, limits), count = 0;
  cleanup_free struct journal_event *events = calloc (hit + result->denials.count + 1, sizeof (*events));

  if (events == NULL)
    return error_oom (err);
  for (size_t i = 0; i < result->denials.count; i++)
    events[count++] = (struct journal_event){ JOURNAL_DENIAL, .details = denial_details,
                                              .data = &result->denials.items[i] };
  for (size_t i = 0; i < hit; i++)
    events[count++] = (struct journal_event){ JOURNAL_LIMIT, .details = limit_details, .data = &limits[i] };
  events[count++] = (struct journal_event){ JOURNAL_ENDED, .details = ended_details, .data = result };
  return audit_log_events (log, events, count, err);
}
