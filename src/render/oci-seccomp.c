/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "render-oci-seccomp.h"

#include <linux/seccomp.h>
#include <string.h>

/* Approximate size of a rule in the document. */
#define RULE_BYTES 480

static void write_arg (struct json_writer *w, const struct filter_arg *arg)
{
  json_object_begin (w, NULL);
  json_number (w, "index", arg->index);
  json_number (w, "value", arg->mask);
  json_number (w, "valueTwo", arg->datum);
  json_string (w, "op", "SCMP_CMP_MASKED_EQ");
  json_object_end (w);
}

static void write_action (struct json_writer *w, const char *action_key, const char *errno_key, bool allow,
                          int errnum)
{
  json_string (w, action_key, allow ? "SCMP_ACT_ALLOW" : "SCMP_ACT_ERRNO");
  if (!allow)
    json_integer (w, errno_key, errnum);
}

/* Writes those names of RULE that are left to init's filter, or the others. Nothing if there are none. FREED:
 * the rules of FILTER_LOAD_CALL are replaced. */
static void write_half (struct json_writer *w, const struct filter_rule *rule, bool defers, bool freed,
                        bool left)
{
  bool begun = false;

  for (size_t i = 0; i < rule->names.count; i++) {
    const char *name = rule->names.items[i];

    if ((defers && filter_tells (rule, name)) != left || (freed && strcmp (name, FILTER_LOAD_CALL) == 0))
      continue;
    if (!begun) {
      json_object_begin (w, NULL);
      json_array_begin (w, "names");
    }
    begun = true;
    json_string (w, NULL, name);
  }
  if (!begun)
    return;
  json_array_end (w);
  if (left)
    json_string (w, "action", "SCMP_ACT_TRACE");
  else
    write_action (w, "action", "errnoRet", rule->allow, rule->errnum);
  if (rule->arg_count > 0) {
    json_array_begin (w, "args");
    for (size_t i = 0; i < rule->arg_count; i++)
      write_arg (w, &rule->args[i]);
    json_array_end (w);
  }
  json_object_end (w);
}

static void write_loading (struct json_writer *w)
{
  json_object_begin (w, NULL);
  json_array_begin (w, "names");
  json_string (w, NULL, FILTER_LOAD_CALL);
  json_array_end (w);
  write_action (w, "action", "errnoRet", true, 0);
  json_array_begin (w, "args");
  write_arg (w, &(const struct filter_arg){ 0, UINT32_MAX, SECCOMP_SET_MODE_FILTER });
  json_array_end (w);
  json_object_end (w);
}

static void write_head (struct json_writer *w, const char *key, const struct filter *filter)
{
  json_object_begin (w, key);
  write_action (w, "defaultAction", "defaultErrnoRet", false, filter->unknown_errnum);
  json_array_begin (w, "architectures");
  json_string (w, NULL, filter->architecture);
  json_array_end (w);
}

void oci_seccomp_write_head (struct json_writer *w, const char *key, const struct filter *filter)
{
  write_head (w, key, filter);
  json_object_end (w);
}

static void write_rules (struct json_writer *w, const struct filter *filter, bool defers)
{
  bool freed = defers && !filter_allows_loading (filter);

  json_array_begin (w, "syscalls");
  for (size_t i = 0; i < filter->rule_count; i++) {
    write_half (w, &filter->rules[i], defers, freed, false);
    write_half (w, &filter->rules[i], defers, freed, true);
  }
  if (freed)
    write_loading (w);
  json_array_end (w);
}

void oci_seccomp_write (struct json_writer *w, const char *key, const struct filter *filter, bool defers)
{
  /* The rules are most of a document: reserve once instead of growing the buffer many times. */
  strbuf_reserve (&w->buf, filter->rule_count * RULE_BYTES);
  write_head (w, key, filter);
  write_rules (w, filter, defers);
  json_object_end (w);
}
