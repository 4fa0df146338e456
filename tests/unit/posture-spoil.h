/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of what can be spoilt in a good run (posture-case.h), and the control that must then be found
 * broken. */
#pragma once

#include "posture-case.h"
#include "unit.h"

struct spoilt {
  void (*spoil) (struct posture_case *c);
  enum control control;
  enum verdict verdict;
};

#define SPOIL(name) static void name (struct posture_case *c)
#define BAD(spoil, control)                                                                                  \
  {                                                                                                          \
    spoil, control, VERDICT_VIOLATED                                                                         \
  }
#define UNKNOWN(spoil, control)                                                                              \
  {                                                                                                          \
    spoil, control, VERDICT_UNVERIFIED                                                                       \
  }

static inline struct posture *judge (const struct posture_case *c)
{
  cleanup_error struct error err = { 0 };
  struct posture *posture = NULL;

  CHECK (posture_case_judge (c, &posture, &err) == 0, "%s", error_text (&err));
  return posture;
}

static inline void in_status (struct posture_case *c, const char *from, const char *to)
{
  posture_case_edit_answer (c, QUESTION_FILE, "/proc/self/status", from, to);
}

/* A mount table has to be spoilt on both sides, or it is the difference that is found. */
static inline void in_mounts (struct posture_case *c, const char *from, const char *to)
{
  posture_case_edit_answer (c, QUESTION_FILE, "/proc/self/mountinfo", from, to);
  posture_case_edit (&c->outside.mounts, from, to);
}

static inline void spoilt_check (const struct spoilt *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    cleanup_posture_case struct posture_case c = { 0 };
    cleanup_posture struct posture *posture = NULL;
    cleanup_free char *broken = NULL;
    const char *name = control_info (rows[i].control)->name;

    posture_case_make (&c);
    rows[i].spoil (&c);
    posture = judge (&c);
    CHECK (posture->controls[rows[i].control].verdict == rows[i].verdict, "row %zu: %s is %s: %s", i, name,
           verdict_text (posture->controls[rows[i].control].verdict),
           posture->controls[rows[i].control].evidence);
    CHECK (posture->overall == OVERALL_VIOLATED, "row %zu: the run is %s", i,
           overall_text (posture->overall));
    broken = posture_broken_text (posture);
    CHECK (broken != NULL && strstr (broken, name) != NULL, "row %zu: '%s' does not name %s", i, broken,
           name);
  }
}
