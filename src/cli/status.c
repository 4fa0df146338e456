/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* status: what a profile enforces on this host, observed on a run that is made for it. */
#include <config.h>

#include <string.h>

#include "cli-verbs.h"
#include "doctor-status.h"
#include "options-table.h"
#include "doctor-probe.h"

static enum tone tone_of (enum verdict verdict)
{
  static const enum tone tones[] = { [VERDICT_UNVERIFIED] = TONE_WARN,
                                     [VERDICT_VERIFIED] = TONE_GOOD,
                                     [VERDICT_VIOLATED] = TONE_BAD,
                                     [VERDICT_WAIVED] = TONE_WARN };

  return tones[verdict];
}

static void print_head (const struct status *status, struct output *output)
{
  unsigned promised, verified;

  status_count (status->posture, &promised, &verified);
  strbuf_addf (&output->out, "profile   %s (%s)\n", status->plan->profile_name, status->plan->profile_digest);
  strbuf_addf (&output->out, "backend   %s%s%s\n", status->plan->backend->name, status->runtime ? ": " : "",
               status->runtime ? status->runtime : "");
  strbuf_addf (&output->out, "posture   %s: %u of %u promised controls were verified on a run just now\n\n",
               overall_text (status->posture->overall), verified, promised);
}

/* One row: the controls whose names start with the same component as FIRST. Returns the next control. */
static enum control add_group (struct table *table, const struct posture *posture, enum control first)
{
  cleanup_strbuf struct strbuf names = { 0 }, count = { 0 };
  const char *group = control_info (first)->name;
  size_t length = strcspn (group, ".");
  unsigned promised = 0, verified = 0;
  enum tone worst = TONE_GOOD;
  enum control c = first;

  for (; c < CONTROL_COUNT && strncmp (control_info (c)->name, group, length + 1) == 0; c++) {
    const struct posture_control *state = &posture->controls[c];
    bool good = state->verdict == VERDICT_VERIFIED;

    if (!state->promised)
      continue;
    strbuf_addf (&names, "%s%s", promised++ ? ", " : "", control_info (c)->name + length + 1);
    verified += good;
    if (!good)
      strbuf_addf (&names, " (%s)", verdict_text (state->verdict));
    if (!good && worst != TONE_BAD)
      worst = tone_of (state->verdict);
  }
  if (promised == 0)
    return c;
  strbuf_addf (&count, "%.*s", (int) length, group);
  table_add (table, count.text);
  strbuf_clear (&count);
  strbuf_addf (&count, "%u of %u", verified, promised);
  table_add_tone (table, count.text, worst);
  table_add (table, names.text);
  table->failed = table->failed || names.failed || count.failed;
  return c;
}

static int print_short (const struct status *status, struct output *output, struct error *err)
{
  static const char *const heading[] = { "controls", "verified", "names" };
  cleanup_table struct table table = { .columns = ARRAY_LEN (heading), .keep = 1u << 0 | 1u << 1 };

  print_head (status, output);
  for (size_t i = 0; i < ARRAY_LEN (heading); i++)
    table_add_tone (&table, heading[i], TONE_BOLD);
  for (enum control c = 0; c < CONTROL_COUNT;)
    c = add_group (&table, status->posture, c);
  return table_print (&table, output, err);
}

static int print_text (const struct status *status, struct output *output, struct error *err)
{
  static const char *const heading[] = { "control", "required", "verdict", "seen by", "evidence" };
  cleanup_table struct table table = { .columns = ARRAY_LEN (heading), .keep = 1u << 0 | 1u << 2 };

  print_head (status, output);
  for (size_t i = 0; i < ARRAY_LEN (heading); i++)
    table_add_tone (&table, heading[i], TONE_BOLD);
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    const struct posture_control *state = &status->posture->controls[c];

    if (!state->promised)
      continue;
    table_add (&table, control_info (c)->name);
    table_add (&table, state->required ? "yes" : "no");
    table_add_tone (&table, verdict_text (state->verdict), tone_of (state->verdict));
    table_add (&table, seen_text (state->seen));
    table_add (&table, state->evidence);
  }
  return table_print (&table, output, err);
}

static int print (const struct status *status, const struct arguments *arguments, struct output *output,
                  struct error *err)
{
  cleanup_free char *text = NULL;
  int r;

  output->status = status->posture->overall == OVERALL_VIOLATED ? 1 : 0;
  if (arguments_have (arguments, OPTION_TYRUM))
    r = status_write_tyrum (status, &text, err);
  else if (arguments_have (arguments, OPTION_JSON))
    r = status_write (status, &text, err);
  else
    return arguments_have (arguments, OPTION_SHORT) ? print_short (status, output, err)
                                                    : print_text (status, output, err);
  if (r == 0)
    strbuf_add (&output->out, text);
  return r;
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_probe struct probe probe = { 0 };
  cleanup_session_outcome struct session_outcome run = { 0 };
  cleanup_error struct error unknown = { 0 };
  cleanup_free char *runtime = NULL;
  struct status status;
  int r;

  if (arguments_have (arguments, OPTION_TYRUM) + arguments_have (arguments, OPTION_JSON)
          + arguments_have (arguments, OPTION_SHORT)
      > 1)
    return error_set (err, CLI_USAGE, "--short, --tyrum and --json exclude each other");
  r = probe_open (&probe, arguments, "status", NULL, err);
  if (r == 0)
    r = probe_observe (&probe, &run, output, err);
  if (r < 0)
    return r;
  if (probe_version (&probe, &run, &runtime, &unknown) < 0)
    output_note (output, error_text (&unknown));
  status = (struct status){ run.plan, run.result.posture, runtime };
  return print (&status, arguments, output, err);
}

static const enum option options[] = { OPTIONS_OF_PROBE, OPTION_SHORT,      OPTION_JSON,
                                       OPTION_TYRUM,     OPTION_TOOLRUNNER, OPTION_COUNT };

static const struct verb_example examples[] = {
  { "tyrum-oci status --profile hardened", "what 'hardened' enforces here, control by control" },
  { "tyrum-oci status --profile hardened --short", "the same as a table of one screen" },
  { "tyrum-oci status --profile hardened --tyrum", "the five fields of Tyrum's /status.sandbox" },
  { NULL, NULL },
};

const struct verb verb_sandbox_status = {
  .path = "status",
  .summary = "show what a profile enforces on this host, verified now",
  .description =
      "Launches 'true' under the profile and backend that the options name, and shows what was promised "
      "and what was observed on that run. The answer holds for this host and this moment; every run is "
      "judged again. The exit status is 1 if a promise does not hold.\n\n"
      "With --json it is a document with hardening_profile, backend and posture. With --tyrum exactly "
      "the five fields that Tyrum's client accepts are printed, and nothing for a profile that does not "
      "hold or that has no name there. With --toolrunner profile, backend, root and limits are those of a "
      "step of the configured ToolRunner.",
  .options = options,
  .examples = examples,
  .run = run,
};
