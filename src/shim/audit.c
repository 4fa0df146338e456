/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-audit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-sha256.h"
#include "host-facts.h"

int audit_open (const char *config_dir, const char *data_dir, const char *container, const char *run,
                struct audit *ret_audit, struct error *err)
{
  cleanup_profile_store struct profile_store store = { 0 };
  cleanup_free char *storage = NULL;
  struct audit audit = { 0 };
  int r = host_look_storage_dir (&storage, err);

  if (r == 0)
    r = profile_store_init (&store, config_dir, NULL, data_dir, NULL, err);
  if (r == 0)
    r = configuration_load (&store, &audit.configuration, err);
  if (r == 0)
    r = audit_log_open_container (storage, audit.configuration, container, run, &audit.log, err);
  if (r < 0)
    audit_clear (&audit);
  else
    *ret_audit = audit;
  return r;
}

void audit_clear (struct audit *audit)
{
  audit_log_clear (&audit->log);
  configuration_free (audit->configuration);
  audit->configuration = NULL;
}

/* ---- Details. */

static void write_command (struct json_writer *w, const struct json_node *process)
{
  const struct json_node *args = json_get (process, "args");

  if (args == NULL || args->type != JSON_ARRAY || args->count == 0 || args->items[0]->type != JSON_STRING)
    return;
  audit_log_text (w, "command", args->items[0]->text);
  json_number (w, "arguments", args->count - 1);
}

static void write_optional (struct json_writer *w, const char *key, const char *text)
{
  if (text != NULL)
    audit_log_text (w, key, text);
}

/* Each control once. */
static void write_changes (struct json_writer *w, const struct spec_changes *changes)
{
  bool changed[CONTROL_COUNT] = { false };

  for (size_t i = 0; i < changes->count; i++)
    changed[changes->items[i].control] = true;
  json_array_begin (w, "tightened");
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    if (changed[c])
      json_string (w, NULL, control_info (c)->name);
  json_array_end (w);
}

static void requested_details (struct json_writer *w, const void *data)
{
  const struct audit_request *asked = data;

  json_string (w, "via", asked->via);
  audit_log_text (w, "profile", asked->profile);
  write_optional (w, "annotated", asked->annotated);
  write_optional (w, "backend", asked->runtime);
  write_command (w, asked->process);
  write_optional (w, "bundle", asked->bundle);
  json_number (w, "user", getuid ());
}

struct met {
  const struct policy *policy;
  const struct spec_changes *changes;
  const char *config;
};

static void met_details (struct json_writer *w, const void *data)
{
  const struct met *met = data;
  const struct profile *profile = met->policy->second ? met->policy->second : met->policy->profile;
  char digest[sizeof ("sha256:") + SHA256_HEX] = "sha256:";

  sha256_hex (met->config, strlen (met->config), digest + strlen ("sha256:"));
  json_object_begin (w, "profile");
  json_string (w, "name", profile->name);
  json_string (w, "digest", met->policy->digest);
  json_object_end (w);
  json_string (w, "plan", digest);
  write_changes (w, met->changes);
}

struct joined {
  const struct json_node *process;
  const struct spec_changes *changes;
};

static void joined_details (struct json_writer *w, const void *data)
{
  const struct joined *joined = data;

  write_command (w, joined->process);
  write_changes (w, joined->changes);
}

static void updated_details (struct json_writer *w, const void *data)
{
  write_changes (w, data);
}

struct ending {
  const char *reason;
  int code;
};

static void ended_details (struct json_writer *w, const void *data)
{
  const struct ending *ending = data;

  json_string (w, "reason", ending->reason);
  if (ending->code >= 0)
    json_number (w, "code", (uint64_t) ending->code);
}

static void request_event (const struct audit_request *asked, struct journal_event *ret_event)
{
  *ret_event = (struct journal_event){ JOURNAL_REQUESTED, .details = requested_details, .data = asked };
}

/* ---- Events. */

int audit_met (struct audit *audit, const struct audit_request *asked, const struct policy *policy,
               const struct spec_changes *changes, const char *config, struct error *err)
{
  const struct met met = { policy, changes, config };
  struct journal_event events[2];
  int r;

  request_event (asked, &events[0]);
  events[1] = (struct journal_event){ JOURNAL_PLAN, .details = met_details, .data = &met };
  r = audit_log_events (&audit->log, events, ARRAY_LEN (events), err);
  return r < 0 ? r : audit_log_profile (&audit->log, policy->spec.profile, policy->digest, err);
}

int audit_refused (struct audit *audit, const struct audit_request *asked, const struct posture *posture,
                   const struct error *why, struct error *err)
{
  struct journal_event event;
  int r = 0;

  if (asked != NULL) {
    request_event (asked, &event);
    r = audit_log_events (&audit->log, &event, 1, err);
  }
  return r < 0 ? r : audit_log_refuse (&audit->log, posture, why, err);
}

int audit_joined (struct audit *audit, const struct json_node *process, const struct spec_changes *changes,
                  struct error *err)
{
  const struct joined joined = { process, changes };

  return audit_log_event (&audit->log, JOURNAL_JOINED, joined_details, &joined, err);
}

int audit_updated (struct audit *audit, const struct spec_changes *changes, struct error *err)
{
  return audit_log_event (&audit->log, JOURNAL_UPDATED, updated_details, changes, err);
}

int audit_ended (struct audit *audit, const char *reason, int code, struct error *err)
{
  const struct ending ending = { reason, code };

  return audit_log_event (&audit->log, JOURNAL_ENDED, ended_details, &ending, err);
}
