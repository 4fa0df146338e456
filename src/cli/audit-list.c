/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* audit list, audit show: past events. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-number.h"
#include "cli-audit.h"
#include "cli-verbs.h"
#include "options-table.h"

#define LAST_MAX 1000000u

/* The last events that match a filter. */
struct events {
  struct journal_line *ring;
  size_t capacity; /* of the ring, grown as needed up to MAX */
  size_t max, count, next;
  size_t unread; /* unreadable lines */
};

static void events_clear (struct events *events)
{
  for (size_t i = 0; i < events->count; i++)
    journal_line_clear (&events->ring[i]);
  free (events->ring);
}

/* The event at INDEX, counted from the oldest. */
static const struct journal_line *event_at (const struct events *events, size_t index)
{
  return &events->ring[events->count < events->max ? index : (events->next + index) % events->max];
}

/* Takes ownership of LINE. */
static int keep (struct events *events, struct journal_line *line, struct error *err)
{
  if (events->count < events->max && events->count == events->capacity) {
    size_t capacity = events->capacity ? events->capacity * 2 : 64;
    struct journal_line *grown;

    capacity = capacity < events->max ? capacity : events->max;
    grown = realloc (events->ring, capacity * sizeof (*grown));
    if (grown == NULL)
      return error_oom (err);
    events->ring = grown;
    events->capacity = capacity;
  }
  if (events->count == events->max)
    journal_line_clear (&events->ring[events->next]);
  else
    events->count++;
  events->ring[events->next] = *line;
  *line = (struct journal_line){ 0 };
  events->next = (events->next + 1) % events->max;
  return 0;
}

static int collect (const char *state, const struct audit_filter *filter, struct events *events,
                    struct error *err)
{
  cleanup_journal_reader struct journal_reader *reader = NULL;
  struct journal_piece piece;
  int r = journal_reader_open (state, &reader, err);

  while (r == 0 && (r = journal_reader_next (reader, &piece, err)) == 1) {
    cleanup_journal_line struct journal_line line = { 0 };
    cleanup_error struct error bad = { 0 };

    r = journal_line_parse (piece.text, piece.len, &line, &bad);
    if (r == -ENOMEM)
      return error_oom (err);
    if (r < 0)
      events->unread++;
    else if (audit_filter_takes (filter, &line) && keep (events, &line, err) < 0)
      return err->code;
    r = 0;
  }
  return r;
}

static int print_json (const struct events *events, struct output *output, struct error *err)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };

  json_object_begin (&w, NULL);
  json_string (&w, "schema", "tyrum-oci/audit/1");
  json_array_begin (&w, "events");
  for (size_t i = 0; i < events->count; i++)
    json_copy (&w, NULL, event_at (events, i)->tree);
  json_array_end (&w);
  json_object_end (&w);
  return json_finish_into (&w, &output->out, err);
}

static enum tone tone_of (const char *kind)
{
  static const char *const bad[] = { "refused", "denial", "repaired" };
  static const char *const warn[] = { "limit", "waiver", "elevation", "profile_changed" };

  for (size_t i = 0; i < ARRAY_LEN (bad); i++)
    if (strcmp (bad[i], kind) == 0)
      return TONE_BAD;
  for (size_t i = 0; i < ARRAY_LEN (warn); i++)
    if (strcmp (warn[i], kind) == 0)
      return TONE_WARN;
  return TONE_PLAIN;
}

static int add_row (struct table *table, const struct journal_line *line, struct error *err)
{
  cleanup_strbuf struct strbuf summary = { 0 };
  cleanup_free char *number = str_format ("%llu", (unsigned long long) line->seq);

  audit_summary (line->details, &summary);
  if (number == NULL || summary.failed)
    return error_oom (err);
  table_add (table, number);
  table_add (table, line->time);
  table_add (table, line->run ? line->run : "");
  table_add_tone (table, line->kind, tone_of (line->kind));
  table_add (table, summary.text ? summary.text : "");
  return 0;
}

static int print_table (const struct events *events, struct output *output, struct error *err)
{
  static const char *const heading[] = { "line", "time", "run", "event", "details" };
  cleanup_table struct table table = { .columns = ARRAY_LEN (heading), .keep = 0xf };
  int r = 0;

  for (size_t i = 0; i < ARRAY_LEN (heading); i++)
    table_add_tone (&table, heading[i], TONE_BOLD);
  for (size_t i = 0; r == 0 && i < events->count; i++)
    r = add_row (&table, event_at (events, i), err);
  return r < 0 ? r : table_print (&table, output, err);
}

static int print (const struct events *events, const struct arguments *arguments, struct output *output,
                  struct error *err)
{
  if (events->unread > 0)
    output_note (output, "some lines of the journal cannot be read; 'tyrum-oci audit verify' finds them");
  if (arguments_have (arguments, OPTION_JSON))
    return print_json (events, output, err);
  return print_table (events, output, err);
}

static int list (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup (events_clear) struct events events = { .max = LIMIT_JOURNAL_SHOWN };
  const char *last = arguments_text (arguments, OPTION_LAST);
  cleanup_free char *state = NULL;
  struct audit_filter filter;
  uint64_t count;
  int r = audit_filter_read (arguments, &filter, err);

  if (r == 0 && last != NULL) {
    if (!number_parse (last, LAST_MAX, &count) || count == 0)
      return error_set (err, CLI_USAGE, "--last: '%s' is not a number from 1 to %u", last, LAST_MAX);
    events.max = (size_t) count;
  }
  if (r == 0)
    r = audit_state (&state, err);
  if (r == 0)
    r = collect (state, &filter, &events, err);
  return r < 0 ? r : print (&events, arguments, output, err);
}

static int show (const struct arguments *arguments, struct output *output, struct error *err)
{
  static const struct strlist any = { 0 };
  cleanup (events_clear) struct events events = { .max = LAST_MAX };
  struct audit_filter filter = { .kinds = &any, .whole = true };
  cleanup_free char *state = NULL;
  int r = audit_filter_set (&filter, arguments->operands.items[0], err);

  if (r == 0)
    r = audit_state (&state, err);
  if (r == 0)
    r = collect (state, &filter, &events, err);
  /* No event has exactly this id, so match it as a prefix. */
  if (r == 0 && events.count == 0 && filter.container != NULL) {
    filter.whole = false;
    r = collect (state, &filter, &events, err);
  }
  if (r < 0)
    return r;
  if (events.count == 0)
    return error_set (err, -ENOENT, "the journal has no event of a run '%s'", arguments->operands.items[0]);
  return print (&events, arguments, output, err);
}

static const enum option list_options[] = { OPTION_RUN,  OPTION_KIND, OPTION_SINCE,
                                            OPTION_LAST, OPTION_JSON, OPTION_COUNT };

static const struct verb_example list_examples[] = {
  { "tyrum-oci audit list --kind refused --since 24h", "refused runs since yesterday" },
  { "tyrum-oci audit list --kind elevation --kind waiver", "every run with a waiver or an elevation" },
  { NULL, NULL },
};

const struct verb verb_audit_list = {
  .path = "audit list",
  .summary = "list events of the audit journal",
  .description =
      "Prints events in the order in which they were written; by default the last 1000. With --json the "
      "events are printed as in the journal.",
  .options = list_options,
  .examples = list_examples,
  .run = list,
};

static const enum option show_options[] = { OPTION_JSON, OPTION_COUNT };

const struct verb verb_audit_show = {
  .path = "audit show",
  .summary = "show the events of one run",
  .description =
      "Prints every event of the run, from the request to its end. A container that an engine started "
      "through tyrum-oci-runtime, or with tyrum-oci-hook, is named by its id or a prefix of it.",
  .operands = "RUN",
  .min = 1,
  .max = 1,
  .options = show_options,
  .run = show,
};
