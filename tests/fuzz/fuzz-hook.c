/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a hook reads on standard input, on any bytes: the state of a container, as far as it goes without a
 * bundle, or at precreate a specification, as far as it goes without a profile. */
#include <config.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hook-hook.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static char state[] = "/nonexistent/state";
  static FILE *nowhere;
  int (*const stages[]) (struct hook *, struct error *) = { hook_gate, hook_audit, hook_apply };
  FILE *said = stdout;

  if (nowhere == NULL)
    nowhere = fopen ("/dev/null", "we");
  if (nowhere == NULL)
    return 0;
  /* No journal of this host's. */
  setenv ("TYRUM_OCI_STATEDIR", "/dev/null/storage", 1);
  for (size_t i = 0; i < sizeof (stages) / sizeof (stages[0]); i++) {
    struct error err = { 0 };
    struct hook hook = { .config_dir = "/nonexistent",
                         .data_dir = "/nonexistent",
                         .state = state,
                         .text = malloc (size + 1),
                         .len = size };
    int r;

    if (hook.text == NULL)
      return 0;
    memcpy (hook.text, data, size);
    /* apply says on standard output what it lets pass. */
    stdout = nowhere;
    r = stages[i](&hook, &err);
    stdout = said;
    if ((r == 0) != !error_is_set (&err) || (r < 0 && strchr (error_text (&err), '\n') != NULL))
      abort ();
    error_clear (&err);
    free (hook.id);
    free (hook.text);
  }
  return 0;
}
