/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "profile-configuration.h"

#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-number.h"
#include "base-path.h"
#include "profile-configuration-internal.h"

/* Room for some hundred thousand lines of a few hundred bytes each. */
#define JOURNAL_MAX_BYTES ((uint64_t) 64 * 1024 * 1024)
#define JOURNAL_MIN_BYTES ((uint64_t) 64 * 1024)
#define JOURNAL_KEEP      8u
#define JOURNAL_KEEP_MAX  10000u

#define HOUR_MS           ((uint64_t) 60 * 60 * 1000)
#define UNUSED_MAX_MS     (24 * 366 * HOUR_MS)
#define UNUSED_DEFAULT_MS (24 * 30 * HOUR_MS)

#define DURATION_MIN_MS     ((uint64_t) 1000)
#define DURATION_MAX_MS     ((uint64_t) 24 * 60 * 60 * 1000)
#define DURATION_DEFAULT_MS ((uint64_t) 10 * 60 * 1000)

static JSON_READER (into_size)
{
  uint64_t bytes;

  if (!number_parse_size (node->text, &bytes) || bytes < JOURNAL_MIN_BYTES || bytes > INT64_MAX)
    return json_fail (place, node, err, "'%s' is not a size from 64K on, such as \"64M\"", node->text);
  *(uint64_t *) at = bytes;
  return 0;
}

static JSON_READER (into_keep)
{
  uint64_t count;

  if (!number_parse (node->text, JOURNAL_KEEP_MAX, &count) || count == 0)
    return json_fail (place, node, err, "'%s' is not a number from 1 to %u", node->text, JOURNAL_KEEP_MAX);
  *(uint32_t *) at = (uint32_t) count;
  return 0;
}

static JSON_READER (into_mode)
{
  enum toolrunner_mode *mode = at;

  if (strcmp (node->text, "runner") == 0)
    *mode = TOOLRUNNER_RUNNER;
  else if (strcmp (node->text, "command") == 0)
    *mode = TOOLRUNNER_COMMAND;
  else
    return json_fail (place, node, err, "'%s' is not 'runner' or 'command'", node->text);
  return 0;
}

static JSON_READER (into_metadata)
{
  bool *full = at;

  *full = strcmp (node->text, "full") == 0;
  if (!*full && strcmp (node->text, "summary") != 0)
    return json_fail (place, node, err, "'%s' is not 'summary' or 'full'", node->text);
  return 0;
}

static JSON_READER (into_name)
{
  if (node->text[strspn (node->text, " \t\r\n")] == '\0')
    return json_fail (place, node, err, "the value is blank");
  return json_into_text (place, node, at, err);
}

static JSON_READER (into_directory)
{
  if (!path_is_normal (node->text) && !path_is_beneath (node->text))
    return json_fail (place, node, err, "'%s' is not a path without '.', '..' or empty parts", node->text);
  return json_into_text (place, node, at, err);
}

static JSON_READER (into_inside)
{
  if (!path_is_normal (node->text))
    return json_fail (place, node, err, "'%s' is not an absolute path without '.', '..' or empty parts",
                      node->text);
  return json_into_text (place, node, at, err);
}

static JSON_READER (add_argument)
{
  const struct strlist *argv = at;

  if (argv->count == 0 && node->text[0] == '\0')
    return json_fail (place, node, err, "the command names no program");
  return strlist_add (at, node->text) < 0 ? error_oom (err) : 0;
}

static JSON_READER (into_argv)
{
  if (node->count == 0)
    return json_fail (place, node, err, "the command names no program");
  return json_read_array (place, node, JSON_STRING, LIMIT_ARGUMENTS, add_argument, at, err);
}

static JSON_READER (into_duration)
{
  uint64_t ms;

  if (!number_parse_duration (node->text, &ms) || ms < DURATION_MIN_MS || ms > DURATION_MAX_MS)
    return json_fail (place, node, err, "'%s' is not a time from 1s to 24h, such as \"10m\"", node->text);
  *(uint64_t *) at = ms;
  return 0;
}

static JSON_READER (into_unused)
{
  uint64_t ms;

  if (!number_parse_duration (node->text, &ms) || ms < HOUR_MS || ms > UNUSED_MAX_MS)
    return json_fail (place, node, err, "'%s' is not a time from 1h to 8784h, such as \"720h\"", node->text);
  *(uint64_t *) at = ms;
  return 0;
}

/* Profile names with counts. The names are stored as a set, so each count is assigned by name. */
static JSON_READER (into_ready)
{
  struct configuration *configuration =
      (struct configuration *) ((char *) at - offsetof (struct configuration, ready));
  uint64_t sum = 0;

  for (size_t i = 0; i < node->count; i++)
    if (strset_add (&configuration->ready, node->keys[i].name) < 0)
      return error_oom (err);
  configuration->ready_counts = calloc (node->count + 1, sizeof (*configuration->ready_counts));
  if (configuration->ready_counts == NULL)
    return error_oom (err);
  for (size_t i = 0; i < node->count; i++) {
    const struct json_place here = { .parent = place, .name = node->keys[i].name };
    uint64_t count;

    if (node->items[i]->type != JSON_NUMBER || !number_parse (node->items[i]->text, READY_MAX, &count)
        || count == 0)
      return json_fail (&here, node->items[i], err, "the value is not a number from 1 to %u", READY_MAX);
    sum += count;
    for (size_t k = 0; k < configuration->ready.count; k++)
      if (strcmp (configuration->ready.items[k], node->keys[i].name) == 0)
        configuration->ready_counts[k] = (uint32_t) count;
  }
  return sum <= READY_MAX ? 0 : json_fail (place, node, err, "more than %u sandboxes in total", READY_MAX);
}

#define ROW(section, key, type, read, field, help, schema)                                                   \
  {                                                                                                          \
    section, { key, type, read, offsetof (struct configuration, field) }, help, schema                       \
  }
#define TEXT_SCHEMA      "{ \"type\": \"string\", \"pattern\": \"[^ \\t\\r\\n]\" }"
#define DIRECTORY_SCHEMA "{ \"type\": \"string\", \"minLength\": 1 }"
#define FLAG_SCHEMA      "{ \"type\": \"boolean\" }"
#define DURATION_SCHEMA  "{ \"type\": \"string\", \"pattern\": \"^[1-9][0-9]*(ms|s|m|h)$\" }"

const struct configuration_key configuration_keys[] = {
  ROW ("journal", "required", JSON_BOOL, json_into_bool, journal_required,
       "whether a run whose events cannot be written is refused (default: true)", FLAG_SCHEMA),
  ROW ("journal", "sync", JSON_BOOL, json_into_bool, journal_sync,
       "whether the end of a run is on the disk before it is reported (default: true)", FLAG_SCHEMA),
  ROW ("journal", "max_size", JSON_STRING, into_size, journal_max_bytes,
       "begin a new file beyond this size (default: 64M)",
       "{ \"type\": \"string\", \"pattern\": \"^[1-9][0-9]*[KMGT]?$\" }"),
  ROW ("journal", "keep", JSON_NUMBER, into_keep, journal_keep,
       "how many full files are kept besides the current one (default: 8)",
       "{ \"type\": \"integer\", \"minimum\": 1, \"maximum\": 10000 }"),
  ROW ("images", "unused", JSON_STRING, into_unused, images_unused,
       "gc removes unpacked images that no run has used for so long (default: 720h)", DURATION_SCHEMA),
  ROW ("toolrunner", "mode", JSON_STRING, into_mode, toolrunner_mode,
       "runner: the image's own ToolRunner runs inside; command: the command of a CLI step runs inside",
       "{ \"enum\": [\"runner\", \"command\"] }"),
  ROW ("toolrunner", "policy_checked_upstream", JSON_BOOL, json_into_bool, policy_checked_upstream,
       "the operator confirms that the gateway checks its policy before the step; mode 'command' needs it",
       FLAG_SCHEMA),
  ROW ("toolrunner", "metadata", JSON_STRING, into_metadata, full_metadata,
       "what cost.metadata.sandbox of a StepResult has: summary (at most 2 KiB; the default), or full: the "
       "whole result document",
       "{ \"enum\": [\"summary\", \"full\"] }"),
  ROW ("toolrunner", "profile", JSON_STRING, into_name, profile, "the profile (default: baseline)",
       TEXT_SCHEMA),
  ROW ("toolrunner", "backend", JSON_STRING, into_name, backend, "as --backend of run", TEXT_SCHEMA),
  ROW ("toolrunner", "runtime", JSON_STRING, into_name, runtime, "as --runtime of run", TEXT_SCHEMA),
  ROW ("toolrunner", "image", JSON_STRING, into_name, image, "as --image of run", TEXT_SCHEMA),
  ROW ("toolrunner", "rootfs", JSON_STRING, into_name, rootfs, "as --rootfs of run", TEXT_SCHEMA),
  ROW ("toolrunner", "workspace", JSON_STRING, into_directory, workspace,
       "the directory that is mounted at /workspace: absolute, or beneath the gateway's home (default: "
       "'workspace' in the home; mode 'runner': the home itself)",
       DIRECTORY_SCHEMA),
  ROW ("toolrunner", "command", JSON_ARRAY, into_argv, command,
       "mode 'runner': what starts the ToolRunner inside; its options are added",
       "{ \"type\": \"array\", \"minItems\": 1, \"items\": { \"type\": \"string\" } }"),
  ROW ("toolrunner", "migrations_dir", JSON_STRING, into_inside, migrations,
       "mode 'runner': the directory of the migrations inside (default: as given by the gateway)",
       "{ \"type\": \"string\", \"pattern\": \"^/\" }"),
  ROW ("engines", "runtime", JSON_STRING, into_inside, engines_runtime,
       "path of the runtime that tyrum-oci-runtime starts containers with (default: crun, else runc)",
       "{ \"type\": \"string\", \"pattern\": \"^/\" }"),
  ROW ("engines", "profiles", JSON_ARRAY, json_into_set, engines_profiles,
       "profiles that a container's annotation io.tyrum.profile may name; it can only tighten",
       "{ \"type\": \"array\", \"items\": { \"type\": \"string\" } }"),
  ROW ("engines", "show_changes", JSON_BOOL, json_into_bool, engines_show_changes,
       "whether what a profile changed is written to the container's standard error when it is created "
       "(default: false)",
       FLAG_SCHEMA),
  ROW ("daemon", "socket", JSON_STRING, into_inside, daemon_socket,
       "the socket of the daemon (default: daemon.socket in the directory of live runs)",
       "{ \"type\": \"string\", \"pattern\": \"^/\" }"),
  ROW ("daemon", "use", JSON_BOOL, json_into_bool, daemon_use,
       "whether runs are passed to a running daemon (default: true)", FLAG_SCHEMA),
  ROW ("daemon", "start", JSON_BOOL, json_into_bool, daemon_start,
       "whether a run that finds no daemon starts one for later runs (default: false)", FLAG_SCHEMA),
  ROW ("daemon", "idle", JSON_STRING, into_duration, daemon_idle,
       "how long it stays idle before it exits (default: 10m)", DURATION_SCHEMA),
  ROW ("daemon", "ready", JSON_OBJECT, into_ready, ready,
       "profiles for which sandboxes are created and verified in advance, and how many (default: none)",
       "{ \"type\": \"object\", \"additionalProperties\": { \"type\": \"integer\", \"minimum\": 1, "
       "\"maximum\": 64 } }"),
  ROW ("daemon", "ready_age", JSON_STRING, into_duration, ready_age,
       "maximum age of such a sandbox (default: 10m)", DURATION_SCHEMA),
};
const size_t configuration_key_count = ARRAY_LEN (configuration_keys);

#define ROWS_MAX ARRAY_LEN (configuration_keys)

static JSON_READER (read_section)
{
  struct json_field fields[ROWS_MAX];
  size_t count = 0;

  for (size_t i = 0; i < ROWS_MAX; i++)
    if (strcmp (configuration_keys[i].section, place->name) == 0)
      fields[count++] = configuration_keys[i].field;
  return json_read_object (place, node, fields, count, at, err);
}

static JSON_READER (read_version)
{
  return strcmp (node->text, "1") == 0 ? 0 : json_fail (place, node, err, "this program reads version 1");
}

static JSON_READER (ignore)
{
  return 0;
}

static const struct json_field top[] = {
  { "$schema", JSON_STRING, ignore, 0 },       { "version", JSON_NUMBER, read_version, 0 },
  { "journal", JSON_OBJECT, read_section, 0 }, { "toolrunner", JSON_OBJECT, read_section, 0 },
  { "images", JSON_OBJECT, read_section, 0 },  { "engines", JSON_OBJECT, read_section, 0 },
  { "daemon", JSON_OBJECT, read_section, 0 },
};

int configuration_new (struct configuration **ret_configuration, struct error *err)
{
  struct configuration *configuration = calloc (1, sizeof (*configuration));

  if (configuration == NULL)
    return error_oom (err);
  configuration->journal_required = true;
  configuration->journal_sync = true;
  configuration->journal_max_bytes = JOURNAL_MAX_BYTES;
  configuration->journal_keep = JOURNAL_KEEP;
  configuration->images_unused = UNUSED_DEFAULT_MS;
  configuration->daemon_use = true;
  configuration->daemon_idle = configuration->ready_age = DURATION_DEFAULT_MS;
  *ret_configuration = configuration;
  return 0;
}

/* Checks that involve several keys. */
static int check (const struct json_place *place, const struct json_node *tree,
                  const struct configuration *configuration, struct error *err)
{
  if (tree->type == JSON_OBJECT && json_get (tree, "version") == NULL)
    return json_fail (place, tree, err, "'version' is missing");
  if (configuration->image != NULL && configuration->rootfs != NULL)
    return json_fail (place, json_get (json_get (tree, "toolrunner"), "rootfs"), err,
                      "toolrunner: 'rootfs' and 'image' both name a root; give one of them");
  return 0;
}

int configuration_parse (const char *file, const char *text, size_t len,
                         struct configuration **ret_configuration, struct error *err)
{
  static const struct json_limits limits = { LIMIT_PROFILE_BYTES, LIMIT_PROFILE_DEPTH, LIMIT_PROFILE_NODES,
                                             .comments = true };
  cleanup_configuration struct configuration *configuration = NULL;
  cleanup_free char *label = str_format ("configuration '%s'", file);
  const struct json_place place = { .name = label };
  cleanup_json struct json_node *tree = NULL;
  int r = label ? configuration_new (&configuration, err) : error_oom (err);

  if (r < 0)
    return r;
  configuration->file = strdup (file);
  if (configuration->file == NULL)
    return error_oom (err);
  r = json_read (label, text, len, &limits, &tree, err);
  if (r == 0)
    r = json_read_object (&place, tree, top, ARRAY_LEN (top), configuration, err);
  if (r == 0)
    r = check (&place, tree, configuration, err);
  if (r < 0)
    return r;
  *ret_configuration = take_ptr (configuration);
  return 0;
}

void configuration_free (struct configuration *configuration)
{
  if (configuration == NULL)
    return;
  free (configuration->file);
  strlist_clear (&configuration->places);
  free (configuration->profile);
  free (configuration->backend);
  free (configuration->runtime);
  free (configuration->image);
  free (configuration->rootfs);
  free (configuration->workspace);
  free (configuration->migrations);
  strlist_clear (&configuration->command);
  free (configuration->engines_runtime);
  strlist_clear (&configuration->engines_profiles);
  free (configuration->daemon_socket);
  strlist_clear (&configuration->ready);
  free (configuration->ready_counts);
  free (configuration);
}
