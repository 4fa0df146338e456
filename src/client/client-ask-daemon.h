/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a daemon that stays does it. */
#pragma once

#include <stdbool.h>

#include "base-error.h"

/* What a verb says before its messages, and ends with where nobody knows how it ended. */
struct client_verb {
  const char *name;
  const char *prefix;
  int failed;
};

/* The verb of WORDS, where it is one that a daemon may do for a process with these words and streams; else
 * NULL. What it says is a guess that saves time: the daemon declines what is not for it. */
const struct client_verb *ask_verb (char *const *argv);

/* Hands WORDS to the daemon at the usual place. 1: it was carried out, and *RET_STATUS is the exit status.
 * 0: it has to be done here; *RET_ASKED says whether there is somebody who did not want it. An error: it was
 * begun there and nobody knows how it ended, or its parent is gone. */
int ask_daemon (char *const *argv, int *ret_status, bool *ret_asked, struct error *err);
