/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check: whether a live run has changed since it was judged; with --operator: whether the
 * sandbox holds on this host. */
#include <config.h>

#include <inttypes.h>

#include "base-json-write.h"
#include "cli-verbs.h"
#include "doctor-operator.h"
#include "host-facts.h"
#include "options-table.h"
#include "proof-check.h"

/* What cannot be observed from outside about this run; "" for nothing, NULL when memory ran out. */
static char *not_seen (const struct run_check *check)
{
  if (!check->inside)
    return str_format (
        "processes, mounts and namespaces on the kernel of %s cannot be seen from outside; only "
        "the limits of its cgroup were compared",
        check->backend);
  if (check->unseen > 0)
    return str_format ("the namespaces of %zu host processes are not visible: a process among them that "
                       "joined the run without its cgroup would not be found",
                       check->unseen);
  return str_format ("%s", "");
}

static void write_findings (struct json_writer *w, const struct drift *drift)
{
  json_array_begin (w, "findings");
  for (size_t i = 0; i < drift->count; i++) {
    const struct drift_finding *finding = &drift->items[i];

    json_object_begin (w, NULL);
    json_string (w, "control", control_info (finding->control)->name);
    if (finding->process != NULL) {
      json_number (w, "pid", finding->pid);
      json_string (w, "process", finding->process);
    }
    json_string (w, "was", finding->was);
    json_string (w, "is", finding->is);
    json_object_end (w);
  }
  json_array_end (w);
}

static int print_json (const char *id, const struct run_check *check, const char *unknown,
                       struct output *output, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };

  json_object_begin (&w, NULL);
  json_string (&w, "schema", "tyrum-oci/check/1");
  json_string (&w, "run", id);
  json_string (&w, "profile", check->profile);
  json_string (&w, "backend", check->backend);
  json_bool (&w, "drift", check->drift.count > 0);
  json_number (&w, "processes", check->processes);
  json_string (&w, "not_seen", unknown[0] != '\0' ? unknown : NULL);
  write_findings (&w, &check->drift);
  json_object_end (&w);
  return json_finish_into (&w, &output->out, err);
}

static void add_finding (struct table *table, const struct drift_finding *finding)
{
  cleanup_free char *who = finding->process ? str_format ("%s[%" PRIu64 "]", finding->process, finding->pid)
                                            : str_format ("%s", "the run");

  table_add_tone (table, control_info (finding->control)->name, TONE_BAD);
  table_add (table, who);
  table_add (table, finding->was);
  table_add (table, finding->is);
  table->failed = table->failed || who == NULL;
}

static int print_text (const char *id, const struct run_check *check, const char *unknown,
                       struct output *output, struct error *err)
{
  static const char *const heading[] = { "control", "who", "was", "is" };
  cleanup_table struct table table = { .columns = ARRAY_LEN (heading), .keep = 1u << 0 };
  int r = 0;

  for (size_t i = 0; i < ARRAY_LEN (heading); i++)
    table_add_tone (&table, heading[i], TONE_BOLD);
  for (size_t i = 0; i < check->drift.count; i++)
    add_finding (&table, &check->drift.items[i]);
  if (check->drift.count > 0)
    r = table_print (&table, output, err);
  else if (check->inside)
    strbuf_addf (&output->out, "run %s: nothing has changed; %zu processes compared\n", id, check->processes);
  else
    strbuf_addf (&output->out, "run %s: nothing has changed that can be seen\n", id);
  if (r == 0 && unknown[0] != '\0')
    output_note (output, unknown);
  return r;
}

static int check_live (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_host_facts struct host_facts *host = NULL;
  cleanup_run_check struct run_check check = { 0 };
  const char *id = arguments->operands.items[0];
  cleanup_free char *unknown = NULL;
  int r = host_look (&host, err);

  if (r == 0)
    r = run_check (host, id, &check, err);
  if (r < 0)
    return r;
  unknown = not_seen (&check);
  if (unknown == NULL)
    return error_oom (err);
  output->status = check.drift.count > 0 ? 1 : 0;
  return arguments_have (arguments, OPTION_JSON) ? print_json (id, &check, unknown, output, err)
                                                 : print_text (id, &check, unknown, output, err);
}

/* The profile and backend of a live run are fixed. */
static int refuse_request_options (const struct arguments *arguments, struct error *err)
{
  static const enum option of_request[] = { OPTIONS_OF_PROBE };

  for (size_t i = 0; i < ARRAY_LEN (of_request); i++)
    if (arguments_have (arguments, of_request[i]))
      return error_set (err, CLI_USAGE,
                        "--%s needs --operator; the profile and backend of a live run are fixed",
                        option_info (of_request[i])->name);
  return 0;
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  bool checklist = arguments_have (arguments, OPTION_OPERATOR);
  int r;

  if (checklist != (arguments->operands.count == 0))
    return error_set (err, CLI_USAGE, "'check' needs either the id of a live run or --operator");
  if (checklist)
    return operator_check (arguments, output, err);
  r = refuse_request_options (arguments, err);
  return r < 0 ? r : check_live (arguments, output, err);
}

static const enum option options[] = { OPTION_OPERATOR, OPTIONS_OF_PROBE, OPTION_JSON, OPTION_COUNT };

static const struct verb_example examples[] = {
  { "tyrum-oci check r-0123456789abcdef", "changes in a live run since it was judged" },
  { "tyrum-oci check --operator --profile hardened", "run the operator's checklist" },
  { NULL, NULL },
};

const struct verb verb_check = {
  .path = "check",
  .summary = "check a live run again, or run the operator's checklist",
  .description =
      "With the id of a live run: observes it again from outside and compares that with what was "
      "observed when it was judged. It finds a limit that was raised, a mount that was added, removed "
      "or changed, other ids or namespaces, and every process in the run's cgroup or in any of its "
      "namespaces that has more than the run's first process had: another user, a capability, no "
      "no_new_privileges, fewer filters, another label, a namespace or a cgroup that is not the run's. "
      "The exit status is 1 if something has changed. The check does not prevent: a value that was "
      "raised and lowered again before it is not found.\n\n"
      "With --operator: launches short commands under the profile and backend that the options name, "
      "and reports for each of five points whether it holds: the runtime and its version; files of the "
      "host and of another run, and secrets, that cannot be read; no network; limits that end what "
      "exceeds them; and runs that are recorded. Each attempt that must fail is paired with one that "
      "must work. The exit status is 1 if a point does not hold or is open.",
  .operands = "[RUN]",
  .min = 0,
  .max = 1,
  .options = options,
  .examples = examples,
  .run = run,
};
