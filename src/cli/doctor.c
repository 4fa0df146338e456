/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* doctor: what this host has, what is missing and what to do; and whether the shipped profiles hold here. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "backend-program.h"
#include "cli-verbs.h"
#include "doctor-host.h"
#include "doctor-status.h"
#include "options-table.h"
#include "session-paths.h"
#include "doctor-probe.h"

#define PROFILES 2

static const char *const tried[PROFILES] = { "baseline", "hardened" };

/* What was asked, and stays as long as the report is made. */
struct patient {
  struct host_facts *host;
  char *versions[BACKEND_MAX]; /* as BACKENDS has them */
  struct doctor_runtime runtimes[BACKEND_MAX];
  size_t count;
  char *advice;
  char *told[PROFILES];
  struct doctor_profile profiles[PROFILES];
};

static void patient_clear (struct patient *patient)
{
  host_facts_free (patient->host);
  free (patient->advice);
  for (size_t i = 0; i < BACKEND_MAX; i++)
    free (patient->versions[i]);
  for (size_t i = 0; i < PROFILES; i++)
    free (patient->told[i]);
}

/* What to do where libcrun is not in the build, and USED takes its place. */
static char *advice_for_first (const struct backend *used)
{
  if (used != NULL && used != backends[0])
    return str_format (
        "%s is used where no backend is named; contrib/libcrun-headers and a new build bring it", used->name);
  return strdup (
      "install crun or runc, or run contrib/libcrun-headers and build again; nothing can be run without");
}

static void look_for_runtimes (const struct session_process *process, struct patient *patient)
{
  const struct backend *used = paths_default_backend (process);
  cleanup_free char *helper = process->helper ? NULL : paths_program ("tyrum-oci-libcrun-helper");

  for (size_t i = 0; backends[i] != NULL; i++, patient->count++) {
    cleanup_error struct error ignored = { 0 };
    const struct backend_question question = { .backend = backends[i] };
    bool absent = backends[i]->missing != NULL && !backends[i]->ready (backends[i], helper);

    if (absent && patient->advice == NULL)
      patient->advice = advice_for_first (used);
    if (absent || backends[i]->version (&question, &patient->versions[i], &ignored) < 0)
      patient->versions[i] = NULL;
    patient->runtimes[i] = (struct doctor_runtime){ .name = backends[i]->name,
                                                    .version = patient->versions[i],
                                                    .why = absent ? backends[i]->missing : "not found",
                                                    .advice = absent ? patient->advice : NULL };
  }
}

static char *verdict_words (const struct posture *posture)
{
  cleanup_free char *broken = posture_broken_text (posture);
  unsigned promised, verified;

  status_count (posture, &promised, &verified);
  return str_format ("%s: %u of %u promised controls were verified on a run%s%s",
                     overall_text (posture->overall), verified, promised,
                     broken && broken[0] != '\0' ? ": " : "", broken ? broken : "");
}

static int try_profile (const struct arguments *arguments, const char *name, struct doctor_profile *profile,
                        char **ret_told, struct output *output, struct error *err)
{
  cleanup_probe struct probe probe = { 0 };
  cleanup_session_outcome struct session_outcome run = { 0 };
  cleanup_error struct error why = { 0 };
  int r = probe_open (&probe, arguments, "doctor", name, &why);

  if (r == 0)
    r = probe_observe (&probe, &run, output, &why);
  if (r == CLI_USAGE)
    return error_set (err, r, "%s", error_text (&why));
  *ret_told = r < 0 ? strdup (error_text (&why)) : verdict_words (run.result.posture);
  *profile =
      (struct doctor_profile){ name, r == 0 && run.result.posture->overall != OVERALL_VIOLATED, *ret_told };
  return *ret_told ? 0 : error_oom (err);
}

static int print_text (const struct doctor *doctor, const struct patient *patient, struct output *output,
                       struct error *err)
{
  static const enum tone tones[] = { TONE_GOOD, TONE_WARN, TONE_BAD };
  cleanup_table struct table table = { .columns = 4, .keep = 1u << 0 | 1u << 1 };
  static const char *const heading[] = { "what", "state", "found", "what to do" };

  for (size_t i = 0; i < ARRAY_LEN (heading); i++)
    table_add_tone (&table, heading[i], TONE_BOLD);
  for (size_t i = 0; i < doctor->count; i++) {
    const struct doctor_row *row = &doctor->rows[i];

    table_add (&table, row->name);
    table_add_tone (&table, doctor_state_text (row->state), tones[row->state]);
    table_add (&table, row->found);
    table_add (&table, row->advice ? row->advice : "");
  }
  for (size_t i = 0; i < PROFILES; i++) {
    bool ready = patient->profiles[i].ready;

    table_add (&table, tried[i]);
    table_add_tone (&table, ready ? "ready" : "not ready", ready ? TONE_GOOD : TONE_BAD);
    table_add (&table, patient->profiles[i].told);
    table_add (&table, "");
  }
  return table_print (&table, output, err);
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup (patient_clear) struct patient patient = { 0 };
  cleanup_doctor struct doctor doctor = { 0 };
  cleanup_free char *text = NULL;
  int r = host_look (&patient.host, err);

  if (r < 0)
    return r;
  look_for_runtimes (arguments->process, &patient);
  for (size_t i = 0; i < PROFILES && r == 0; i++)
    r = try_profile (arguments, tried[i], &patient.profiles[i], &patient.told[i], output, err);
  if (r == 0)
    r = doctor_look_over (patient.host, patient.runtimes, patient.count, &doctor, err);
  if (r < 0)
    return r;
  for (size_t i = 0; i < PROFILES; i++)
    if (!patient.profiles[i].ready)
      output->status = 1;
  if (!arguments_have (arguments, OPTION_JSON))
    return print_text (&doctor, &patient, output, err);
  r = doctor_write (&doctor, patient.profiles, PROFILES, &text, err);
  if (r == 0)
    strbuf_add (&output->out, text);
  return r;
}

static const enum option options[] = { OPTION_BACKEND, OPTION_RUNTIME, OPTION_JSON, OPTION_COUNT };

const struct verb verb_doctor = {
  .path = "doctor",
  .summary = "look whether this host is ready, and say what to do",
  .description =
      "Shows what this host has of what runs need: kernel, cgroups, ids, filters, runtimes with their "
      "versions, "
      "engines' sockets; each with what to do where it is missing. Then it launches 'true' under 'baseline' "
      "and "
      "under 'hardened', and tells the verdict. The exit status is 0 where both hold, and 1 where one does "
      "not.\n\n"
      "good: as it should be. less: goes without, with less. bad: a shipped profile needs it.",
  .options = options,
  .run = run,
};
