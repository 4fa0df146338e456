/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reader of journal lines on any bytes: a line or an error, never both; and what is taken for a line is
 * one that ends in the hash of what stands before it. */
#include <config.h>

#include "journal-journal.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define INVARIANT(condition)                                                                                 \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf (stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                        \
      abort ();                                                                                              \
    }                                                                                                        \
  } while (0)

/* Returns what the reader said. */
static int check (const char *text, size_t size)
{
  cleanup_journal_line struct journal_line line = { 0 };
  cleanup_error struct error err = { 0 };
  int r = journal_line_parse (text, size, &line, &err);
  char hash[SHA256_HEX];

  INVARIANT ((r == 0) == !error_is_set (&err));
  INVARIANT (r == 0 || r == -EINVAL || r == -EBADMSG);
  INVARIANT ((r == 0) == (line.tree != NULL));
  if (r < 0)
    return r;
  INVARIANT (line.seq > 0 && line.time != NULL && line.kind != NULL && line.details != NULL);
  sha256_hex (text, size - strlen (",\"hash\":\"\"}") - (SHA256_HEX - 1), hash);
  INVARIANT (strcmp (hash, line.hash) == 0);
  return 0;
}

/* The fuzzer will not find a hash by itself, so the bytes are also tried with theirs behind them. */
static void check_with_hash (const char *text, size_t size)
{
  cleanup_strbuf struct strbuf whole = { 0 };
  char hash[SHA256_HEX];

  sha256_hex (text, size, hash);
  strbuf_add_bytes (&whole, text, size);
  strbuf_addf (&whole, ",\"hash\":\"%s\"}", hash);
  INVARIANT (!whole.failed);
  INVARIANT (check (whole.text, whole.len) != -EBADMSG);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  check ((const char *) data, size);
  check_with_hash ((const char *) data, size);
  return 0;
}
