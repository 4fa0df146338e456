/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile lint: reports problems of profiles in the format that editors parse. */
#include <config.h>

#include <string.h>

#include "base-limits.h"
#include "cli-verbs.h"
#include "profile-lint.h"
#include "session-context.h"

static void add_finding (struct output *output, const char *where, const char *severity, const char *what)
{
  text_clean (&output->out, where);
  strbuf_addf (&output->out, ": %s: ", severity);
  text_clean (&output->out, what);
  strbuf_add (&output->out, "\n");
}

/* Messages of the loader start with "profile 'FILE':LINE:COLUMN: "; the position is moved to the front,
 * for editors. A message without a position concerns the whole file. */
static int add_refusal (struct output *output, const char *name, const char *message, struct error *err)
{
  static const char prefix[] = "profile '";
  const char *file = str_has_prefix (message, prefix) ? message + strlen (prefix) : NULL;
  const char *end = file ? strstr (file, "':") : NULL;
  const char *place = end ? end + 2 : NULL;
  size_t len = place ? strspn (place, "0123456789:") : 0;
  cleanup_free char *where = NULL;

  if (len < 2 || place[len] != ' ' || place[len - 1] != ':') {
    add_finding (output, name, "error", message);
    return 0;
  }
  where = str_format ("%.*s:%.*s", (int) (end - file), file, (int) (len - 1), place);
  if (where == NULL)
    return error_oom (err);
  add_finding (output, where, "error", place + len + 1);
  return 0;
}

static int lint_one (const struct context *context, const char *name, struct output *output,
                     struct error *err)
{
  cleanup_profile struct profile *profile = NULL;
  cleanup_error struct error fault = { 0 };
  cleanup_lint struct lint lint = { 0 };
  int r;

  if (profile_load (&context->store, name, &profile, &fault) < 0) {
    output->status = 1;
    return add_refusal (output, name, error_text (&fault), err);
  }
  r = profile_lint (profile, &lint, err);
  if (r < 0)
    return r;
  for (size_t i = 0; i < lint.count; i++) {
    bool bad = lint.items[i].severity == LINT_ERROR;

    add_finding (output, lint.items[i].where, bad ? "error" : "warning", lint.items[i].what);
    output->status = bad ? 1 : output->status;
  }
  if (lint.count == 0) {
    text_clean (&output->out, name);
    strbuf_add (&output->out, ": ok\n");
  }
  return 0;
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_context struct context context = { 0 };
  int r = context_open_store (&context, err);

  for (size_t i = 0; r == 0 && i < arguments->operands.count; i++)
    r = lint_one (&context, arguments->operands.items[i], output, err);
  return r;
}

static const enum option options[] = { OPTION_COUNT };

static const struct verb_example examples[] = {
  { "tyrum-oci profile lint ci.json", "check a profile before it is installed" },
  { NULL, NULL },
};

const struct verb verb_profile_lint = {
  .path = "profile lint",
  .summary = "check profiles for errors and likely mistakes",
  .description =
      "Reads each profile with its parents and prints one line for each finding, \"FILE:LINE: error: "
      "...\" or \"FILE:LINE: warning: ...\", or \"FILE: ok\". Every plan refuses errors as well; they make "
      "the exit status 1. Warnings are allowed. A file is judged as if it were installed: lying in the "
      "current directory does not make it untrusted here.",
  .operands = "NAME|FILE...",
  .min = 1,
  .max = LIMIT_ARGUMENTS,
  .complete = COMPLETE_PROFILE,
  .options = options,
  .examples = examples,
  .run = run,
};
