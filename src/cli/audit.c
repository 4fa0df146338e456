/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* audit: the journal of requests, decisions and runs. */
#include <config.h>

#include "cli-audit.h"

#include <string.h>
#include <time.h>

#include "base-number.h"
#include "cli-verbs.h"
#include "host-facts.h"
#include "shim-command.h"
#include "state-run-dir.h"

int audit_state (char **ret_state, struct error *err)
{
  cleanup_host_facts struct host_facts *host = NULL;
  int r = host_look (&host, err);

  if (r < 0)
    return r;
  *ret_state = strdup (host->storage_dir);
  return *ret_state ? 0 : error_oom (err);
}

/* Whether TEXT is a time in the format of the journal, or a prefix of one: such times compare as text. */
static bool is_time (const char *text, size_t len)
{
  static const char shape[] = "0000-00-00T00:00:00.000000";

  if (len != strlen ("0000-00-00") && len != strlen ("0000-00-00T00:00")
      && len != strlen ("0000-00-00T00:00:00"))
    return false;
  for (size_t i = 0; i < len; i++)
    if (shape[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i])
      return false;
  return true;
}

static int read_since (const char *text, char since[32], struct error *err)
{
  size_t len = strlen (text);
  uint64_t ago;
  struct tm tm = { 0 };
  time_t then;

  if (number_parse_duration (text, &ago) && ago / 1000 < (uint64_t) time (NULL)) {
    then = time (NULL) - (time_t) (ago / 1000);
    gmtime_r (&then, &tm);
    strftime (since, 32, "%Y-%m-%dT%H:%M:%S", &tm);
    return 0;
  }
  if (len > 0 && text[len - 1] == 'Z')
    len--;
  if (!is_time (text, len))
    return error_set (
        err, CLI_USAGE,
        "--since: '%s' is neither a time in UTC such as 2026-01-31T12:00:00Z nor a duration such as 90m",
        text);
  memcpy (since, text, len);
  since[len] = '\0';
  return 0;
}

static int check_kinds (const struct strlist *kinds, struct error *err)
{
  for (size_t i = 0; i < kinds->count; i++) {
    const char *near;
    size_t k = 0;

    while (k < JOURNAL_KIND_COUNT && strcmp (journal_kind_names[k], kinds->items[i]) != 0)
      k++;
    if (k < JOURNAL_KIND_COUNT)
      continue;
    near = str_nearest (kinds->items[i], journal_kind_names, JOURNAL_KIND_COUNT);
    return error_set (err, CLI_USAGE, "--kind: there is no event '%s'%s%s%s", kinds->items[i],
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  return 0;
}

int audit_filter_set (struct audit_filter *filter, const char *id, struct error *err)
{
  if (run_id_is_valid (id))
    filter->run = id;
  else if (command_id_is_valid (id))
    filter->container = id;
  else
    return error_set (err, CLI_USAGE, "'%s' is not the id of a run or of a container", id);
  return 0;
}

/* Engines show only a prefix of an id. */
static bool is_of_container (const struct journal_line *line, const char *id, bool whole)
{
  const struct json_node *named = json_get (line->details, "container");

  if (str_equal (id, line->run))
    return true;
  if (named == NULL || named->type != JSON_STRING)
    return false;
  return whole ? strcmp (named->text, id) == 0 : str_has_prefix (named->text, id);
}

int audit_filter_read (const struct arguments *arguments, struct audit_filter *ret_filter, struct error *err)
{
  struct audit_filter filter = { .kinds = &arguments->values[OPTION_KIND] };
  const char *id = arguments_text (arguments, OPTION_RUN);
  const char *since = arguments_text (arguments, OPTION_SINCE);
  int r = check_kinds (filter.kinds, err);

  if (r == 0 && id != NULL)
    r = audit_filter_set (&filter, id, err);
  if (r == 0 && since != NULL)
    r = read_since (since, filter.since, err);
  if (r == 0)
    *ret_filter = filter;
  return r;
}

bool audit_filter_takes (const struct audit_filter *filter, const struct journal_line *line)
{
  if (filter->run != NULL && !str_equal (filter->run, line->run))
    return false;
  if (filter->container != NULL && !is_of_container (line, filter->container, filter->whole))
    return false;
  if (strcmp (line->time, filter->since) < 0)
    return false;
  for (size_t i = 0; i < filter->kinds->count; i++)
    if (strcmp (filter->kinds->items[i], line->kind) == 0)
      return true;
  return filter->kinds->count == 0;
}

/* The prefix of a digest that is shown; JSON has all of it. */
#define DIGEST_SHOWN (sizeof ("sha256:") - 1 + 12)

static void add_value (const struct json_node *node, struct strbuf *out)
{
  if (node->type == JSON_BOOL)
    strbuf_add (out, node->flag ? "true" : "false");
  else if (node->text == NULL)
    strbuf_add (out, "null");
  else if (str_has_prefix (node->text, "sha256:") && strlen (node->text) > DIGEST_SHOWN)
    strbuf_add_bytes (out, node->text, DIGEST_SHOWN);
  else
    strbuf_add (out, node->text);
}

/* Whether NODE is an array of strings, such as names of controls. */
static bool is_list (const struct json_node *node)
{
  for (size_t i = 0; i < node->count; i++)
    if (node->type != JSON_ARRAY || node->items[i]->type != JSON_STRING)
      return false;
  return node->type == JSON_ARRAY;
}

static void add_list (const struct json_node *list, const char *key, struct strbuf *out)
{
  if (list->count > 0)
    strbuf_addf (out, "%s%s=", out->len > 0 ? " " : "", key);
  for (size_t i = 0; i < list->count; i++) {
    strbuf_add (out, i > 0 ? "," : "");
    add_value (list->items[i], out);
  }
}

static void add_summary (const struct json_node *node, const char *key, struct strbuf *out)
{
  for (size_t i = 0; i < node->count; i++) {
    const struct json_node *item = node->items[i];
    cleanup_free char *name = node->type == JSON_OBJECT
                                  ? str_format ("%s%s%s", key, key[0] ? "." : "", node->keys[i].name)
                                  : str_format ("%s[%zu]", key, i);

    if (name == NULL) {
      out->failed = true;
      return;
    }
    if (is_list (item)) {
      add_list (item, name, out);
      continue;
    }
    if (item->type == JSON_OBJECT || item->type == JSON_ARRAY) {
      add_summary (item, name, out);
      continue;
    }
    strbuf_add (out, out->len > 0 ? " " : "");
    strbuf_add (out, name);
    strbuf_add (out, "=");
    add_value (item, out);
  }
}

void audit_summary (const struct json_node *details, struct strbuf *out)
{
  add_summary (details, "", out);
}

static const struct verb *const verbs[] = { &verb_audit_list, &verb_audit_show, &verb_audit_follow,
                                            &verb_audit_verify, NULL };

static const enum option options[] = { OPTION_COUNT };

const struct verb verb_audit = {
  .path = "audit",
  .summary = "list, show, follow and verify the audit journal",
  .description =
      "Every run is recorded in the journal of its user: the request, the plan with the digests of "
      "profile and document, whether it was refused or started, denials, waivers and elevations, and "
      "how it ended. Each line has the hash of the line before it.",
  .operands = "VERB [ARG...]",
  .complete = COMPLETE_VERB,
  .options = options,
  .verbs = verbs,
};
