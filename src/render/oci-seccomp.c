/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "render-oci-seccomp.h"

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

/* Writes those names of RULE that notify the listener, or the others. Nothing if there are none. */
static void write_half (struct json_writer *w, const struct filter_rule *rule, bool listens, bool notifies)
{
  bool begun = false;

  for (size_t i = 0; i < rule->names.count; i++) {
    if ((listens && filter_tells (rule, rule->names.items[i])) != notifies)
      continue;
    if (!begun) {
      json_object_begin (w, NULL);
      json_array_begin (w, "names");
    }
    begun = true;
    json_string (w, NULL, rule->names.items[i]);
  }
  if (!begun)
    return;
  json_array_end (w);
  if (notifies)
    json_string (w, "action", "SCMP_ACT_NOTIFY");
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

static void write_head (struct json_writer *w, const char *key, const struct filter *filter,
                        const char *listener)
{
  json_object_begin (w, key);
  write_action (w, "defaultAction", "defaultErrnoRet", false, filter->unknown_errnum);
  json_array_begin (w, "architectures");
  json_string (w, NULL, filter->architecture);
  json_array_end (w);
  if (listener != NULL)
    json_string (w, "listenerPath", listener);
}

void oci_seccomp_write_head (struct json_writer *w, const char *key, const struct filter *filter,
                             const char *listener)
{
  write_head (w, key, filter, listener);
  json_object_end (w);
}

static void write_rules (struct json_writer *w, const struct filter *filter, const char *listener)
{
  json_array_begin (w, "syscalls");
  for (size_t i = 0; i < filter->rule_count; i++) {
    write_half (w, &filter->rules[i], listener != NULL, false);
    write_half (w, &filter->rules[i], listener != NULL, true);
  }
  json_array_end (w);
}

void oci_seccomp_write (struct json_writer *w, const char *key, const struct filter *filter,
                        const char *listener)
{
  /* The rules are most of a document: reserve once instead of growing the buffer many times. */
  strbuf_reserve (&w->buf, filter->rule_count * RULE_BYTES);
  write_head (w, key, filter, listener);
  write_rules (w, filter, listener);
  json_object_end (w);
}
