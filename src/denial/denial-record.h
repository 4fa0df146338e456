/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A denial: something that a control of a run stopped, ended, cut or slowed down, with the rule that did it
 * and the way to allow it.
 *
 * Records are values. They are collected while a run lives (system calls that its filter refused) and when it
 * has ended (denial-outcome.h), and printed by result, journal and command line. What happens again is
 * counted, not repeated; beyond LIMIT_DENIALS different ones the rest is one record, so that a payload that
 * tries everything costs no memory and no log.
 *
 * OBSERVED is said only of what the kernel or our own code told us. What is read from a command's own words
 * is INFERRED: anybody can print anything.
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
  EFFECT_EMPTY,  /* something was there and had nothing in it */
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
  uint32_t pid;  /* of the first process that was, as it is known inside; 0: not known */
  int errnum;    /* what it was told; 0: nothing */
  uint64_t count;
  bool aside;  /* it happened, and is not why a command fails */
  char *rule;  /* "FILE:LINE", or as origin_text has it */
  char *allow; /* how to allow it, in one clause */
};

struct denials {
  struct denial *items; /* in the order in which they came */
  size_t count;
};

/* NULL: there is none. PROGRAM may be NULL. */
struct denial *denials_find (const struct denials *denials, enum control control, const char *what,
                             const char *program);

/* Counts one more of what is there already. False if it is not. */
bool denials_count (struct denials *denials, enum control control, const char *what, const char *program);

/* Whether LIMIT_DENIALS are there. */
bool denials_are_full (const struct denials *denials);

/* Adds DENIAL and takes its strings, also on failure. Negative errno only where memory ran out. */
int denials_add (struct denials *denials, struct denial *denial);

/* Whether one of them can be why a command failed. */
bool denials_explain (const struct denials *denials);

void denials_clear (struct denials *denials);
void denial_clear (struct denial *denial);

/* Copies TEXT, which may be anything, as one line of printable UTF-8: the rest becomes '?'. At most MAX
 * bytes. NULL when memory ran out. */
char *denial_clean (const char *text, size_t max);
