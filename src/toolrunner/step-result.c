/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "toolrunner-step-result.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-json-write.h"
#include "base-limits.h"
#include "base-str.h"

/* A model reads it, so a few are enough; all of them are in the document. */
#define DENIALS_SHOWN 3

static int read_sandbox (const char *sandbox, struct json_node **ret_tree, struct error *err)
{
  static const struct json_limits limits = { LIMIT_PAYLOAD_BYTES, JSON_WRITE_DEPTH - 4, LIMIT_PAYLOAD_NODES,
                                             .comments = false };

  return json_read ("result", sandbox, strlen (sandbox), &limits, ret_tree, err);
}

/* {"duration_ms": 12, "metadata": {"sandbox": {...}}} */
static void write_cost (struct json_writer *w, uint64_t duration_ms, const struct json_node *sandbox)
{
  json_object_begin (w, "cost");
  json_number (w, "duration_ms", duration_ms);
  json_object_begin (w, "metadata");
  json_copy (w, "sandbox", sandbox);
  json_object_end (w);
  json_object_end (w);
}

static const char *text_of (const struct json_node *object, const char *key)
{
  const struct json_node *node = object->type == JSON_OBJECT ? json_get (object, key) : NULL;

  return node != NULL && node->type == JSON_STRING ? node->text : NULL;
}

/* What happened besides, and is not why the step failed; and the time that ran out, which is said in the
 * contract's own words. */
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
  size_t all = denials != NULL && denials->type == JSON_ARRAY ? denials->count : 0, count = 0;

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

/* Why it failed, in a few words. */
static void describe (const struct run_result *result, const struct error *why, uint64_t timeout_ms,
                      struct strbuf *out)
{
  char name[SIGNAL_NAME];

  if (result == NULL)
    strbuf_addf (out, "sandbox: %s", error_text (why));
  else if (result->exec_errno != 0)
    strbuf_addf (out, "cannot execute the command: %s", strerror (result->exec_errno));
  else if (result->reason == RUN_DEADLINE)
    strbuf_addf (out, "timed out after %llu ms", (unsigned long long) timeout_ms);
  else if (result->reason == RUN_LIMIT)
    strbuf_addf (out, "a limit of the sandbox was reached: %s",
                 result->counters.oom_kills > 0 ? "limits.memory" : "limits.pids");
  else if (result->signal > 0)
    strbuf_addf (out, "ended by %s", signal_name (result->signal, name));
  else
    strbuf_addf (out, "exit code %d", result->code);
}

static void write_result (struct json_writer *w, const struct run_result *result, bool ok,
                          const struct answer_output *said)
{
  static const char *const names[] = { "stdout", "stderr" };
  bool signalled = result->signal > 0 || result->reason == RUN_DEADLINE;
  char name[SIGNAL_NAME];

  json_object_begin (w, "result");
  json_bool (w, "ok", ok);
  if (signalled)
    json_null (w, "exit_code");
  else
    json_integer (w, "exit_code", result->code);
  if (result->signal > 0)
    json_string (w, "signal", signal_name (result->signal, name));
  for (size_t i = 0; i < ARRAY_LEN (names); i++)
    json_bytes (w, names[i], said->text[i], said->len[i]);
  json_bool (w, "truncated", result->out_cut || result->err_cut);
  json_bool (w, "stdout_truncated", result->out_cut);
  json_bool (w, "stderr_truncated", result->err_cut);
  json_object_end (w);
}

int answer_command (const struct run_result *result, const struct error *why, uint64_t timeout_ms,
                    const struct answer_output *said, const char *sandbox, char **ret_line, struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_json struct json_node *tree = NULL;
  cleanup_strbuf struct strbuf error = { 0 };
  bool ok = result != NULL && result->reason == RUN_EXITED && result->code == 0;
  int r = read_sandbox (sandbox, &tree, err);

  if (r < 0)
    return r;
  json_object_begin (&w, NULL);
  json_bool (&w, "success", ok);
  if (result != NULL)
    write_result (&w, result, ok, said);
  if (!ok) {
    describe (result, why, timeout_ms, &error);
    add_denials (tree, &error);
    if (error.failed)
      return error_oom (err);
    json_bytes (&w, "error", error.text, error.len);
  }
  write_cost (&w, result ? result->wall_ms : 0, tree);
  json_object_end (&w);
  return json_finish (&w, ret_line, err);
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

static bool is_hex (const char *digits, size_t len)
{
  return len >= 4 && strspn (digits, "0123456789abcdefABCDEF") >= 4;
}

static bool starts_with (const char *digits, const char *first, const char *second)
{
  return strchr (first, digits[0]) != NULL && (second == NULL || strchr (second, digits[1]) != NULL);
}

/* JavaScript writes a NUL and half a surrogate pair as escapes; C strings and UTF-8 have no place for either.
 * They become U+FFFD, in place. */
static void tame (char *text, size_t len)
{
  for (size_t i = 0; i + 1 < len; i++) {
    char *digits = text + i + 2;
    size_t left = len - i - 2;

    if (text[i] != '\\')
      continue;
    i++;
    if (text[i] != 'u' || !is_hex (digits, left))
      continue;
    i += 4;
    if (memcmp (digits, "0000", 4) == 0 || (starts_with (digits, "dD", "cdefCDEF")))
      memcpy (digits, "fffd", 4);
    else if (starts_with (digits, "dD", "89abAB")) {
      bool pair = left >= 10 && digits[4] == '\\' && digits[5] == 'u' && is_hex (digits + 6, left - 6)
                  && starts_with (digits + 6, "dD", "cdefCDEF");

      if (pair)
        i += 6;
      else
        memcpy (digits, "fffd", 4);
    }
  }
}

/* The members of OBJECT, but for the one that is added. */
static void copy_members (struct json_writer *w, const struct json_node *object, const char *except)
{
  for (size_t i = 0; object != NULL && i < object->count; i++)
    if (strcmp (object->keys[i].name, except) != 0)
      json_copy (w, object->keys[i].name, object->items[i]);
}

static const struct json_node *object_in (const struct json_node *object, const char *key)
{
  const struct json_node *node = object ? json_get (object, key) : NULL;

  return node != NULL && node->type == JSON_OBJECT ? node : NULL;
}

int answer_runner (const char *line, size_t len, const char *sandbox, char **ret_line, struct error *err)
{
  static const struct json_limits limits = { LIMIT_PAYLOAD_BYTES, JSON_WRITE_DEPTH - 1, LIMIT_PAYLOAD_NODES,
                                             .comments = false, .string = LIMIT_PAYLOAD_BYTES };
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_json struct json_node *answer = NULL, *document = NULL;
  cleanup_free char *copy = malloc (len + 1);
  const struct json_node *success, *cost, *metadata;
  int r = copy ? read_sandbox (sandbox, &document, err) : error_oom (err);

  if (r < 0)
    return r;
  memcpy (copy, line, len);
  copy[len] = '\0';
  tame (copy, len);
  r = json_read ("answer", copy, len, &limits, &answer, err);
  success = r == 0 && answer->type == JSON_OBJECT ? json_get (answer, "success") : NULL;
  if (r == 0 && (success == NULL || success->type != JSON_BOOL))
    r = error_set (err, -EBADMSG, "answer: it has no 'success' that is true or false");
  if (r < 0)
    return r == -ENOMEM ? r : (err->code = -EBADMSG);
  cost = object_in (answer, "cost");
  metadata = object_in (cost, "metadata");
  json_object_begin (&w, NULL);
  copy_members (&w, answer, "cost");
  json_object_begin (&w, "cost");
  copy_members (&w, cost, "metadata");
  json_object_begin (&w, "metadata");
  copy_members (&w, metadata, "sandbox");
  json_copy (&w, "sandbox", document);
  json_object_end (&w);
  json_object_end (&w);
  json_object_end (&w);
  return json_finish (&w, ret_line, err);
}
