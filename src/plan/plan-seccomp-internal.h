/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a filter is built: rules of one condition are merged, conditions made disjoint. Only for seccomp*.c. */
#pragma once

#include "plan-seccomp.h"

/* Adds the action and condition of RULE for NAME. Ignores rule->names. */
int filter_add (struct filter *filter, const char *name, const struct filter_rule *rule, struct error *err);

/* Adds disjoint rules for the call that all RULES name: allow where the tests of one of them pass, ERRNUM for
 * all other arguments. */
int filter_add_conditional (struct filter *filter, const struct seccomp_rule *rules, size_t count, int errnum,
                            struct error *err);

/* Sorts the rules into the order of the documents. */
void filter_sort (struct filter *filter);
/* The same if all but the last are sorted. */
void filter_sort_last (struct filter *filter);

/* Derives the seal from the digest of all rules, which must be sorted, and adds the seal's rule. */
int filter_seal (struct filter *filter, struct error *err);

/* seccomp-cached.c: a cached filter of equal inputs, or NULL; and adding one to the cache. */
struct filter *filter_find_cached (const struct seccomp_list *list, const struct strlist *extra,
                                   const struct strlist *unknown, const char *machine);
void filter_keep (const struct seccomp_list *list, const struct strlist *extra, const struct strlist *unknown,
                  const char *machine, struct filter *filter);
