#include <config.h>

#include "session-launching.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-io-timeout.h"
#include "options-progress.h"
#include "session-paths.h"
#include "supervisor-prewarmed.h"

/* A run of its own does not wait longer for an engine that an earlier one has left something with. */
#define LEFT_ENGINE_MS 3000u

/* A note is not worth a second of a run's. */
#define NOTE_TRIES 10

void launching_clear (struct launching *launching)
{
  configuration_free (launching->configuration);
  audit_log_clear (&launching->trail);
  *launching = (struct launching){ 0 };
}

int launching_open (const struct context *context, const char *via, const char *profile,
                    struct launching *ret_launching, struct error *err)
{
  cleanup_launching struct launching launching = { .via = via, .profile = profile };
  int r = configuration_load (&context->store, &launching.configuration, err);

  if (r == 0)
    r = audit_log_open (context->host->storage_dir, launching.configuration, &launching.trail, err);
  if (r < 0)
    return r;
  /* The run has its directory already, and its name. */
  if (paths_prewarmed () != NULL)
    memcpy (launching.trail.run, run_prewarmed_id (paths_prewarmed ()), sizeof (launching.trail.run));
  *ret_launching = launching;
  launching = (struct launching){ 0 };
  return 0;
}

static struct audit_log_request asked_of (const struct launching *launching, const struct context *context)
{
  return (struct audit_log_request){ launching->via, launching->profile, &context->request, launching->more,
                                     launching->more_data };
}

void launching_refused (struct launching *launching, const struct context *context, const struct error *why)
{
  const struct audit_log_request asked = asked_of (launching, context);
  cleanup_error struct error ignored = { 0 };

  (void) audit_log_refused (&launching->trail, launching->told ? NULL : &asked, NULL, why, &ignored);
}

static int write_plan (struct launching *launching, const struct context *context, const struct plan *plan,
                       struct error *err)
{
  const struct audit_log_request asked = asked_of (launching, context);
  cleanup_free char *document = NULL;
  int r = plan->backend->render (plan, &document, err);

  if (r == 0)
    r = audit_log_planned (&launching->trail, &asked, context->profile, plan, document, err);
  launching->told = r == 0;
  return r;
}

static int write_start (void *data, const struct posture *posture, struct error *err)
{
  return audit_log_started (data, posture, err);
}

int launching_refusal (const struct plan *plan, const struct run_result *result, struct error *ret_refusal)
{
  cleanup_free char *broken = posture_broken_text (result->posture);

  if (broken == NULL)
    return error_oom (ret_refusal);
  return error_set (ret_refusal, -EPERM,
                    "the command was not started: the run does not keep what profile '%s' promises: %s",
                    plan->profile_name, broken);
}

static int write_end (struct launching *launching, const struct plan *plan, const struct run_result *result,
                      struct error *err)
{
  cleanup_error struct error refusal = { 0 };

  if (result->reason != RUN_REFUSED)
    return audit_log_ended (&launching->trail, plan, result, err);
  launching_refusal (plan, result, &refusal);
  return audit_log_refused (&launching->trail, NULL, result->posture, &refusal, err);
}

/* What is said while the run goes on cannot wait for its end. */
static void note_now (const char *line)
{
  cleanup_strbuf struct strbuf text = { 0 };

  strbuf_add (&text, "tyrum-oci: note: ");
  text_clean (&text, line);
  strbuf_add (&text, "\n");
  /* Nobody is left to tell if this fails, too. */
  if (!text.failed)
    (void) io_timeout_write (STDERR_FILENO, text.text, text.len, NOTE_TRIES);
}

int launching_run (struct launching *launching, const struct context *context, struct plan *plan,
                   const int streams[3], struct run_result *ret_result, struct output *output,
                   struct error *err)
{
  cleanup_free char *init = paths_program ("tyrum-oci-init");
  cleanup_free char *daemon = paths_program ("tyrum-oci-libcrun-helper");
  struct trail *trail = &launching->trail;
  struct progress progress;
  const struct run_options options = { .host = context->host,
                                       .plan = plan,
                                       .init = init,
                                       .cache = context->host->storage_dir,
                                       .tell =
                                           progress_init (&progress, STDERR_FILENO) ? progress_tell : NULL,
                                       .tell_data = &progress,
                                       .daemon = daemon,
                                       .launch = paths_helper (),
                                       .prewarmed = paths_prewarmed (),
                                       .in = streams[0],
                                       .out = streams[1],
                                       .err = streams[2],
                                       .id = trail->run,
                                       .on_start = write_start,
                                       .on_start_data = trail,
                                       .cut_output = launching->cut_output,
                                       .last = launching->last,
                                       .keep_override = launching->keep_override,
                                       .engine_socket = launching->engine_socket,
                                       .pull = launching->pull,
                                       .note = note_now };
  struct error left = { 0 };
  unsigned finished;
  int r;

  if (init == NULL || daemon == NULL)
    return error_oom (err);
  r = write_plan (launching, context, plan, err);
  if (r < 0)
    return r;
  paths_set_prewarmed (NULL);
  /* What an earlier run left is finished first; that it cannot be is no reason not to run. A sandbox that was
   * held ready has done so when it was made. */
  if (options.prewarmed == NULL && run_gc (context->host, LEFT_ENGINE_MS, &finished, &left) < 0)
    error_clear (&left);
  r = run_execute (&options, ret_result, err);
  if (r < 0)
    launching_refused (launching, context, err);
  /* The command has run, so this is no reason to hide how it ended. */
  else if (write_end (launching, plan, ret_result, &left) < 0) {
    output_note (output, error_text (&left));
    error_clear (&left);
  }
  if (trail->note != NULL)
    output_note (output, trail->note);
  return r;
}
