/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Jobs in which every allocation fails once.
 *
 * Each row is a job that takes an error and returns 0 or a negative errno, and leaves nothing behind.
 * The job is run with its first allocation failing, then its second, and so on until it gets through;
 * then the same with all later ones failing too. Each time it must say -ENOMEM, or the refusal that it
 * was to give anyway, and every block must be free again.
 */
#pragma once

#include <errno.h>

#include "base-error.h"
#include "oom.h"
#include "unit.h"

/* It returns 0 in any case: what memory is missing for is left out. */
#define OOM_LOSES 1

struct oom_row {
  const char *name;
  int (*run) (struct error *err);
  int result; /* with all the memory it wants, or OOM_LOSES */
};

/* One run with the NTH allocation failing. Answers whether it came to that. */
static bool oom_run_failing_at (const struct oom_row *row, unsigned long nth, bool and_after)
{
  struct error err = { 0 };
  long before = oom_live ();
  bool struck, loses = row->result == OOM_LOSES;
  int r, code, result = loses ? 0 : row->result;

  oom_fail_at (nth, and_after);
  r = row->run (&err);
  struck = oom_stop ();
  code = err.code;
  CHECK (r == result || (struck && r == -ENOMEM), "allocation %lu: %d instead of -ENOMEM or %d", nth, r,
         result);
  /* An error that was to be reported stays one, with or without its words. */
  CHECK (!struck || r < 0 || loses, "allocation %lu failed, and nobody noticed", nth);
  CHECK (code == 0 || code == r, "allocation %lu: %d is returned, but %d stored", nth, r, code);
  CHECK (error_text (&err) != NULL, "allocation %lu: no words at all", nth);
  error_clear (&err);
  CHECK (oom_live () == before, "allocation %lu: %ld blocks too many are left", nth, oom_live () - before);
  return struck;
}

static void oom_test_row (void **state)
{
  const struct oom_row *row = *state;
  unsigned long count = 1;

  while (oom_run_failing_at (row, count, false))
    CHECK (++count < 100000, "there is no end to it");
  for (unsigned long nth = 1; nth < count; nth++)
    CHECK (oom_run_failing_at (row, nth, true), "allocation %lu did not happen again", nth);
  /* A job that allocates nothing would prove nothing. */
  assert_true (count > 1);
}

static void oom_cases (struct oom_row *rows, size_t count, struct CMUnitTest *ret_cases)
{
  for (size_t i = 0; i < count; i++)
    ret_cases[i] =
        (struct CMUnitTest){ .name = rows[i].name, .test_func = oom_test_row, .initial_state = &rows[i] };
}
