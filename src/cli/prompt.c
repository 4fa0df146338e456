/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* prompt: the Sandbox section of a model's system prompt, from what was just verified. */
#include <config.h>

#include "cli-verbs.h"
#include "doctor-prompt.h"
#include "doctor-probe.h"

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_probe struct probe probe = { 0 };
  cleanup_session_outcome struct session_outcome run = { 0 };
  cleanup_free char *text = NULL;
  int r = probe_open (&probe, arguments, "prompt", NULL, err);

  if (r == 0)
    r = probe_observe (&probe, &run, output, err);
  if (r == 0)
    r = prompt_write (run.plan, run.result.posture, &text, err);
  if (r == 0)
    strbuf_add (&output->out, text);
  return r;
}

static const enum option options[] = { OPTIONS_OF_PROBE, OPTION_TOOLRUNNER, OPTION_COUNT };

const struct verb verb_prompt = {
  .path = "prompt",
  .summary = "print the Sandbox section for a model's system prompt",
  .description =
      "Launches 'true' under the profile and backend that the options name, and describes what a model "
      "can do inside: what it can write, whether it has a network, which limits hold, and what to do "
      "when something is denied. Only what was verified on that run is included. The section has fewer "
      "than 1,200 characters. With --toolrunner it is for steps of Tyrum: profile, backend and root are "
      "the configured ones, and time and output are those that the ToolRunner's contract gives a command.",
  .options = options,
  .run = run,
};
