/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line: what the supervisor asks of one launch.
 *
 * Only the supervisor writes it, so a mistake is a bug or an experiment; it is still refused with a message.
 * Paths start at /, because the program changes its working directory; the id is a plain name, because
 * libcrun makes a directory of it below the state directory.
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
  int control_fd;             /* the first after those */
};

/* ARGV is without the program's name. The strings still belong to ARGV. Errors: -EINVAL with a message. */
int helper_request_parse (char *const *argv, struct helper_request *ret_request, struct error *err);
