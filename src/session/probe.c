#include <config.h>

#include "session-probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend-program.h"
#include "session-launching.h"

void probe_clear (struct probe *probe)
{
  context_clear (&probe->context);
  scratch_clear (&probe->scratch);
}

void probe_run_clear (struct probe_run *run)
{
  plan_free (run->plan);
  run_result_clear (&run->result);
  *run = (struct probe_run){ 0 };
}

/* The arguments with PROFILE in the place of the one that they name. */
static int with_profile (const struct arguments *arguments, const char *profile, struct arguments *ret_copy,
                         struct error *err)
{
  cleanup_arguments struct arguments copy = { 0 };

  for (size_t i = 0; i < OPTION_COUNT; i++)
    if (i != OPTION_PROFILE && strlist_copy (&arguments->values[i], &copy.values[i]) < 0)
      return error_oom (err);
  if (strlist_add (&copy.values[OPTION_PROFILE], profile) < 0)
    return error_oom (err);
  *ret_copy = copy;
  copy = (struct arguments){ 0 };
  return 0;
}

int probe_open (struct probe *probe, const struct arguments *arguments, const char *via, const char *profile,
                struct error *err)
{
  cleanup_arguments struct arguments copy = { 0 };
  int r = profile ? with_profile (arguments, profile, &copy, err) : 0;

  if (profile == NULL)
    profile = arguments_text (arguments, OPTION_PROFILE);
  probe->via = via;
  probe->engine_socket = arguments_text (arguments, OPTION_ENGINE_SOCKET);
  probe->profile = profile ? profile : "baseline";
  if (r == 0)
    r = context_open_to_explain (&probe->context, copy.values[OPTION_PROFILE].count > 0 ? &copy : arguments,
                                 err);
  if (r < 0 || arguments_have (arguments, OPTION_WORKSPACE))
    return r;
  free (probe->context.request.workspace);
  probe->context.request.workspace = NULL;
  r = scratch_make (&probe->scratch, err);
  return r < 0 ? r : scratch_directory (&probe->scratch, "workspace", &probe->context.request.workspace, err);
}

static int set_argv (struct request *request, const char *const *argv, struct error *err)
{
  strlist_clear (&request->argv);
  for (; *argv != NULL; argv++)
    if (strlist_add (&request->argv, *argv) < 0)
      return error_oom (err);
  return 0;
}

int probe_launch (struct probe *probe, const char *const *argv, int out, struct probe_run *ret_run,
                  struct output *output, struct error *err)
{
  cleanup_launching struct launching launching = { 0 };
  cleanup_probe_run struct probe_run run = { 0 };
  const int streams[] = { -1, out, out };
  struct context *context = &probe->context;
  int r = set_argv (&context->request, argv, err);

  if (r == 0)
    r = launching_open (context, probe->via, probe->profile, &launching, err);
  if (r < 0)
    return r;
  launching.engine_socket = probe->engine_socket;
  r = context_plan (context, &run.plan, err);
  if (r < 0) {
    launching_refused (&launching, context, err);
    return r;
  }
  r = launching_run (&launching, context, run.plan, streams, &run.result, output, err);
  if (r < 0)
    return r;
  *ret_run = run;
  run = (struct probe_run){ 0 };
  return 0;
}

int probe_version (const struct probe *probe, const struct probe_run *run, char **ret_text, struct error *err)
{
  const struct backend_question question = { run->plan->backend, run->plan->runtime, probe->engine_socket };

  return question.backend->version (&question, ret_text, err);
}

int probe_observe (struct probe *probe, struct probe_run *ret_run, struct output *output, struct error *err)
{
  static const char *const argv[] = { "true", NULL };
  int r = probe_launch (probe, argv, -1, ret_run, output, err);

  if (r == 0 && ret_run->result.posture == NULL) {
    probe_run_clear (ret_run);
    return error_set (err, -ENODATA, "nothing of the run was observed");
  }
  return r;
}
