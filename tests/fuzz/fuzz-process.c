/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process of an exec, and the resources of an update, on any bytes. */
#include <config.h>

#include <stdint.h>

#include "spec-fuzz.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  fuzz_meet_twice ((const char *) data, size, restrict_process_spec);
  fuzz_meet_twice ((const char *) data, size, restrict_update);
  return 0;
}
