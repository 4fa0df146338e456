/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of tyrum-oci-daemon, as `tyrum-oci daemon` and the first `run` write it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base-error.h"

struct words {
  const char *socket;
  uint64_t idle; /* 0: as configured */
  bool background;
};

/* ARGV is without the name of the program. Strings stay those of ARGV. */
int words_read (char *const *argv, struct words *ret_argv, struct error *err);
