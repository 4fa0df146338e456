/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "doctor-probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend-program.h"
#include "options-session.h"
#include "session-process.h"
#include "toolrunner-run-step.h"

void probe_clear (struct probe *probe)
{
  scratch_clear (&probe->scratch);
  free (probe->workspace);
  *probe = (struct probe){ 0 };
}

int probe_open (struct probe *probe, const struct arguments *arguments, const char *via, const char *profile,
                struct error *err)
{
  const struct configuration *configuration = NULL;
  int r = 0;

  probe->request = request_of_arguments (arguments, via);
  probe->request.workspace_optional = true;
  if (profile != NULL)
    probe->request.profile = profile;
  if (arguments_have (arguments, OPTION_TOOLRUNNER))
    r = session_process_configuration (arguments->process, &configuration, err);
  if (r == 0 && configuration != NULL)
    r = toolrunner_request (&probe->request, configuration, err);
  if (r < 0 || probe->request.workspace != NULL)
    return r;
  r = scratch_make (&probe->scratch, err);
  if (r == 0)
    r = scratch_directory (&probe->scratch, "workspace", &probe->workspace, err);
  probe->request.workspace_instead = probe->workspace;
  return r;
}

int probe_launch (const struct probe *probe, const char *const *argv, int out,
                  struct session_outcome *ret_run, struct output *output, struct error *err)
{
  struct session_request request = probe->request;
  cleanup_strlist struct strlist command = { 0 };
  struct output_sink data;
  const struct session_sink sink = output_sink_init (&data, output);

  data.quiet = true;
  for (; *argv != NULL; argv++)
    if (strlist_add (&command, *argv) < 0)
      return error_oom (err);
  request.argv = &command;
  request.streams[1] = request.streams[2] = out;
  return session_run (&request, &sink, ret_run, err);
}

int probe_version (const struct probe *probe, const struct session_outcome *run, char **ret_text,
                   struct error *err)
{
  const struct backend_question question = { run->plan->backend, run->plan->runtime,
                                             probe->request.engine_socket };

  return question.backend->version (&question, ret_text, err);
}

int probe_observe (const struct probe *probe, struct session_outcome *ret_run, struct output *output,
                   struct error *err)
{
  static const char *const argv[] = { "true", NULL };
  int r = probe_launch (probe, argv, -1, ret_run, output, err);

  if (r == 0 && ret_run->result.posture == NULL)
    return error_set (err, -ENODATA, "nothing of the run was observed");
  return r;
}
