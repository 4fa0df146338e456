/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fifth point: a run that works and one that is refused must both be in the journal. */
#include <config.h>

#include "doctor-operator-internal.h"

#include <string.h>

#include "journal-journal.h"

/* What the journal has about runs since the reader was opened. */
struct found {
  uint64_t first;                /* number of the first line; 0: none */
  bool good[JOURNAL_KIND_COUNT]; /* of the run that worked */
  bool refused;                  /* the refusal was recorded, with its reason */
};

static bool is_text (const struct json_node *object, const char *key, const char *text)
{
  const struct json_node *node = object ? json_get (object, key) : NULL;

  return node != NULL && node->type == JSON_STRING && strstr (node->text, text) != NULL;
}

static void take_line (const struct journal_line *line, const char *good, struct found *found)
{
  if (found->first == 0)
    found->first = line->seq;
  for (enum journal_kind k = 0; k < JOURNAL_KIND_COUNT; k++) {
    if (strcmp (line->kind, journal_kind_text (k)) != 0 || line->run == NULL)
      continue;
    if (good != NULL && strcmp (line->run, good) == 0)
      found->good[k] = true;
    else if (k == JOURNAL_REFUSED)
      found->refused = found->refused || is_text (line->details, "reason", "workspace.bounded");
  }
}

static int read_lines (struct journal_reader *reader, const char *good, struct found *found,
                       struct error *err)
{
  struct journal_piece piece;
  int r;

  while ((r = journal_reader_next (reader, &piece, err)) > 0) {
    cleanup_journal_line struct journal_line line = { 0 };
    cleanup_error struct error ignored = { 0 };

    /* journal_verify reports lines that cannot be parsed. */
    if (journal_line_parse (piece.text, piece.len, &line, &ignored) == 0)
      take_line (&line, good, found);
  }
  return r;
}

/* Requests a mount that no profile names, so that the plan is refused. */
static int be_refused (struct checklist *list, struct trial *ret_trial, struct error *err)
{
  cleanup_free char *mount = str_format ("%s:/refused", list->probe.scratch.path);
  const struct strlist mounts = { .items = &mount, .count = 1 }, *before = list->probe.request.mounts;
  int r;

  if (mount == NULL)
    return error_oom (err);
  list->probe.request.mounts = &mounts;
  r = checklist_try (list, ":", (const char *const[]){ NULL }, ret_trial, err);
  list->probe.request.mounts = before;
  return r;
}

static void judge (struct checklist *list, const struct found *found)
{
  bool whole = found->good[JOURNAL_REQUESTED] && found->good[JOURNAL_PLAN] && found->good[JOURNAL_STARTED]
               && found->good[JOURNAL_ENDED];

  checklist_add (
      list, POINT_JOURNAL, "find the run that worked", true, whole ? OUTCOME_RIGHT : OUTCOME_WRONG,
      strdup (whole ? "requested, plan, started and ended are there" : "its lines are not complete"));
  checklist_add (
      list, POINT_JOURNAL, "find the run that was refused", true,
      found->refused ? OUTCOME_RIGHT : OUTCOME_WRONG,
      strdup (found->refused ? "requested and refused are there, with the reason" : "it is not there"));
}

static int verify (struct checklist *list, const char *state, const struct found *found, struct error *err)
{
  cleanup_journal_verdict struct journal_verdict verdict = { 0 };
  int r = journal_verify (state, found->first, 0, NULL, &verdict, err);

  if (r == 0)
    checklist_add (list, POINT_JOURNAL, "verify the journal's chain over these lines", true,
                   verdict.bad == NULL ? OUTCOME_RIGHT : OUTCOME_WRONG,
                   verdict.bad ? strdup (verdict.bad) : strdup ("nothing was edited, dropped or moved"));
  return r;
}

int checklist_journal (struct checklist *list, struct error *err)
{
  const char *state = list->first.context.host->storage_dir;
  cleanup_journal_reader struct journal_reader *reader = NULL;
  cleanup_trial struct trial good = { 0 }, refused = { 0 };
  struct found found = { 0 };
  int r = journal_reader_open (state, &reader, err);

  if (r == 0)
    r = journal_reader_skip (reader, err);
  if (r == 0)
    r = checklist_try (list, ":", (const char *const[]){ NULL }, &good, err);
  if (r == 0)
    r = be_refused (list, &refused, err);
  if (r == 0)
    r = read_lines (reader, good.run, &found, err);
  if (r < 0)
    return r;
  if (!good.started || refused.started)
    checklist_add (list, POINT_JOURNAL, "run a command, and have one refused", true, OUTCOME_WRONG,
                   trial_text (refused.started ? &refused : &good));
  judge (list, &found);
  return found.first == 0 ? 0 : verify (list, state, &found, err);
}
