/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spec: prints the document of a plan, or writes it as a bundle. */
#include <config.h>

#include <string.h>

#include "session-bundle.h"
#include "cli-verbs.h"
#include "options-session.h"
#include "plan-launch.h"

/* Checks that NAME is a document of some backend. */
static int check_target (const char *name, struct error *err)
{
  const char *names[BACKEND_MAX], *near;
  cleanup_strbuf struct strbuf list = { 0 };
  size_t count = 0;

  for (size_t i = 0; backends[i] != NULL; i++)
    if (count == 0 || strcmp (names[count - 1], backends[i]->document) != 0)
      names[count++] = backends[i]->document;
  for (size_t i = 0; i < count; i++) {
    strbuf_addf (&list, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", names[i]);
    if (strcmp (names[i], name) == 0)
      return 0;
  }
  near = str_nearest (name, names, count);
  if (near != NULL)
    return error_set (err, CLI_USAGE, "--target: there is no target '%s'; did you mean '%s'?", name, near);
  return list.failed
             ? error_oom (err)
             : error_set (err, CLI_USAGE, "--target: there is no target '%s'; there are %s", name, list.text);
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_context struct context context = { 0 };
  cleanup_plan struct plan *plan = NULL;
  cleanup_free char *document = NULL;
  const char *bundle = arguments_text (arguments, OPTION_BUNDLE);
  const char *name = arguments_text (arguments, OPTION_TARGET);
  struct session_request request = request_of_arguments (arguments, "spec");
  int r = name ? check_target (name, err) : 0;

  /* A document with the name of a backend is only for that backend. */
  if (request.backend == NULL && name != NULL && backend_named (name) != NULL)
    request.backend = name;
  if (r == 0)
    r = context_open (&context, &request, err);
  if (r == 0 && name != NULL && strcmp (context.request.backend->document, name) != 0)
    r = error_set (err, CLI_USAGE,
                   "--target: backend '%s' does not read the document '%s'; leave out --target or --backend",
                   context.request.backend->name, name);
  if (r == 0)
    r = context_plan (&context, &plan, err);
  if (r == 0)
    r = launch_planned (plan, &document, err);
  if (r == 0 && bundle != NULL && strcmp (plan->backend->document, "oci") != 0)
    r = error_set (err, CLI_USAGE, "--bundle: %s reads no bundle", plan->backend->name);
  if (r == 0 && bundle != NULL)
    r = bundle_write (bundle, plan, document, err);
  if (r < 0)
    return r;
  output_add_plan (output, plan);
  if (bundle == NULL)
    strbuf_add (&output->out, document);
  return 0;
}

static const enum option options[] = { OPTIONS_OF_REQUEST, OPTION_TARGET, OPTION_BUNDLE, OPTION_COUNT };

static const struct verb_example examples[] = {
  { "tyrum-oci spec --profile hardened -- make test", "print the config.json for a command" },
  { "tyrum-oci spec --bundle /tmp/b -- sh -c 'id; ls /' && crun run --bundle /tmp/b trial",
    "write a bundle and start it" },
  { NULL, NULL },
};

const struct verb verb_spec = {
  .path = "spec",
  .summary = "print the document under which a command would run",
  .description =
      "Builds the plan for a command and prints only the document that a runtime would get to standard "
      "output. What the plan leaves out, and why, goes to standard error. The same input gives the same "
      "bytes. Nothing is launched, and nothing is written without --bundle.",
  .operands = "[--] COMMAND [ARG...]",
  .min = 1,
  .command = true,
  .complete = COMPLETE_COMMAND,
  .options = options,
  .examples = examples,
  .run = run,
};
