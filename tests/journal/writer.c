/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A writer of the audit journal, to be started by the hundred and killed at any moment.
 *
 *   writer STATE NAME SYNC MAX_BYTES COUNT
 *
 * Writes the events of one made-up run after the other, as run does: two together, one, one. Behind the last
 * it says the run's id on standard output: from then on no event of it may be lost. COUNT 0: until it is
 * killed.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-number.h"
#include "journal-journal.h"

static void details (struct json_writer *w, const void *data)
{
  json_string (w, "writer", data);
  json_string (
      w, "text",
      "some words, so that a line is about as long as those of a real run are, digests and all of it");
}

static int write_run (struct journal *journal, const char *name, const char *run, struct error *err)
{
  const struct journal_event first[] = {
    { JOURNAL_REQUESTED, run, details, name, false },
    { JOURNAL_PLAN, run, details, name, false },
  };
  const struct journal_event started = { JOURNAL_STARTED, run, details, name, false };
  const struct journal_event ended = { JOURNAL_ENDED, run, details, name, true };
  int r = journal_append (journal, first, 2, err);

  if (r == 0)
    r = journal_append (journal, &started, 1, err);
  return r < 0 ? r : journal_append (journal, &ended, 1, err);
}

int main (int argc, char **argv)
{
  cleanup_error struct error err = { 0 };
  uint64_t max, count;
  struct journal_options options = { .keep = 100000 };

  if (argc != 6 || !number_parse (argv[4], UINT32_MAX, &max) || !number_parse (argv[5], UINT32_MAX, &count))
    return 2;
  options.state = argv[1];
  options.sync = strcmp (argv[3], "1") == 0;
  options.max_bytes = max;
  for (uint64_t i = 0; count == 0 || i < count; i++) {
    /* Opened anew, as every run is a process of its own. */
    cleanup_journal struct journal *journal = NULL;
    char run[64], line[72];
    int len;

    snprintf (run, sizeof (run), "%s-%llu", argv[2], (unsigned long long) i);
    if (journal_open (&options, &journal, &err) < 0 || write_run (journal, argv[2], run, &err) < 0) {
      fprintf (stderr, "%s\n", error_text (&err));
      return 1;
    }
    len = snprintf (line, sizeof (line), "%s\n", run);
    if (write (STDOUT_FILENO, line, (size_t) len) != len)
      return 1;
  }
  return 0;
}
