/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* audit verify: whether the journal was modified. */
#include <config.h>

#include <string.h>

#include "base-number.h"
#include "cli-audit.h"
#include "cli-verbs.h"

static int parse_anchor (const char *text, uint64_t *ret_seq, const char **ret_hash, struct error *err)
{
  const char *colon = strchr (text, ':');
  cleanup_free char *number = colon ? strndup (text, (size_t) (colon - text)) : NULL;

  if (colon != NULL && number == NULL)
    return error_oom (err);
  if (colon == NULL || !number_parse (number, UINT64_MAX, ret_seq) || strlen (colon + 1) != SHA256_HEX - 1)
    return error_set (err, CLI_USAGE, "--anchor: '%s' is not NUMBER:HASH of a line", text);
  *ret_hash = colon + 1;
  return 0;
}

static char *place_of (const struct journal_verdict *verdict)
{
  if (verdict->bad_file == 0)
    return strdup ("");
  return str_format ("%020llu.jsonl:%llu: ", (unsigned long long) verdict->bad_file,
                     (unsigned long long) verdict->bad_line);
}

static int print_verdict (const struct journal_verdict *verdict, struct output *output, struct error *err)
{
  cleanup_free char *place = place_of (verdict);

  if (place == NULL)
    return error_oom (err);
  if (verdict->bad != NULL) {
    text_tone (&output->out, "bad", 3, TONE_BAD, output->colour);
    strbuf_addf (&output->out, ": %s", place);
    text_clean (&output->out, verdict->bad);
    strbuf_addf (&output->out, "; %llu lines before it are good\n", (unsigned long long) verdict->lines);
    return 0;
  }
  text_tone (&output->out, "good", 4, TONE_GOOD, output->colour);
  strbuf_addf (&output->out, ": %llu lines", (unsigned long long) verdict->lines);
  if (verdict->lines > 0)
    strbuf_addf (&output->out, ", %llu to %llu; anchor %llu:%s", (unsigned long long) verdict->first,
                 (unsigned long long) verdict->last, (unsigned long long) verdict->last, verdict->head);
  strbuf_add (&output->out, "\n");
  if (verdict->repaired > 0)
    output_note (output,
                 "some writers were killed in the middle of a line; the lines after them record that");
  if (verdict->torn > 0)
    output_note (output, "the last line is incomplete: its writer was killed, or is still writing");
  return 0;
}

static int print_verdict_json (const struct journal_verdict *verdict, struct output *output,
                               struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };

  json_object_begin (&w, NULL);
  json_string (&w, "schema", "tyrum-oci/audit-verify/1");
  json_bool (&w, "good", verdict->bad == NULL);
  json_number (&w, "lines", verdict->lines);
  json_number (&w, "first", verdict->first);
  json_number (&w, "last", verdict->last);
  json_string (&w, "hash", verdict->lines > 0 ? verdict->head : NULL);
  json_number (&w, "repaired", verdict->repaired);
  json_number (&w, "torn_bytes", verdict->torn);
  if (verdict->bad != NULL) {
    json_object_begin (&w, "bad");
    json_string (&w, "what", verdict->bad);
    json_number (&w, "file", verdict->bad_file);
    json_number (&w, "line", verdict->bad_line);
    json_object_end (&w);
  } else
    json_null (&w, "bad");
  json_object_end (&w);
  return json_finish_into (&w, &output->out, err);
}

static int verify (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_journal_verdict struct journal_verdict verdict = { 0 };
  const char *anchor = arguments_text (arguments, OPTION_ANCHOR), *hash = NULL;
  const char *from_text = arguments_text (arguments, OPTION_FROM);
  cleanup_free char *state = NULL;
  uint64_t from = 0, seq = 0;
  int r = anchor ? parse_anchor (anchor, &seq, &hash, err) : 0;

  if (r == 0 && from_text != NULL && !number_parse (from_text, UINT64_MAX, &from))
    r = error_set (err, CLI_USAGE, "--from: '%s' is not the number of a line", from_text);
  if (r == 0)
    r = audit_state (&state, err);
  if (r == 0)
    r = journal_verify (state, from, seq, hash, &verdict, err);
  if (r < 0)
    return r;
  output->status = verdict.bad ? 1 : 0;
  return arguments_have (arguments, OPTION_JSON) ? print_verdict_json (&verdict, output, err)
                                                 : print_verdict (&verdict, output, err);
}

static const enum option verify_options[] = { OPTION_ANCHOR, OPTION_FROM, OPTION_JSON, OPTION_COUNT };

static const struct verb_example verify_examples[] = {
  { "tyrum-oci audit verify", "find lines that were edited, dropped, added, moved or truncated" },
  { "tyrum-oci audit verify --anchor 1234:9f86d0...",
    "also check that the journal was not replaced since the anchor was printed" },
  { NULL, NULL },
};

const struct verb verb_audit_verify = {
  .path = "audit verify",
  .summary = "find the first modified line of the journal",
  .description =
      "Checks every line against its own hash, the previous line and the head, and names the first that "
      "does not match; the exit status is then 1. It prints an anchor, the number and hash of the last "
      "line. An anchor that is stored elsewhere shows later whether the whole journal was replaced, "
      "which the journal alone cannot show.",
  .options = verify_options,
  .examples = verify_examples,
  .run = verify,
};
