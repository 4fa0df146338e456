/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A seccomp list: which system calls a profile allows, as readable data.
 *
 * Lists are JSON with comments in profiles/seccomp; docs/seccomp.md describes the format. They are
 * allow-lists: a call that is not named gets one errno ("unknown"). The shipped lists use ENOSYS, as from a
 * kernel without the call, so that libraries fall back. Calls that are refused on purpose get the errno under
 * which they are listed in "deny". A call under "when" is allowed if its arguments pass a test, and gets the
 * errno of its "else" otherwise.
 *
 * Only the syntax is checked here. libseccomp decides whether a name exists on an
 * architecture, when a plan is made.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-cleanup.h"
#include "base-error.h"

#define SECCOMP_ARGUMENTS 6u

/* Limits on one call under "when". */
#define SECCOMP_WAYS_MAX   32u
#define SECCOMP_VALUES_MAX 64u

/* A test compares the low 32 bits of an argument: the kernel reads only those of an int,
 * whatever the upper half has. */
enum seccomp_compare {
  SECCOMP_IN,     /* the argument is one of the values */
  SECCOMP_NOT_IN, /* it is none of them */
  SECCOMP_CLEAR,  /* it has no bit in common with the only value */
};

struct seccomp_test {
  unsigned argument; /* from 0 */
  enum seccomp_compare compare;
  uint32_t *values;
  size_t count;
};

/* NAME is allowed if every test holds; without tests always. Rules for one name are adjacent,
 * and any of them suffices. */
struct seccomp_rule {
  char *name;
  struct seccomp_test tests[SECCOMP_ARGUMENTS]; /* at most one for an argument */
  size_t test_count;
  unsigned line; /* in the list file */
};

/* NAME gets ERRNUM; where rules allow it under a condition, this is its "else". */
struct seccomp_deny {
  char *name;
  int errnum;
  unsigned line;
};

struct seccomp_list {
  char *name;    /* "strict" */
  char *meaning; /* one sentence */
  char *file;    /* its path */
  int unknown_errnum;
  struct seccomp_rule *rules; /* in the order of the file */
  size_t rule_count;
  struct seccomp_deny *denies;
  size_t deny_count;
  bool kept; /* owned by the cache: seccomp_list_free does nothing */
};

/* FILE names the list in messages: "FILE:LINE:COLUMN: ...". */
int seccomp_list_parse (const char *file, const char *text, size_t len, struct seccomp_list **ret_list,
                        struct error *err);
void seccomp_list_free (struct seccomp_list *list);

/* From here on a few parsed lists are cached in this process and its forked children, for programs that
 * plan repeatedly. The result of parsing depends only on the text, so the cache compares file name and
 * text byte by byte. Without this and filters_keep (plan-seccomp.h) a run in a prewarmed sandbox takes 8 %
 * more time, one through the daemon 7 % (p25 of 60 launches by turns). */
void seccomp_lists_keep (void);

/* As seccomp_list_parse, but may return a cached list. */
int seccomp_list_obtain (const char *file, const char *text, size_t len, struct seccomp_list **ret_list,
                         struct error *err);
DEFINE_CLEANUP (struct seccomp_list, seccomp_list_free)
#define cleanup_seccomp_list cleanup (seccomp_list_free_p)
