/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of tyrum-oci-daemon, as `tyrum-oci daemon` and `run` (daemon.start) write it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base-error.h"

struct daemon_options {
  const char *socket;
  uint64_t idle;   /* 0: as configured */
  bool background; /* started by a run; another daemon at the socket is no error */
};

/* ARGV is without the name of the program. The strings remain those of ARGV. */
int daemon_options_read (char *const *argv, struct daemon_options *ret_options, struct error *err);
