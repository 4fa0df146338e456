/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "toolrunner-output-contract.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-json-write.h"
#include "base-limits.h"
#include "base-str.h"
#include "toolrunner-json-schema.h"

/* Beneath 'evidence' and 'json' in the StepResult. */
#define EVIDENCE_DEPTH (JSON_WRITE_DEPTH - 2)

/* The largest output that a step can ask for is half a megabyte, in which a value takes two bytes at least;
 * a replaced byte becomes three. */
#define READ_NODES ((size_t) 600 * 1000)
#define READ_BYTES (LIMIT_PAYLOAD_BYTES * 3)

/* ---- JSON of JavaScript. */

static bool is_hex (const char *digits, size_t len)
{
  return len >= 4 && strspn (digits, "0123456789abcdefABCDEF") >= 4;
}

static bool starts_with (const char *digits, const char *first, const char *second)
{
  return strchr (first, digits[0]) != NULL && strchr (second, digits[1]) != NULL;
}

/* Replaces escapes that are a NUL or half a surrogate pair by U+FFFD, in place. */
static void replace_escapes (char *text, size_t len)
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
    if (memcmp (digits, "0000", 4) == 0 || starts_with (digits, "dD", "cdefCDEF"))
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

int javascript_json_read (const char *name, const char *text, size_t len, unsigned depth,
                          struct json_node **ret_tree, struct error *err)
{
  const struct json_limits limits = { READ_BYTES,           depth,
                                      READ_NODES,           .comments = false,
                                      .string = READ_BYTES, .javascript = true };
  cleanup_strbuf struct strbuf copy = { 0 };

  strbuf_add (&copy, "");
  while (len > 0) {
    size_t bad, good = str_utf8_prefix (text, len, &bad);

    strbuf_add_bytes (&copy, text, good);
    if (bad > 0)
      strbuf_add (&copy, "\xef\xbf\xbd");
    text += good + bad;
    len -= good + bad;
  }
  if (copy.failed)
    return error_oom (err);
  replace_escapes (copy.text, copy.len);
  return json_read (name, copy.text, copy.len, &limits, ret_tree, err);
}

/* ---- The contract. */

struct contract {
  bool json;
  const struct json_node *schema; /* NULL: none */
};

static const struct json_node *member (const struct json_node *object, const char *key)
{
  return object != NULL && object->type == JSON_OBJECT ? json_get (object, key) : NULL;
}

static struct contract read_contract (const struct json_node *args)
{
  const struct json_node *output = member (member (args, "__playbook"), "output");
  const struct json_node *type = member (output, "type"), *schema = member (output, "schema");
  const struct json_node *kind = output != NULL && output->type == JSON_STRING ? output : type;
  bool json = kind != NULL && kind->type == JSON_STRING && strcmp (kind->text, "json") == 0;
  bool usable = schema != NULL && (schema->type == JSON_OBJECT || schema->type == JSON_BOOL);

  return (struct contract){ json, json && usable ? schema : NULL };
}

/* *RET_VIOLATION is NULL where the contract holds. */
static int find_violation (const struct contract *contract, const struct json_node *parsed, bool truncated,
                           char **ret_violation, struct error *err)
{
  cleanup_strbuf struct strbuf text = { 0 }, problems = { 0 };

  if (!contract->json)
    return 0;
  if (truncated)
    strbuf_add (&text, "Output contract violated: stdout was truncated");
  else if (parsed == NULL)
    strbuf_add (&text, "Output contract violated: expected JSON stdout");
  else if (contract->schema == NULL || json_schema_matches (contract->schema, parsed, &problems))
    return 0;
  else
    strbuf_addf (&text, "Output contract violated: stdout failed schema validation (%s)",
                 problems.len > 0 ? problems.text : "");
  *ret_violation = problems.failed ? NULL : strbuf_take (&text);
  return *ret_violation ? 0 : error_oom (err);
}

int output_contract_check (const struct json_node *args, const char *text, size_t len, bool truncated,
                           struct json_node **ret_parsed, char **ret_violation, struct error *err)
{
  const struct contract contract = read_contract (args);
  cleanup_error struct error not_json = { 0 };
  cleanup_json struct json_node *parsed = NULL;
  char *violation = NULL;
  int r = len > 0 ? javascript_json_read ("stdout", text, len, EVIDENCE_DEPTH, &parsed, &not_json) : 0;

  r = r == -ENOMEM ? error_oom (err) : find_violation (&contract, parsed, truncated, &violation, err);
  if (r < 0)
    return r;
  *ret_parsed = take_ptr (parsed);
  *ret_violation = violation;
  return 0;
}
