/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output contracts on any bytes: up to the first line break a schema, after it what a command printed. The
 * answer is yes or no with a reason, text of bounded length, and the same a second time. */
#include <config.h>

#include "toolrunner-json-schema.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toolrunner-output-contract.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define INVARIANT(condition)                                                                                 \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf (stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                        \
      abort ();                                                                                              \
    }                                                                                                        \
  } while (0)

/* What is wrong, or "". */
static char *problems_of (const struct json_node *schema, const struct json_node *value)
{
  cleanup_strbuf struct strbuf problems = { 0 };
  bool matches = json_schema_matches (schema, value, &problems);
  char *text;

  INVARIANT (!problems.failed && matches == (problems.len == 0) && problems.len < 4096);
  strbuf_add (&problems, "");
  text = strbuf_take (&problems);
  INVARIANT (text != NULL);
  return text;
}

static void check_contract (const struct json_node *args, const char *output, size_t size)
{
  cleanup_json struct json_node *parsed = NULL;
  cleanup_error struct error err = { 0 };
  cleanup_free char *violation = NULL;

  INVARIANT (output_contract_check (args, output, size, false, &parsed, &violation, &err) == 0);
  INVARIANT (parsed != NULL || violation != NULL);
  if (parsed != NULL) {
    const struct json_node *schema = json_get (json_get (json_get (args, "__playbook"), "output"), "schema");
    cleanup_free char *once = problems_of (schema, parsed), *again = problems_of (schema, parsed);

    INVARIANT (strcmp (once, again) == 0);
    INVARIANT ((violation == NULL) == (once[0] == '\0'));
  }
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const struct json_limits limits = { 65536, 32, 10000, .comments = false };
  const char *text = (const char *) data, *end = size > 0 ? memchr (text, '\n', size) : NULL;
  size_t len = end ? (size_t) (end - text) : size;
  cleanup_strbuf struct strbuf contract = { 0 };
  cleanup_json struct json_node *args = NULL;
  cleanup_error struct error ignored = { 0 };
  const struct json_node *schema;

  strbuf_add (&contract, "{\"__playbook\":{\"output\":{\"type\":\"json\",\"schema\":");
  strbuf_add_bytes (&contract, text, len);
  strbuf_add (&contract, "}}}");
  INVARIANT (!contract.failed);
  if (json_read ("args", contract.text, contract.len, &limits, &args, &ignored) < 0)
    return 0;
  schema = json_get (json_get (json_get (args, "__playbook"), "output"), "schema");
  if (schema == NULL || (schema->type != JSON_OBJECT && schema->type != JSON_BOOL))
    return 0;
  check_contract (args, end ? end + 1 : "", end ? size - len - 1 : 0);
  return 0;
}
