/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operator's configuration on any bytes: values or an error with its place, never both. */
#include <config.h>

#include "profile-configuration.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  cleanup_configuration struct configuration *configuration = NULL;
  cleanup_error struct error err = { 0 };
  int r = configuration_parse ("input", (const char *) data, size, &configuration, &err);

  if ((r == 0) != (configuration != NULL) || (r == 0) == error_is_set (&err))
    abort ();
  if (r == 0 && (configuration->journal_keep == 0 || configuration->journal_max_bytes == 0))
    abort ();
  if (r < 0 && (err.message == NULL || strchr (err.message, '\n') != NULL))
    abort ();
  return 0;
}
