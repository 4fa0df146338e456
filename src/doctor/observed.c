/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "doctor-observed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend-program.h"
#include "doctor-probe.h"

/* Promises every control. Those that no backend enforces are waived below. */
static const char profile_text[] =
    "{ \"version\": 1, \"name\": \"everything\", \"extends\": \"hardened\",\n"
    "  \"meaning\": \"Every control at once, to be observed.\",\n"
    "  \"filesystem\": { \"root\": \"%s\" },\n"
    "  \"process\": { \"user_namespace\": \"%s\", \"tools\": [\"/usr/bin/true\"] },\n"
    "  \"limits\": { \"pids\": 512, \"disk\": \"1G\", \"idle\": \"5m\", \"output_rate\": \"1M\" },\n"
    "  \"budget\": { \"runs\": 1 },\n"
    "  \"secrets\": [ { \"name\": \"token\", \"source\": \"%s\" } ] }\n";

/* Everything together, and its two halves. */
enum { ALL, WITHOUT_NAMESPACE, WITHOUT_READ_ONLY, VARIANTS };

static const struct {
  const char *file, *root, *user_namespace;
} variants[VARIANTS] = {
  [ALL] = { "all.json", "read-only", "private" },
  [WITHOUT_NAMESPACE] = { "without-namespace.json", "read-only", "host" },
  [WITHOUT_READ_ONLY] = { "without-read-only.json", "writable-layer", "private" },
};

/* The files that the observed runs need. */
struct fixture {
  struct scratch scratch;
  char *workspace;
  char *profiles[VARIANTS];
  const char *image; /* for engines; NULL: none */
  struct session_process *process;
};

static void fixture_clear (struct fixture *fixture)
{
  scratch_clear (&fixture->scratch);
  free (fixture->workspace);
  for (size_t i = 0; i < VARIANTS; i++)
    free (fixture->profiles[i]);
}

void observed_clear (struct observed *observed)
{
  free (observed->kernel);
  for (size_t b = 0; backends[b] != NULL; b++) {
    free (observed->backends[b].version);
    free (observed->backends[b].absent);
    free (observed->backends[b].apart);
    for (enum control c = 0; c < CONTROL_COUNT; c++)
      free (observed->backends[b].cells[c].evidence);
  }
}

/* Creates what is to be observed: a secret, a hidden file, a workspace. */
static int set_up (struct fixture *fixture, struct error *err)
{
  cleanup_free char *hidden = NULL;
  cleanup_free char *secret = NULL;
  int r = scratch_make (&fixture->scratch, err);

  if (r == 0)
    r = scratch_directory (&fixture->scratch, "workspace", &fixture->workspace, err);
  if (r == 0)
    r = scratch_file (&fixture->scratch, "workspace/master.key", "hidden\n", 0644, &hidden, err);
  if (r == 0)
    r = scratch_file (&fixture->scratch, "token", "secret\n", 0400, &secret, err);
  for (size_t i = 0; i < VARIANTS && r == 0; i++) {
    cleanup_free char *text = str_format (profile_text, variants[i].root, variants[i].user_namespace, secret);

    r = text ? scratch_file (&fixture->scratch, variants[i].file, text, 0644, &fixture->profiles[i], err)
             : error_oom (err);
  }
  return r;
}

static int accept_all (struct strlist *accepted, struct error *err)
{
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    if (c != CONTROL_ISOLATION_TYPE && strlist_add (accepted, control_info (c)->name) < 0)
      return error_oom (err);
  return 0;
}

/* Of two observations of a control the worse one counts. */
static int take_cells (const struct session_outcome *run, struct observed_backend *backend, struct error *err)
{
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    const struct posture_control *state = &run->result.posture->controls[c];
    struct observed_cell *cell = &backend->cells[c];

    if (!state->promised || (cell->evidence != NULL && state->observed == VERDICT_VERIFIED))
      continue;
    free (cell->evidence);
    cell->verdict = state->observed;
    cell->host_lacks = run->plan->controls[c].reason != NULL;
    cell->evidence = strdup (state->evidence);
    if (cell->evidence == NULL)
      return error_oom (err);
  }
  return 0;
}

static int observe_variant (size_t b, const struct fixture *fixture, size_t variant,
                            struct observed_backend *backend, struct error *err)
{
  cleanup_strlist struct strlist accepted = { 0 };
  const struct probe probe = { .request = { SESSION_REQUEST, .process = fixture->process, .via = "matrix",
                                            .profile = fixture->profiles[variant], .caller_env = environ,
                                            .workspace = fixture->workspace, .accepted = &accepted,
                                            .backend = backends[b]->name,
                                            .image = backends[b]->images_only ? fixture->image : NULL } };
  cleanup_session_outcome struct session_outcome run = { 0 };
  cleanup_output struct output notes = { 0 }; /* dropped: the waivers are intended */
  int r = accept_all (&accepted, err);

  if (r == 0)
    r = probe_observe (&probe, &run, &notes, err);
  return r < 0 ? r : take_cells (&run, backend, err);
}

static int observe_one (size_t b, const struct fixture *fixture, struct observed_backend *backend,
                        struct error *err)
{
  cleanup_error struct error why = { 0 };
  int r = observe_variant (b, fixture, ALL, backend, &why);

  if (r == 0)
    return 0;
  backend->apart = strdup (error_text (&why));
  if (backend->apart == NULL)
    return error_oom (err);
  r = observe_variant (b, fixture, WITHOUT_NAMESPACE, backend, err);
  return r < 0 ? r : observe_variant (b, fixture, WITHOUT_READ_ONLY, backend, err);
}

/* "6.18 x86_64" for "6.18.44-x" and "x86_64". */
static char *kernel_text (const struct host_facts *host)
{
  size_t len = strcspn (host->kernel, ".");

  if (host->kernel[len] == '.')
    len += 1 + strspn (host->kernel + len + 1, "0123456789");
  return str_format ("%.*s %s", (int) len, host->kernel, host->machine);
}

int observed_look (struct session_process *process, const char *image, struct observed *ret_observed,
                   struct error *err)
{
  cleanup_observed struct observed observed = { 0 };
  cleanup (fixture_clear) struct fixture fixture = { .image = image, .process = process };
  cleanup_host_facts struct host_facts *host = NULL;
  int r = host_look (&host, err);

  if (r == 0)
    r = set_up (&fixture, err);
  if (r < 0)
    return r;
  observed.kernel = kernel_text (host);
  for (size_t b = 0; backends[b] != NULL; b++) {
    struct observed_backend *backend = &observed.backends[b];
    cleanup_error struct error why = { 0 };

    if (backends[b]->images_only && image == NULL)
      r = error_set (&why, -ENOENT, "no image to start: give --image");
    else
      r = backends[b]->version (&(struct backend_question){ .backend = backends[b] }, &backend->version,
                                &why);
    if (r == 0)
      r = observe_one (b, &fixture, backend, &why);
    if (r < 0)
      backend->absent = strdup (error_text (&why));
    if (observed.kernel == NULL || r == -ENOMEM || (r < 0 && backend->absent == NULL))
      return error_oom (err);
  }
  *ret_observed = observed;
  observed = (struct observed){ 0 };
  return 0;
}

bool observed_was_here (const struct observed *observed, size_t backend)
{
  return observed->backends[backend].absent == NULL;
}

bool observed_has_failed (const struct observed *observed, size_t backend)
{
  return observed->backends[backend].version != NULL && observed->backends[backend].absent != NULL;
}

bool observed_is_wrong (const struct observed *observed, enum control control, size_t backend)
{
  const struct observed_cell *cell = &observed->backends[backend].cells[control];

  return observed_was_here (observed, backend) && !cell->host_lacks
         && enforcement_of (control, backends[backend]).level == ENFORCEMENT_ENFORCED
         && cell->verdict != VERDICT_VERIFIED;
}

const char *observed_text (const struct observed *observed, enum control control, size_t backend)
{
  const struct observed_cell *cell = &observed->backends[backend].cells[control];
  struct enforcement declared = enforcement_of (control, backends[backend]);

  if (!observed_was_here (observed, backend))
    return "not available";
  if (declared.level != ENFORCEMENT_ENFORCED)
    return enforcement_text (declared.level);
  if (cell->host_lacks)
    return "not on this host";
  return cell->verdict == VERDICT_VERIFIED   ? "verified"
         : cell->verdict == VERDICT_VIOLATED ? "VIOLATED"
                                             : "UNVERIFIED";
}
