/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asking a daemon to make a run. no-ask.c replaces ask-daemon.c in a build without a daemon. */
#pragma once

#include "base-error.h"
#include "wire-daemon.h"

/* A verb that can be handed over. */
struct client_verb {
  const char *name;
  const char *prefix; /* of its error messages */
  int failed;         /* its exit status where the end of the run is not known */
};

/* The verb in ARGV, if a daemon may make a run with this command line and these standard streams; else NULL.
 * This only saves a useless request: the daemon itself declines what it must not do. */
const struct client_verb *ask_verb (char *const *argv);

/* ARGV is the whole command line. 1: the run was made, and *RET_STATUS is the exit status. 0: the run has to
 * be made by this process, and *RET_ASKED is what became of the request. An error: a daemon began the run,
 * and its end is not known. */
int ask_daemon (char *const *argv, int *ret_status, enum daemon_asked *ret_asked, struct error *err);
