/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* doctor: what this host has, what is missing and what to do, and whether the shipped profiles hold here. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend-program.h"
#include "base-json-read.h"
#include "base-limits.h"
#include "cli-verbs.h"
#include "doctor-host.h"
#include "doctor-status.h"
#include "options-table.h"
#include "session-context.h"
#include "session-paths.h"
#include "doctor-probe.h"

#define PROFILES 2

static const char *const tried[PROFILES] = { "baseline", "hardened" };

/* The findings, which live as long as the report is made. */
struct findings {
  struct host_facts *host;
  char *versions[BACKEND_MAX]; /* in the order of BACKENDS */
  struct doctor_runtime runtimes[BACKEND_MAX];
  size_t count;
  char *advice;
  char *told[PROFILES];
  struct doctor_profile profiles[PROFILES];
};

static void findings_clear (struct findings *findings)
{
  host_facts_free (findings->host);
  free (findings->advice);
  for (size_t i = 0; i < BACKEND_MAX; i++)
    free (findings->versions[i]);
  for (size_t i = 0; i < PROFILES; i++)
    free (findings->told[i]);
}

/* The advice where libcrun is not in the build and USED is the default instead. */
static char *advice_for_first (const struct backend *used)
{
  if (used != NULL && used != backends[0])
    return str_format ("%s is the default instead; to add it run contrib/libcrun-headers and build again",
                       used->name);
  return strdup ("no command can run: install crun or runc, or run contrib/libcrun-headers and build again");
}

static void look_for_runtimes (const struct session_process *process, struct findings *findings)
{
  const struct backend *used = paths_default_backend (process);
  cleanup_free char *helper = process->helper ? NULL : paths_program ("tyrum-oci-libcrun-helper");

  for (size_t i = 0; backends[i] != NULL; i++, findings->count++) {
    cleanup_error struct error ignored = { 0 };
    const struct backend_question question = { .backend = backends[i] };
    bool absent = backends[i]->missing != NULL && !backends[i]->ready (backends[i], helper);

    if (absent && findings->advice == NULL)
      findings->advice = advice_for_first (used);
    if (absent || backends[i]->version (&question, &findings->versions[i], &ignored) < 0)
      findings->versions[i] = NULL;
    findings->runtimes[i] = (struct doctor_runtime){ .name = backends[i]->name,
                                                     .version = findings->versions[i],
                                                     .why = absent ? backends[i]->missing : "not found",
                                                     .advice = absent ? findings->advice : NULL };
  }
}

static char *probe_verdict (const struct posture *posture)
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
  *ret_told = r < 0 ? strdup (error_text (&why)) : probe_verdict (run.result.posture);
  *profile =
      (struct doctor_profile){ name, r == 0 && run.result.posture->overall != OVERALL_VIOLATED, *ret_told };
  return *ret_told ? 0 : error_oom (err);
}

static int print_text (const struct doctor *doctor, const struct findings *findings, struct output *output,
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
    bool ready = findings->profiles[i].ready;

    table_add (&table, tried[i]);
    table_add_tone (&table, ready ? "ready" : "not ready", ready ? TONE_GOOD : TONE_BAD);
    table_add (&table, findings->profiles[i].told);
    table_add (&table, "");
  }
  return table_print (&table, output, err);
}

static const struct json_node *member (const struct json_node *object, const char *key)
{
  return object != NULL && object->type == JSON_OBJECT ? json_get (object, key) : NULL;
}

/* Where a document of the gateway's has the profile: its status, or its deployment configuration. */
static const char *gateways_profile (const struct json_node *tree)
{
  const struct json_node *found[] = {
    member (member (tree, "sandbox"), "hardening_profile"), member (tree, "hardening_profile"),
    member (member (tree, "toolrunner"), "hardeningProfile"),
    member (member (member (tree, "config"), "toolrunner"), "hardeningProfile")
  };

  for (size_t i = 0; i < ARRAY_LEN (found); i++)
    if (found[i] != NULL && found[i]->type == JSON_STRING)
      return found[i]->text;
  return NULL;
}

static int read_gateway (struct json_node **ret_tree, struct error *err)
{
  static const struct json_limits limits = { LIMIT_PAYLOAD_BYTES, LIMIT_PAYLOAD_DEPTH, LIMIT_PAYLOAD_NODES,
                                             .comments = false };
  cleanup_strbuf struct strbuf text = { 0 };
  char buffer[16384];
  ssize_t n = 0;

  while (text.len <= LIMIT_PAYLOAD_BYTES && (n = read (STDIN_FILENO, buffer, sizeof (buffer))) > 0)
    strbuf_add_bytes (&text, buffer, (size_t) n);
  if (n < 0)
    return error_set_errno (err, errno, "--tyrum: read standard input");
  if (text.failed)
    return error_oom (err);
  return json_read ("standard input", text.len > 0 ? text.text : "", text.len, &limits, ret_tree, err);
}

/* Tyrum shows the profile of its own configuration, whatever steps really get. */
static int compare (const struct arguments *arguments, struct doctor *doctor, struct output *output,
                    struct error *err)
{
  const struct configuration *configuration;
  cleanup_json struct json_node *tree = NULL;
  cleanup_context struct context context = { 0 };
  cleanup_profile struct profile *claimed = NULL, *ours = NULL;
  const char *theirs;
  int r = session_process_configuration (arguments->process, &configuration, err);

  if (r == 0)
    r = read_gateway (&tree, err);
  if (r < 0)
    return r;
  theirs = gateways_profile (tree);
  if (theirs == NULL)
    return error_set (
        err, -EINVAL,
        "--tyrum: standard input has neither sandbox.hardening_profile (the gateway's /status) nor "
        "toolrunner.hardeningProfile (its deployment configuration)");
  /* Tyrum's resolver turns a name that it does not know into 'baseline'. */
  if (strcmp (theirs, "hardened") != 0)
    theirs = "baseline";
  r = context_open_store (&context, err);
  if (r == 0)
    r = profile_load (&context.store, theirs, &claimed, err);
  if (r == 0)
    r = profile_load (&context.store, configuration->profile ? configuration->profile : "baseline", &ours,
                      err);
  if (r < 0)
    return r;
  if (doctor_compare_profiles (doctor, claimed, ours))
    output->status = 1;
  return doctor->failed ? error_oom (err) : 0;
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup (findings_clear) struct findings findings = { 0 };
  cleanup_doctor struct doctor doctor = { 0 };
  cleanup_free char *text = NULL;
  int r = host_look (&findings.host, err);

  if (r < 0)
    return r;
  look_for_runtimes (arguments->process, &findings);
  for (size_t i = 0; i < PROFILES && r == 0; i++)
    r = try_profile (arguments, tried[i], &findings.profiles[i], &findings.told[i], output, err);
  if (r == 0)
    r = doctor_look_over (findings.host, findings.runtimes, findings.count, &doctor, err);
  if (r == 0 && arguments_have (arguments, OPTION_GATEWAY))
    r = compare (arguments, &doctor, output, err);
  if (r < 0)
    return r;
  for (size_t i = 0; i < PROFILES; i++)
    if (!findings.profiles[i].ready)
      output->status = 1;
  if (!arguments_have (arguments, OPTION_JSON))
    return print_text (&doctor, &findings, output, err);
  r = doctor_write (&doctor, findings.profiles, PROFILES, &text, err);
  if (r == 0)
    strbuf_add (&output->out, text);
  return r;
}

static const enum option options[] = { OPTION_BACKEND, OPTION_RUNTIME, OPTION_JSON, OPTION_GATEWAY,
                                       OPTION_COUNT };

const struct verb verb_doctor = {
  .path = "doctor",
  .summary = "check whether this host is ready, and what to do if not",
  .description =
      "Shows what this host has of what runs need: kernel, cgroups, ids, filters, runtimes with their "
      "versions, sockets of engines; each with what to do where it is missing. Then it launches 'true' "
      "under 'baseline' and under 'hardened', and reports the verdicts. The exit status is 0 if both "
      "hold, and 1 otherwise.\n\n"
      "With --tyrum it reads a document of the gateway from standard input, its /status or its deployment "
      "configuration, and reports whether steps get the profile that is named there. The exit status is 1 "
      "if steps get a profile that is looser than the one that the gateway claims, in any setting.\n\n"
      "good: as it should be. less: works with less. bad: a shipped profile needs it.",
  .options = options,
  .run = run,
};
