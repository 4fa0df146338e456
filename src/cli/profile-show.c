/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile show and profile schema: a resolved profile, and the schema of the profile language. */
#include <config.h>

#include "cli-verbs.h"
#include "profile-schema.h"
#include "session-context.h"

static int show (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_context struct context context = { 0 };
  cleanup_profile struct profile *profile = NULL;
  cleanup_free char *text = NULL;
  char digest[PROFILE_DIGEST_SIZE];
  int r = context_open_store (&context, err);

  if (r == 0)
    r = profile_load (&context.store, arguments->operands.items[0], &profile, err);
  if (r == 0)
    r = profile_digest (profile, digest, err);
  if (r == 0)
    r = profile_write (profile, &text, err);
  if (r < 0)
    return r;
  if (arguments_have (arguments, OPTION_DIGEST)) {
    strbuf_addf (&output->out, "%s\n", digest);
    return 0;
  }
  strbuf_add (&output->out, text);
  strbuf_addf (&output->notes, "tyrum-oci: note: digest %s\n", digest);
  return 0;
}

static const enum option show_options[] = { OPTION_JSON, OPTION_DIGEST, OPTION_COUNT };

static const struct verb_example show_examples[] = {
  { "tyrum-oci profile show hardened", "every setting of a profile, its parents' and the defaults included" },
  { NULL, NULL },
};

const struct verb verb_profile_show = {
  .path = "profile show",
  .summary = "print a profile with everything that it inherits",
  .description =
      "Prints the resolved profile as a document of the profile language: its own settings, its "
      "parents' and the defaults. The document is JSON with or without --json. Its digest, which "
      "identifies it in the audit journal, goes to standard error, or with --digest alone to standard "
      "output.",
  .operands = "NAME|FILE",
  .min = 1,
  .max = 1,
  .complete = COMPLETE_PROFILE,
  .options = show_options,
  .examples = show_examples,
  .run = show,
};

static int schema (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_free char *text = NULL;
  bool ceiling = arguments_have (arguments, OPTION_CEILING);
  bool configuration = arguments_have (arguments, OPTION_CONFIGURATION);
  int r;

  if (ceiling && configuration)
    return error_set (err, CLI_USAGE, "--ceiling and --configuration exclude each other");
  r = schema_write (ceiling ? "ceiling" : configuration ? "configuration" : "profile", &text, err);
  if (r == 0)
    strbuf_add (&output->out, text);
  return r;
}

static const enum option schema_options[] = { OPTION_CEILING, OPTION_CONFIGURATION, OPTION_COUNT };

const struct verb verb_profile_schema = {
  .path = "profile schema",
  .summary = "print the JSON Schema of the profile language",
  .description = "Prints the schema for editors and checkers, made from the parser's own table of keys.",
  .options = schema_options,
  .run = schema,
};
