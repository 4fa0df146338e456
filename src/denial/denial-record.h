/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A denial: something that a control of a run stopped, ended, cut or slowed down, with the rule that did it
 * and the way to allow it.
 *
 * Records are values. They are collected during a run (system calls that its filter denied) and at its end
 * (denial-outcome.h), and printed by result, journal and command line. A repetition is counted, not added;
 * beyond LIMIT_DENIALS different ones all others share one record, so that a command that tries everything
 * fills neither memory nor log.
 *
 * OBSERVED means that the kernel or our own code reported it. What is derived from the command's own output
 * is INFERRED, because a command can print anything.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control-catalogue.h"
#include "control-value.h"

enum denial_effect {
  EFFECT_DENIED, /* an operation failed */
  EFFECT_ENDED,  /* a process, or all of them, were ended */
  EFFECT_EMPTY,  /* a masked path appeared empty */
  EFFECT_CUT,    /* output was dropped; no process noticed */
  EFFECT_SLOWED, /* it took longer */
};

enum denial_confidence { CONFIDENCE_OBSERVED, CONFIDENCE_INFERRED };

struct denial {
  enum control control;
  enum denial_effect effect;
  enum denial_confidence confidence;
  char *what;    /* "syscall keyctl" */
  char *program; /* name of the program that was denied; NULL: not known */
  uint32_t pid;  /* of the first process that was denied, inside; 0: not known */
  int errnum;    /* that the program got; 0: none */
  uint64_t count;
  uint64_t told; /* the count that was last told while the run went on; 0: none was */
  bool aside;    /* it happened, but did not make the command fail */
  char *rule;    /* "FILE:LINE", or another text of origin_text */
  char *allow;   /* how to allow it, in one clause */
};

struct denials {
  struct denial *items; /* in the order of their first occurrence */
  size_t count;
};

/* NULL: there is none. PROGRAM may be NULL. */
struct denial *denials_find (const struct denials *denials, enum control control, const char *what,
                             const char *program);

/* Increments the count of a record. False if there is no such record. */
bool denials_count (struct denials *denials, enum control control, const char *what, const char *program);

/* Whether there are LIMIT_DENIALS records. */
bool denials_are_full (const struct denials *denials);

/* Adds DENIAL and takes its strings, also on failure. Fails only without memory. */
int denials_add (struct denials *denials, struct denial *denial);

/* Whether one of them can be the cause of a failure. */
bool denials_explain (const struct denials *denials);

void denials_clear (struct denials *denials);
void denial_clear (struct denial *denial);

/* Copies at most MAX bytes of TEXT as one line of printable UTF-8: all else becomes '?'. NULL: out of
 * memory. */
char *denial_clean (const char *text, size_t max);
