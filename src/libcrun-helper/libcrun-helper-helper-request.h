/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the command line asks of one launch.
 *
 * The supervisor writes it, so a mistake in it is a bug or somebody's experiment; each is refused with a
 * message all the same. Paths start at /, because the program changes its working directory; the id is a
 * plain name, because libcrun makes a directory of it below the state directory.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base-error.h"

struct helper_request {
  const char *bundle; /* the directory with config.json */
  const char *state;  /* libcrun keeps a directory ID in it */
  const char *id;
  const char *console_socket; /* where the terminal's descriptor is sent, or NULL */
  bool no_cgroup;             /* leave the container in the cgroup of the caller */
  int preserve_fds;           /* descriptors from 3 on that go into the container */
  int control_fd;             /* the one behind those */
};

/* ARGV is without the name of the program. Strings stay those of ARGV. Errors: -EINVAL with what is wrong. */
int helper_request_parse (char *const *argv, struct helper_request *ret_request, struct error *err);
