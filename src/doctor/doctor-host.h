/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether this host is ready: what was found, what it means, and what to do.
 *
 * doctor_look_over is pure: it takes host facts and the runtimes that were found, and returns rows. The rows
 * only explain; whether a profile holds is observed on a run (doctor_profile).
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "host-facts.h"
#include "profile-profile.h"

enum doctor_state {
  DOCTOR_GOOD,
  DOCTOR_LESS, /* works with less */
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
  const char *version; /* with its path; NULL: not available */
  const char *why;     /* why it is not available */
  const char *advice;  /* what to do then; NULL: needed only for that backend */
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

/* Adds what the gateway says of its ToolRunners against the profile that steps get, setting by setting. True
 * where the gateway claims more than a step gets. */
bool doctor_compare_profiles (struct doctor *doctor, const struct profile *gateways,
                              const struct profile *ours);

int doctor_write (const struct doctor *doctor, const struct doctor_profile *profiles, size_t count,
                  char **ret_text, struct error *err);

const char *doctor_state_text (enum doctor_state state);

void doctor_clear (struct doctor *doctor);
#define cleanup_doctor cleanup (doctor_clear)
