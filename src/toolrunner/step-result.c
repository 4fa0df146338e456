/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "toolrunner-step-result.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-json-write.h"
#include "base-limits.h"
#include "toolrunner-output-contract.h"

/* A model reads the error, so a few are enough; the rest is in the document. */
#define DENIALS_SHOWN 3

/* In the summary, if there is room. */
#define DENIALS_SUMMED 8
#define NOTES_SUMMED   4

/* Bytes of one text in the summary. */
#define SUMMED_MAX 160u

static const char *text_of (const struct json_node *object, const char *key)
{
  const struct json_node *node = object->type == JSON_OBJECT ? json_get (object, key) : NULL;

  return node != NULL && node->type == JSON_STRING ? node->text : NULL;
}

static size_t count_items (const struct json_node *array)
{
  return array != NULL && array->type == JSON_ARRAY ? array->count : 0;
}

/* ---- What is told of the sandbox. */

/* TEXT, cut at SUMMED_MAX bytes; half a character at the cut becomes U+FFFD. */
static void sum_text (struct json_writer *w, const char *key, const char *text)
{
  if (text != NULL)
    json_bytes (w, key, text, strnlen (text, SUMMED_MAX));
}

static void copy_if_there (struct json_writer *w, const struct json_node *object, const char *key)
{
  const struct json_node *node = json_get (object, key);

  if (node != NULL)
    json_copy (w, key, node);
}

static void sum_exit (struct json_writer *w, const struct json_node *end)
{
  if (end == NULL || end->type != JSON_OBJECT)
    return;
  json_object_begin (w, "exit");
  copy_if_there (w, end, "code");
  copy_if_there (w, end, "signal");
  copy_if_there (w, end, "killed");
  copy_if_there (w, end, "reason");
  sum_text (w, "error", text_of (end, "error"));
  json_object_end (w);
}

/* At most COUNT of the denials, and how many are left out. */
static void sum_denials (struct json_writer *w, const struct json_node *denials, size_t count)
{
  static const char *const keys[] = { "control", "what", "confidence" };
  size_t all = count_items (denials), shown = all < count ? all : count;

  json_array_begin (w, "denials");
  for (size_t i = 0; i < shown; i++) {
    json_object_begin (w, NULL);
    for (size_t k = 0; k < ARRAY_LEN (keys); k++)
      sum_text (w, keys[k], text_of (denials->items[i], keys[k]));
    json_object_end (w);
  }
  json_array_end (w);
  if (shown < all)
    json_number (w, "denials_left_out", all - shown);
}

static void write_notes (struct json_writer *w, const struct strlist *notes, size_t count, size_t bytes)
{
  if (notes == NULL || notes->count == 0 || count == 0)
    return;
  json_array_begin (w, "notes");
  for (size_t i = 0; i < notes->count && i < count; i++)
    json_bytes (w, NULL, notes->items[i], strnlen (notes->items[i], bytes));
  json_array_end (w);
}

/* Verdict, digest, denials and the run's id, under the same names as in the whole document. */
static int write_summary (const struct json_node *document, const struct strlist *notes, size_t count,
                          char **ret_text, struct error *err)
{
  const struct json_node *profile = json_get (document, "profile"), *posture = json_get (document, "posture");
  cleanup_json_writer struct json_writer w = { 0 };

  json_object_begin (&w, NULL);
  json_string (&w, "schema", "tyrum-oci/result-summary/1");
  copy_if_there (&w, document, "run");
  if (profile != NULL && profile->type == JSON_OBJECT) {
    json_object_begin (&w, "profile");
    sum_text (&w, "name", text_of (profile, "name"));
    sum_text (&w, "digest", text_of (profile, "digest"));
    json_object_end (&w);
  }
  sum_text (&w, "backend", text_of (document, "backend"));
  json_object_begin (&w, "posture");
  json_string (&w, "verdict", posture != NULL ? text_of (posture, "verdict") : NULL);
  json_object_end (&w);
  sum_exit (&w, json_get (document, "exit"));
  sum_denials (&w, json_get (document, "denials"), count);
  write_notes (&w, notes, count < NOTES_SUMMED ? count : NOTES_SUMMED, SUMMED_MAX);
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}

static int read_document (const char *text, struct json_node **ret_tree, struct error *err)
{
  static const struct json_limits limits = { LIMIT_PAYLOAD_BYTES, LIMIT_PAYLOAD_DEPTH, LIMIT_PAYLOAD_NODES,
                                             .comments = false };
  int r = json_read ("result", text, strlen (text), &limits, ret_tree, err);

  if (r == 0 && (*ret_tree)->type != JSON_OBJECT) {
    json_free (*ret_tree);
    *ret_tree = NULL;
    r = error_set (err, -EBADMSG, "result: expected an object");
  }
  return r;
}

/* What becomes cost.metadata.sandbox of DOCUMENT, as text. */
static int sum_up (const struct answer_sandbox *sandbox, const struct json_node *document,
                   struct json_node **ret_tree, struct error *err)
{
  int r = 0;

  for (size_t count = DENIALS_SUMMED + 1; r == 0 && count-- > 0;) {
    cleanup_free char *text = NULL;

    r = write_summary (document, sandbox->notes, count, &text, err);
    if (r == 0 && (strlen (text) <= SANDBOX_SUMMARY_MAX || count == 0))
      return read_document (text, ret_tree, err);
  }
  return r;
}

/* SUMMARY or DOCUMENT. The document is the one of `run --result`, and has no notes: they stand beside it. */
static void write_sandbox (struct json_writer *w, const struct answer_sandbox *given,
                           const struct json_node *document, const struct json_node *summary)
{
  json_copy (w, "sandbox", summary ? summary : document);
  if (summary == NULL)
    write_notes (w, given->notes, SIZE_MAX, LIMIT_STRING_BYTES);
}

/* ---- Why the step failed. */

/* What is not why the step failed; and the deadline, which has words of its own. */
static bool is_aside (const struct json_node *denial)
{
  const struct json_node *aside = denial->type == JSON_OBJECT ? json_get (denial, "aside") : NULL;
  const char *control = text_of (denial, "control");

  return (aside != NULL && aside->type == JSON_BOOL && aside->flag)
         || (control != NULL && strcmp (control, "limits.wall") == 0);
}

static bool is_inferred (const struct json_node *denial)
{
  const char *confidence = text_of (denial, "confidence");

  return confidence != NULL && strcmp (confidence, "inferred") == 0;
}

static void add_denials (const struct json_node *sandbox, struct strbuf *out)
{
  const struct json_node *denials = json_get (sandbox, "denials");
  size_t all = count_items (denials), count = 0;

  for (size_t i = 0; i < all; i++) {
    const char *control = text_of (denials->items[i], "control"), *what = text_of (denials->items[i], "what");

    if (is_aside (denials->items[i]) || ++count > DENIALS_SHOWN)
      continue;
    strbuf_addf (out, "%s%s", count == 1 ? "; denied by the sandbox: " : ", ", what ? what : "something");
    if (control != NULL)
      strbuf_addf (out, " (%s%s)", control, is_inferred (denials->items[i]) ? ", inferred" : "");
  }
  if (count > DENIALS_SHOWN)
    strbuf_addf (out, " and %zu more", count - DENIALS_SHOWN);
}

#define SIGNAL_NAME 32

static const char *signal_name (int number, char name[SIGNAL_NAME])
{
  const char *known = sigabbrev_np (number);

  if (known != NULL)
    snprintf (name, SIGNAL_NAME, "SIG%s", known);
  else
    snprintf (name, SIGNAL_NAME, "signal %d", number);
  return name;
}

static void add_spawn_error (struct strbuf *out, const char *command, int errnum)
{
  const char *name = strerrorname_np (errnum);

  strbuf_addf (out, "spawn %s %s", command, name ? name : strerror (errnum));
}

/* Tyrum's words for how the command ended; after them what Tyrum has no words for. */
static void describe (const struct answer_run *run, struct strbuf *out)
{
  const struct run_result *result = run->result;
  char name[SIGNAL_NAME];

  if (result == NULL && run->end_signal > 0)
    strbuf_addf (out, "toolrunner terminated by signal %s", signal_name (run->end_signal, name));
  else if (result == NULL)
    strbuf_addf (out, "sandbox: %s", error_text (run->why));
  if (result == NULL)
    return;
  if (result->end_signal > 0)
    strbuf_addf (out, "toolrunner terminated by signal %s", signal_name (result->end_signal, name));
  else if (result->exec_errno != 0)
    strbuf_add (out, "command failed with exit code unknown");
  else if (result->signal > 0)
    strbuf_addf (out, "command terminated by signal %s", signal_name (result->signal, name));
  else if (result->reason != RUN_DEADLINE)
    strbuf_addf (out, "command failed with exit code %d", result->code);
  if (result->reason == RUN_DEADLINE)
    strbuf_addf (out, "%stimed out after %llu ms", out->len > 0 ? "; " : "",
                 (unsigned long long) run->timeout_ms);
  else if (result->reason == RUN_LIMIT)
    strbuf_addf (out, "; a limit of the sandbox was reached: %s",
                 result->idle                     ? "limits.idle"
                 : result->counters.oom_kills > 0 ? "limits.memory"
                                                  : "limits.pids");
}

/* ---- The command's end and output. */

/* The exit code is not known after a signal, the deadline, or where nothing was executed. A signal that ended
 * the command because the gateway ended the step is not the command's own end. */
static void write_end (struct json_writer *w, const struct run_result *result)
{
  bool unknown = result->signal > 0 || result->end_signal > 0 || result->exec_errno != 0
                 || result->reason == RUN_DEADLINE;
  char name[SIGNAL_NAME];

  if (unknown)
    json_null (w, "exit_code");
  else
    json_integer (w, "exit_code", result->code);
  if (result->signal > 0 && result->end_signal == 0)
    json_string (w, "signal", signal_name (result->signal, name));
}

static void write_output (struct json_writer *w, const struct answer_run *run)
{
  json_bytes (w, "stdout", run->text[0], run->len[0]);
  json_bytes (w, "stderr", run->text[1], run->len[1]);
}

static void write_result (struct json_writer *w, const struct answer_run *run, bool ok)
{
  const struct run_result *result = run->result;

  json_object_begin (w, "result");
  json_bool (w, "ok", ok);
  write_end (w, result);
  write_output (w, run);
  json_bool (w, "truncated", result->out_cut || result->err_cut);
  json_bool (w, "stdout_truncated", result->out_cut);
  json_bool (w, "stderr_truncated", result->err_cut);
  json_object_end (w);
}

/* What was printed, where that is JSON; else how the command ended. */
static void write_evidence (struct json_writer *w, const struct answer_run *run,
                            const struct json_node *parsed)
{
  json_object_begin (w, "evidence");
  if (parsed != NULL)
    json_copy (w, "json", parsed);
  else {
    json_object_begin (w, "json");
    write_end (w, run->result);
    write_output (w, run);
    json_object_end (w);
  }
  json_object_end (w);
}

/* DOCUMENT is all that is known of the run, and SUMMARY what is told of it; NULL: all of it. Both NULL:
 * nothing was run. */
static int write_answer (const struct answer_run *run, const struct json_node *document,
                         const struct json_node *summary, char **ret_line, struct error *err)
{
  const struct run_result *result = run->result;
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_json struct json_node *parsed = NULL;
  cleanup_strbuf struct strbuf error = { 0 };
  cleanup_free char *violation = NULL;
  bool ok = result != NULL && result->reason == RUN_EXITED && result->code == 0 && result->exec_errno == 0
            && result->end_signal == 0;
  int r = 0;

  if (result != NULL)
    r = output_contract_check (run->args, run->text[0], run->len[0], result->out_cut, &parsed, &violation,
                               err);
  if (r < 0)
    return r;
  json_object_begin (&w, NULL);
  json_bool (&w, "success", ok && violation == NULL);
  if (!ok) {
    describe (run, &error);
    if (document != NULL)
      add_denials (document, &error);
  } else if (violation != NULL)
    strbuf_add (&error, violation);
  if (error.failed)
    return error_oom (err);
  if (error.len > 0)
    json_bytes (&w, "error", error.text, error.len);
  if (result != NULL) {
    write_result (&w, run, ok);
    write_evidence (&w, run, parsed);
  }
  if (document != NULL) {
    json_object_begin (&w, "cost");
    json_number (&w, "duration_ms", result ? result->wall_ms : 0);
    json_object_begin (&w, "metadata");
    write_sandbox (&w, &run->sandbox, document, summary);
    json_object_end (&w);
    json_object_end (&w);
  }
  json_object_end (&w);
  return json_finish (&w, ret_line, err);
}

int answer_not_spawned (const char *command, int errnum, char **ret_line, struct error *err)
{
  static const struct json_node none = { .type = JSON_OBJECT };
  const struct run_result result = { .reason = RUN_EXITED, .code = 127, .exec_errno = errnum };
  const struct answer_run run = { .command = command, .args = &none, .result = &result, .text = { "", "" } };

  return answer_command (&run, ret_line, err);
}

int answer_command (const struct answer_run *given, char **ret_line, struct error *err)
{
  struct answer_run run = *given;
  cleanup_json struct json_node *document = NULL, *summary = NULL;
  cleanup_strbuf struct strbuf spawn_error = { 0 };
  int r = run.sandbox.document ? read_document (run.sandbox.document, &document, err) : 0;

  if (r == 0 && document != NULL && !run.sandbox.full)
    r = sum_up (&run.sandbox, document, &summary, err);
  if (r < 0)
    return r;
  if (run.result != NULL && run.result->exec_errno != 0) {
    add_spawn_error (&spawn_error, run.command, run.result->exec_errno);
    if (spawn_error.failed)
      return error_oom (err);
    run.text[0] = "";
    run.text[1] = spawn_error.text;
    run.len[0] = 0;
    run.len[1] = spawn_error.len;
  }
  return write_answer (&run, document, summary, ret_line, err);
}

int answer_failure (const char *error, bool policy, char **ret_line, struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };

  json_object_begin (&w, NULL);
  json_bool (&w, "success", false);
  json_bytes (&w, "error", error, strlen (error));
  if (policy)
    json_string (&w, "failureKind", "policy");
  json_object_end (&w);
  return json_finish (&w, ret_line, err);
}

/* ---- What a ToolRunner inside answered. */

/* The members of OBJECT, but for those that are added. */
static void copy_members (struct json_writer *w, const struct json_node *object, const char *except,
                          const char *second)
{
  for (size_t i = 0; object != NULL && i < object->count; i++)
    if (strcmp (object->keys[i].name, except) != 0 && strcmp (object->keys[i].name, second) != 0)
      json_copy (w, object->keys[i].name, object->items[i]);
}

static const struct json_node *object_in (const struct json_node *object, const char *key)
{
  const struct json_node *node = object ? json_get (object, key) : NULL;

  return node != NULL && node->type == JSON_OBJECT ? node : NULL;
}

int answer_runner (const char *line, size_t len, const struct answer_sandbox *sandbox, char **ret_line,
                   struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_json struct json_node *answer = NULL, *document = NULL, *summary = NULL;
  const struct json_node *success, *cost, *metadata;
  int r = read_document (sandbox->document, &document, err);

  if (r == 0 && !sandbox->full)
    r = sum_up (sandbox, document, &summary, err);
  if (r < 0)
    return r;
  r = javascript_json_read ("answer", line, len, JSON_WRITE_DEPTH - 1, &answer, err);
  success = r == 0 && answer->type == JSON_OBJECT ? json_get (answer, "success") : NULL;
  if (r == 0 && (success == NULL || success->type != JSON_BOOL))
    r = error_set (err, -EBADMSG, "answer: it has no 'success' that is true or false");
  if (r < 0)
    return r == -ENOMEM ? r : (err->code = -EBADMSG);
  cost = object_in (answer, "cost");
  metadata = object_in (cost, "metadata");
  json_object_begin (&w, NULL);
  copy_members (&w, answer, "cost", "cost");
  json_object_begin (&w, "cost");
  copy_members (&w, cost, "metadata", "metadata");
  json_object_begin (&w, "metadata");
  copy_members (&w, metadata, "sandbox", summary ? "sandbox" : "notes");
  write_sandbox (&w, sandbox, document, summary);
  json_object_end (&w);
  json_object_end (&w);
  json_object_end (&w);
  return json_finish (&w, ret_line, err);
}
