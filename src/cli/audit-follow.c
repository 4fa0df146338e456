/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* audit follow: prints events as they are written. */
#include <config.h>

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "cli-audit.h"
#include "cli-verbs.h"

static int add_event (const struct journal_piece *piece, const struct audit_filter *filter, bool json,
                      struct output *output)
{
  cleanup_journal_line struct journal_line line = { 0 };
  cleanup_strbuf struct strbuf summary = { 0 };
  cleanup_error struct error bad = { 0 };
  int r = journal_line_parse (piece->text, piece->len, &line, &bad);

  if (r == -ENOMEM)
    return r;
  if (r < 0 || !audit_filter_takes (filter, &line))
    return 0;
  if (json) {
    strbuf_add_bytes (&output->out, piece->text, piece->len);
    strbuf_add (&output->out, "\n");
    return 0;
  }
  audit_summary (line.details, &summary);
  strbuf_addf (&output->out, "%llu %s %s ", (unsigned long long) line.seq, line.time,
               line.run ? line.run : "-");
  text_clean (&output->out, line.kind);
  strbuf_add (&output->out, summary.len > 0 ? " " : "");
  text_clean (&output->out, summary.text ? summary.text : "");
  strbuf_add (&output->out, "\n");
  return summary.failed ? -ENOMEM : 0;
}

/* Prints all events that have been written by now. */
static int pass_on (struct journal_reader *reader, const struct audit_filter *filter, bool json,
                    struct output *output, struct error *err)
{
  struct journal_piece piece;
  int r;

  while ((r = journal_reader_next (reader, &piece, err)) == 1)
    if (add_event (&piece, filter, json, output) < 0)
      return error_oom (err);
  if (r == 0 && output->flush != NULL && output->out.len > 0)
    r = output->flush (output);
  return r < 0 && !error_is_set (err) ? error_set_errno (err, -r, "cannot write standard output") : r;
}

/* Creates the journal if needed, so that it can be watched before the first run. */
static int make_journal (const char *state, struct error *err)
{
  const struct journal_options options = { .state = state };
  cleanup_journal struct journal *journal = NULL;

  return journal_open (&options, &journal, err);
}

static int follow (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_journal_reader struct journal_reader *reader = NULL;
  cleanup_free char *state = NULL;
  struct audit_filter filter;
  struct pollfd watch = { -1, POLLIN, 0 };
  char events[4096];
  int r = audit_filter_read (arguments, &filter, err);

  if (r == 0)
    r = audit_state (&state, err);
  if (r == 0)
    r = make_journal (state, err);
  if (r == 0)
    r = journal_reader_open (state, &reader, err);
  if (r == 0)
    r = journal_reader_watch (reader, &watch.fd, err);
  /* With --since earlier events are shown first. */
  if (r == 0 && !arguments_have (arguments, OPTION_SINCE))
    r = journal_reader_skip (reader, err);
  while (r == 0) {
    r = pass_on (reader, &filter, arguments_have (arguments, OPTION_JSON), output, err);
    if (r == 0 && poll (&watch, 1, -1) < 0 && errno != EINTR)
      r = error_set_errno (err, errno, "cannot watch the journal");
    while (r == 0 && read (watch.fd, events, sizeof (events)) > 0)
      continue;
  }
  return r;
}

static const enum option follow_options[] = { OPTION_RUN, OPTION_KIND, OPTION_SINCE, OPTION_JSON,
                                              OPTION_COUNT };

const struct verb verb_audit_follow = {
  .path = "audit follow",
  .summary = "print events as they are written",
  .description =
      "Prints each new event until interrupted; with --since also the events since that time. With "
      "--json every event is one line, as in the journal.",
  .options = follow_options,
  .run = follow,
};
