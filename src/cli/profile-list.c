/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile list: every profile that can be found; for broken ones also the error. */
#include <config.h>

#include "base-json-write.h"
#include "cli-verbs.h"
#include "options-table.h"
#include "session-context.h"

/* Loads NAME; on failure *RET_PROFILE stays NULL and FAULT is set. */
static void load (const struct context *context, const char *name, struct profile **ret_profile,
                  struct error *fault)
{
  *ret_profile = NULL;
  profile_load (&context->store, name, ret_profile, fault);
}

static int print_text (const struct context *context, const struct strlist *names, struct output *output,
                       struct error *err)
{
  static const char *const heading[] = { "name", "place", "trusted", "meaning" };
  cleanup_table struct table table = { .columns = ARRAY_LEN (heading), .keep = 1u << 0 };

  for (size_t i = 0; i < ARRAY_LEN (heading); i++)
    table_add_tone (&table, heading[i], TONE_BOLD);
  for (size_t i = 0; i < names->count; i++) {
    cleanup_profile struct profile *profile = NULL;
    cleanup_error struct error fault = { 0 };

    load (context, names->items[i], &profile, &fault);
    table_add (&table, names->items[i]);
    if (profile == NULL) {
      table_add_tone (&table, "broken", TONE_BAD);
      table_add (&table, "-");
      table_add (&table, error_text (&fault));
      continue;
    }
    table_add (&table, profile_place_text (profile_place_of (&context->store, profile)));
    table_add_tone (&table, profile->trusted ? "yes" : "no", profile->trusted ? TONE_PLAIN : TONE_WARN);
    table_add (&table, profile->meaning ? profile->meaning : "");
  }
  return table_print (&table, output, err);
}

static int write_profile (struct json_writer *w, const struct context *context, const char *name,
                          struct error *err)
{
  cleanup_profile struct profile *profile = NULL;
  cleanup_error struct error fault = { 0 };
  char digest[PROFILE_DIGEST_SIZE];

  load (context, name, &profile, &fault);
  json_object_begin (w, NULL);
  json_string (w, "name", name);
  json_string (w, "error", profile ? NULL : error_text (&fault));
  if (profile != NULL) {
    int r = profile_digest (profile, digest, err);

    if (r < 0)
      return r;
    json_string (w, "meaning", profile->meaning);
    json_string (w, "place", profile_place_text (profile_place_of (&context->store, profile)));
    json_string (w, "file", profile->file);
    json_bool (w, "trusted", profile->trusted);
    json_string (w, "digest", digest);
  }
  json_object_end (w);
  return 0;
}

static int print_json (const struct context *context, const struct strlist *names, struct output *output,
                       struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };
  int r = 0;

  json_object_begin (&w, NULL);
  json_string (&w, "schema", "tyrum-oci/profiles/1");
  json_array_begin (&w, "profiles");
  for (size_t i = 0; r == 0 && i < names->count; i++)
    r = write_profile (&w, context, names->items[i], err);
  json_array_end (&w);
  json_object_end (&w);
  return r < 0 ? r : json_finish_into (&w, &output->out, err);
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_context struct context context = { 0 };
  cleanup_strlist struct strlist names = { 0 };
  bool only_names = arguments_have (arguments, OPTION_NAMES);
  int r;

  if (only_names && arguments_have (arguments, OPTION_JSON))
    return error_set (err, CLI_USAGE, "--names and --json exclude each other");
  r = context_open_store (&context, err);
  if (r == 0)
    r = profile_names (&context.store, &names, err);
  if (r < 0)
    return r;
  if (arguments_have (arguments, OPTION_JSON))
    return print_json (&context, &names, output, err);
  if (!only_names)
    return print_text (&context, &names, output, err);
  for (size_t i = 0; i < names.count; i++) {
    text_clean (&output->out, names.items[i]);
    strbuf_add (&output->out, "\n");
  }
  return 0;
}

static const enum option options[] = { OPTION_JSON, OPTION_NAMES, OPTION_COUNT };

const struct verb verb_profile_list = {
  .path = "profile list",
  .summary = "list the profiles that can be found",
  .description =
      "Prints name, place (operator, user or shipped), whether the file is trusted, and the meaning of every "
      "profile in the search path. A file that cannot be used is listed with what is wrong with it.",
  .options = options,
  .run = run,
};
