/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths of a caller that a command must not reach, such as the home of the gateway that asks for the run.
 *
 * Each protected path is compared with every bind mount of a plan, and with the root if that is a directory:
 * by location, not only by name. It need not exist yet. It can lead through symbolic links; a command that
 * can write the directory of such a link can redirect the path, so that directory is protected as well.
 *
 * Must never: treat a path that cannot be traced as out of reach.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-error.h"
#include "plan-plan.h"

struct run_protected {
  const char *path;   /* absolute */
  const char *what;   /* "the gateway's home" */
  const char *except; /* the name of a directory in it that may be mounted; NULL: none */
  bool reading;       /* it must not be mounted read-only either */
  bool inside;        /* nothing in it may be mounted writable */
};

/* -EPERM with a message that names the mount, the path, and ADVICE. Called after the plan is made: a source
 * that is replaced later is detected by its inode when it is mounted. */
int run_check_protected (const struct plan *plan, const struct run_protected *places, size_t count,
                         const char *advice, struct error *err);
