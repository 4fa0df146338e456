/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "state-run-record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base-file.h"
#include "base-json-read.h"
#include "base-json-write.h"
#include "base-limits.h"
#include "base-number.h"

int run_record_write (const struct run_dir *dir, const struct plan *plan, const struct launch *launch,
                      const char *program, bool ready, struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_free char *text = NULL;
  int r;

  json_object_begin (&w, NULL);
  json_string (&w, "run", dir->id);
  json_string (&w, "profile", plan->profile_name);
  json_string (&w, "backend", plan->backend->name);
  json_string (&w, "program", program);
  json_string (&w, "command", launch->argv.count > 0 ? launch->argv.items[0] : "");
  json_bool (&w, "ready", ready);
  if (plan->cgroup_delegated != NULL)
    json_string (&w, "delegated", plan->cgroup_delegated);
  json_number (&w, "supervisor", (uint64_t) getpid ());
  json_number (&w, "started", (uint64_t) time (NULL));
  json_object_end (&w);
  r = json_finish (&w, &text, err);
  return r < 0 ? r : file_write_passing (dir->fd, "record.json", text, strlen (text), 0600, err);
}

static char *text_of (const struct json_node *tree, const char *key)
{
  const struct json_node *node = json_get (tree, key);

  return strdup (node != NULL && node->type == JSON_STRING ? node->text : "?");
}

static uint64_t number_of (const struct json_node *tree, const char *key)
{
  const struct json_node *node = json_get (tree, key);
  uint64_t number = 0;

  if (node == NULL || node->type != JSON_NUMBER || !number_parse (node->text, INT64_MAX, &number))
    return 0;
  return number;
}

int run_record_read (const struct run_dir *dir, struct run_record *ret_record, struct error *err)
{
  static const struct json_limits limits = { LIMIT_STRING_BYTES, 4, 64, .comments = false };
  cleanup_run_record struct run_record record = { 0 };
  cleanup_json struct json_node *tree = NULL;
  cleanup_free char *text = NULL;
  size_t len = 0;
  int r = file_read (dir->fd, "record.json", LIMIT_STRING_BYTES, &text, &len, err);

  if (r == 0)
    r = json_read ("record.json", text, len, &limits, &tree, err);
  if (r < 0)
    return r;
  record.profile = text_of (tree, "profile");
  record.backend = text_of (tree, "backend");
  record.program = text_of (tree, "program");
  record.command = text_of (tree, "command");
  if (json_get (tree, "delegated") != NULL) {
    record.delegated = text_of (tree, "delegated");
    if (record.delegated == NULL)
      return error_oom (err);
  }
  record.ready = json_get (tree, "ready") != NULL && json_get (tree, "ready")->flag;
  record.supervisor = number_of (tree, "supervisor");
  record.started = number_of (tree, "started");
  if (record.profile == NULL || record.backend == NULL || record.program == NULL || record.command == NULL)
    return error_oom (err);
  *ret_record = record;
  record = (struct run_record){ 0 };
  return 0;
}

void run_record_clear (struct run_record *record)
{
  free (record->profile);
  free (record->backend);
  free (record->program);
  free (record->command);
  free (record->delegated);
  *record = (struct run_record){ 0 };
}
