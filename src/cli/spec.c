/* spec: the document that a plan becomes, printed or written as a bundle. */
#include <config.h>

#include <string.h>

#include "cli-bundle.h"
#include "cli-verbs.h"
#include "session-context.h"
#include "session-render.h"

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_context struct context context = { 0 };
  cleanup_plan struct plan *plan = NULL;
  cleanup_free char *document = NULL;
  const char *bundle = arguments_text (arguments, OPTION_BUNDLE);
  const char *name = arguments_text (arguments, OPTION_TARGET);
  const struct target *target = NULL;
  int r = name ? render_find (name, &target, err) : 0;

  if (r == 0)
    r = context_open (&context, arguments, err);
  if (r == 0 && name == NULL)
    r = render_of_backend (context.request.backend, &target, err);
  if (r == 0)
    r = render_check_backend (target, context.request.backend, err);
  if (r == 0)
    r = context_plan (&context, &plan, err);
  if (r == 0)
    r = target->write (plan, &document, err);
  if (r == 0 && bundle != NULL && backend_is_engine (plan->backend))
    r = error_set (err, CLI_USAGE, "--bundle: %s reads no bundle", backend_name (plan->backend));
  if (r == 0 && bundle != NULL)
    r = bundle_write (bundle, plan, document, err);
  if (r < 0)
    return r;
  context_add_notes (plan, output);
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
  .description = "Builds the plan for a command and prints the document that a runtime would get, on "
                 "standard output and "
                 "nothing else. What the plan leaves out, and why, is said on standard error. The same input "
                 "prints the same "
                 "bytes. Nothing is launched, and nothing is written unless --bundle says so.",
  .operands = "[--] COMMAND [ARG...]",
  .min = 1,
  .command = true,
  .complete = COMPLETE_COMMAND,
  .options = options,
  .examples = examples,
  .run = run,
};
