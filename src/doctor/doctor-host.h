/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Is this host ready: what was found of it, what that means, and what to do.
 *
 * doctor_look_over is pure: host facts and the runtimes that were found go in, rows come out. It explains.
 * Whether a profile holds is not concluded from rows but seen on a run (doctor_profile).
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "host-facts.h"

enum doctor_state {
  DOCTOR_GOOD,
  DOCTOR_LESS, /* goes without, with less */
  DOCTOR_BAD,  /* a shipped profile needs it */
};

struct doctor_row {
  const char *name;
  enum doctor_state state;
  char *found;
  const char *advice; /* NULL: nothing to do */
};

/* A runtime that was looked for. */
struct doctor_runtime {
  const char *name;
  const char *version; /* with its path; NULL: it is not here */
  const char *why;     /* why not */
  const char *advice;  /* what to do then; NULL: nothing, unless that backend is wanted */
};

/* A profile that was tried. */
struct doctor_profile {
  const char *name;
  bool ready;
  const char *told; /* the verdict, or why it could not be tried */
};

struct doctor {
  struct doctor_row *rows;
  size_t count;
  bool failed; /* memory ran out; doctor_look_over reports it */
};

int doctor_look_over (const struct host_facts *host, const struct doctor_runtime *runtimes, size_t count,
                      struct doctor *ret_doctor, struct error *err);

int doctor_write (const struct doctor *doctor, const struct doctor_profile *profiles, size_t count,
                  char **ret_text, struct error *err);

const char *doctor_state_text (enum doctor_state state);

void doctor_clear (struct doctor *doctor);
#define cleanup_doctor cleanup (doctor_clear)
