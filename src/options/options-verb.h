/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Verbs of the command line: a table row each, and finding a verb by name.
 *
 * A verb has all that help, manual page and completions print about it, and one function. That function gets
 * parsed arguments and fills an output; it prints nothing and never exits. Verbs with sub-verbs have no
 * function.
 *
 * Exit statuses are a closed list (verb_statuses): 1 for a failure, 2 for a wrong command line; both are 125
 * for a verb whose exit status is otherwise the command's.
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

/* A verb that this build may have been configured without. */
struct verb_absent {
  const char *name; /* NULL ends the list */
  const char *why;
};

struct verb {
  const char *path;                    /* "profile diff"; "" for the program itself */
  const char *summary;                 /* one line, lower case */
  const char *description;             /* paragraphs separated by "\n\n" */
  const char *operands;                /* "A B"; NULL for none */
  unsigned min, max;                   /* how many operands; a command is not counted */
  bool command;                        /* the operands are a command with its arguments */
  bool payload;                        /* its exit status is the command's */
  bool handed_on;                      /* a daemon may do it for this process */
  enum complete complete;              /* what a shell completes for operands */
  const enum option *options;          /* ends with OPTION_COUNT */
  const struct verb *const *verbs;     /* NULL-terminated; NULL for a verb that does something */
  const struct verb_absent *absent;    /* NULL for none */
  const struct verb_example *examples; /* NULL for none */
  /* Called in the caller's process, also if a daemon does the rest; or NULL. */
  int (*before) (const struct arguments *arguments, struct error *err);
  int (*run) (const struct arguments *arguments, struct output *output, struct error *err);
  const char *usage_prefix, *error_prefix; /* of messages, if a contract defines them; or NULL */
};

/* The program itself; all other verbs are below it. */
extern const struct verb verb_root;

/* "diff" of "profile diff". */
const char *verb_name (const struct verb *verb);

/* Finds the sub-verb NAME of VERB; unknown names are an error with a suggestion. */
int verb_find (const struct verb *verb, const char *name, const struct verb **ret_verb, struct error *err);

/* Whether VERB or a verb below it has OPTION. */
bool verb_takes (const struct verb *verb, enum option option);

/* The usage line: "tyrum-oci profile diff [OPTION...] A B". NULL: out of memory. */
char *verb_usage (const struct verb *verb);

/* The prefix of the message for an error of verb_dispatch: "tyrum-oci". */
const char *verb_prefix (const struct verb *verb, int result);

/* The exit status for what verb_dispatch returned. */
int verb_status (const struct verb *verb, int result, const struct output *output);

/* With --die-with-parent: the kernel sends SIGTERM to this process when the thread that started it ends, for
 * any reason. Before the run that ends the process, during the run the container. A process that stands in
 * for a caller has another parent, and gets the signal from the caller. */
int verb_follow_parent (const struct arguments *arguments, struct error *err);

struct verb_exit {
  const char *status; /* NULL ends the list */
  const char *meaning;
};
extern const struct verb_exit verb_statuses[];
