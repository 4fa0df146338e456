/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An engine's config.json on any bytes. */
#include <config.h>

#include <stdint.h>

#include "spec-fuzz.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  fuzz_meet_twice ((const char *) data, size, restrict_spec);
  return 0;
}
