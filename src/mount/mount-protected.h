/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Places of a caller that a command must not reach, such as the home of the gateway that asks for the run.
 *
 * Each place is compared with every bind mount of a plan, and with its root where that is a directory: by
 * where both lie, and not only by their names. A place need not exist yet. Its name can lead through symbolic
 * links; the directory that holds one of them is as good as the place itself to a command that can write it.
 *
 * Must never: take a place that cannot be traced for one that is out of reach.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-error.h"
#include "plan-plan.h"

struct run_protected {
  const char *path;   /* absolute */
  const char *what;   /* "the gateway's home" */
  const char *except; /* the name of a directory in it that may be mounted all the same; NULL: none */
  bool reading;       /* it must not be read either */
  bool inside;        /* nothing that lies in it may be mounted writable */
};

/* -EPERM with a message that names the mount, the place, and ADVICE. Called after the plan is made: a source
 * that is exchanged afterwards is found by its inode when it is mounted. */
int run_check_protected (const struct plan *plan, const struct run_protected *places, size_t count,
                         const char *advice, struct error *err);
