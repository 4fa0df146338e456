/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The verbs of the command line: one table each, and the way from words to the verb that they mean.
 *
 * A verb says all that help, the manual page and the completions print about it, and has one function that
 * does it. That function gets parsed arguments and fills an output; it prints nothing and never exits. Verbs
 * with sub-verbs have no function of their own.
 *
 * Exit statuses are a closed list (verb_statuses). A verb's failure is 1, a wrong command line 2; for verbs
 * that stand in for the command behind them, whose own status must stay recognisable, both are 125.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-error.h"
#include "options-options.h"
#include "options-output.h"

struct verb_example {
  const char *command; /* NULL ends the list */
  const char *what;
};

struct verb {
  const char *path;                    /* "profile diff"; "" for the program itself */
  const char *summary;                 /* one line, lower case */
  const char *description;             /* paragraphs separated by "\n\n" */
  const char *operands;                /* "A B"; NULL for none */
  unsigned min, max;                   /* how many operands; a command is not counted */
  bool command;                        /* the operands are a command with its arguments */
  bool payload;                        /* its exit status is the command's */
  bool handed_on;                      /* a daemon that stays may do it in our place */
  enum complete complete;              /* what a shell offers for operands */
  const enum option *options;          /* ends with OPTION_COUNT */
  const struct verb *const *verbs;     /* NULL-terminated; NULL for a verb that does something */
  const struct verb_example *examples; /* NULL for none */
  /* In the caller's own process, whoever does the rest; or NULL. */
  int (*before) (const struct arguments *arguments, struct error *err);
  int (*run) (const struct arguments *arguments, struct output *output, struct error *err);
  const char *usage_prefix, *error_prefix; /* of messages, where a contract says how they begin; or NULL */
};

/* The program itself; all others hang below it. */
extern const struct verb verb_root;

/* "diff" of "profile diff". */
const char *verb_name (const struct verb *verb);

/* Finds the sub-verb NAME of VERB; unknown names are an error with a suggestion. */
int verb_find (const struct verb *verb, const char *name, const struct verb **ret_verb, struct error *err);

/* The usage line: "tyrum-oci profile diff [OPTION...] A B". NULL when memory ran out. */
char *verb_usage (const struct verb *verb);

/* What stands before the message about what verb_dispatch returned: "tyrum-oci". */
const char *verb_prefix (const struct verb *verb, int result);

/* The exit status for what verb_dispatch returned. */
int verb_status (const struct verb *verb, int result, const struct output *output);

struct verb_exit {
  const char *status; /* NULL ends the list */
  const char *meaning;
};
extern const struct verb_exit verb_statuses[];
